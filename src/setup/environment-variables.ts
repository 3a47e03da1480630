// Every variable of the configuration with its default and its meaning, as data: `sellthrough init` writes .env
// from it, and the table in the documents is made from it. config.ts reads and checks the values; a test
// checks that both know the same variables.

export interface ConfigurationVariable {
  readonly name: string;
  /** Shown to people: the value without the variable, or what happens then. */
  readonly otherwise: string;
  readonly meaning: string;
  /** A value to show in an example; absent where the default is one. */
  readonly example?: string;
  /** Never shown, never logged, never to be passed as an argument. */
  readonly isSecret?: true;
}

export interface ConfigurationChapter {
  readonly title: string;
  readonly variables: readonly ConfigurationVariable[];
}

export const configurationChapters: readonly ConfigurationChapter[] = [
  {
    title: 'Where the service listens',
    variables: [
      {
        name: 'HOST',
        otherwise: '127.0.0.1',
        meaning: 'The address to listen on. 0.0.0.0: every address of the machine.',
      },
      { name: 'PORT', otherwise: '3000', meaning: 'The port to listen on.' },
      {
        name: 'PUBLIC_URL',
        otherwise: 'made from host and port',
        meaning: 'The address in login links, without a path. With https cookies are Secure.',
        example: 'https://resell.example.com',
      },
      {
        name: 'TRUST_PROXY',
        otherwise: 'none',
        meaning: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted.',
        example: '127.0.0.1',
      },
    ],
  },
  {
    title: 'The database',
    variables: [
      {
        name: 'DATABASE_URL',
        otherwise: 'the embedded database',
        meaning:
          'PostgreSQL 15 or newer; any number of processes may share it. Of several hosts (`host1:5432,host2:5432`) the one that takes writes is found.',
        example: 'postgres://sellthrough:password@127.0.0.1:5432/sellthrough',
        isSecret: true,
      },
      {
        name: 'DATA_DIR',
        otherwise: './data',
        meaning: 'The folder of the embedded database; on a local disk.',
      },
      {
        name: 'SECRET_KEY',
        otherwise: 'made and kept in DATA_DIR/secret.key; required with DATABASE_URL',
        meaning:
          'Seals the stored API keys and TOTP secrets: at least 32 characters, the same for all processes. Keep a copy apart from the backups: without it the stored keys cannot be opened.',
        isSecret: true,
      },
      {
        name: 'SECRET_KEY_PREVIOUS',
        otherwise: 'none',
        meaning: 'A second key that opens what was sealed under it: only while SECRET_KEY is replaced.',
        isSecret: true,
      },
      {
        name: 'CURRENCY',
        otherwise: 'USD',
        meaning: 'Decided once for each database: a currency whose amounts have two decimals.',
      },
      {
        name: 'ALLOW_UNSAFE_DATABASE',
        otherwise: '0',
        meaning: '1: start even if the server has fsync, full_page_writes or synchronous_commit off.',
      },
      {
        name: 'ACCOUNT_GROUPS',
        otherwise: 'what the database has; a new one has 1',
        meaning:
          'Into how many groups the accounts of a new PostgreSQL database are divided (docs/growing.md), at most 64; a database that has another number is refused.',
      },
    ],
  },
  {
    title: 'Several processes',
    variables: [
      {
        name: 'VALKEY_URL',
        otherwise: 'each process counts for itself',
        meaning:
          'Valkey or Redis, where all processes count requests and failed sign-ins together: redis://, or rediss:// over TLS. With maxmemory-policy noeviction, and a database number of its own.',
        example: 'redis://:password@127.0.0.1:6379/0',
        isSecret: true,
      },
    ],
  },
  {
    title: 'The first administrator, used only while there is none',
    variables: [
      { name: 'ADMIN_USERNAME', otherwise: 'admin', meaning: 'The name to sign in with.' },
      {
        name: 'ADMIN_PASSWORD',
        otherwise: 'generated; shown once on a terminal, otherwise written to a file',
        meaning:
          'The password of the first sign-in, which asks for another one: 12 to 200 characters, none of the most used ones and without the name. Afterwards it is not used.',
        isSecret: true,
      },
      {
        name: 'ADMIN_API_KEY',
        otherwise: 'generated; shown once on a terminal, otherwise written to a file',
        meaning: 'The key for the administrator’s API; "sellthrough mint-key" makes one.',
        isSecret: true,
      },
      {
        name: 'DEMO',
        otherwise: '0',
        meaning:
          '1: on an empty database, add packages and the reseller "demo" with credit. "npm start" does so by itself, on an address of this machine alone.',
      },
    ],
  },
  {
    title: 'People who sign in',
    variables: [
      {
        name: 'SECOND_FACTOR_ROLES',
        otherwise: 'none',
        meaning:
          'Roles that need a second factor: whoever has one of them and no codes at sign-in may do nothing but set them up, and cannot switch them off. account:owner, account:staff, account:viewer; and of your own people operator:owner, operator:finance, operator:support, operator:viewer.',
        example: 'operator:owner,operator:finance',
      },
      {
        name: 'CREDIT_CONFIRM_ABOVE',
        otherwise: '1000.00',
        meaning:
          'When one person has credited and debited more than this within an hour in the console, signs left out, the next credit or debit takes their password.',
      },
    ],
  },
  {
    title: 'Login links',
    variables: [
      { name: 'LOGIN_LINK_MINUTES', otherwise: '15', meaning: 'How long a login link lives.' },
      {
        name: 'PRODUCT_URL',
        otherwise: 'the customer’s page of this service',
        meaning:
          'Where a login link leads, with a one-time ?code=. The final address: browsers refuse a redirect from there to another origin.',
        example: 'https://product.example.com/welcome',
      },
      {
        name: 'STATEMENT_ISSUER',
        otherwise: 'nobody is named',
        meaning: 'Your name and address on statements as PDF; "|" begins a new line.',
        example: 'Example Ltd | 1 High Street | Dublin',
      },
    ],
  },
  {
    title: 'Mail',
    variables: [
      {
        name: 'SMTP_URL',
        otherwise: 'no mail is sent',
        meaning:
          'The server that takes your mail: smtp:// asks for STARTTLS, smtps:// begins with TLS. "?tls=optional" for a relay in your own network.',
        example: 'smtp://billing%40example.com:password@mail.example.com:587',
        isSecret: true,
      },
      {
        name: 'MAIL_FROM',
        otherwise: 'the user of SMTP_URL, where it is an address',
        meaning:
          'Whose mail it is. Without a name it is the first line of STATEMENT_ISSUER, or "Sellthrough".',
        example: 'Example Ltd <billing@example.com>',
      },
    ],
  },
  {
    title: 'Plans',
    variables: [
      {
        name: 'CANCEL_REFUND',
        otherwise: 'unused',
        meaning:
          'What a reseller gets back for a plan that is cancelled at once: "unused", what is left of the terms that were paid, as when the package is changed; or "none".',
      },
    ],
  },
  {
    title: 'Test mode',
    variables: [
      {
        name: 'TEST_ROWS_MAX',
        otherwise: '100000',
        meaning:
          'How many rows a test account holds (orders, customers, ledger entries, events …), 1,000 to 10,000,000, and 1 KiB of data for each of them. All test accounts together hold as much as fifty full ones, on the embedded database at most a tenth of the disk.',
      },
    ],
  },
  {
    title: 'Calls to other servers',
    variables: [
      {
        name: 'OUTBOUND_ALLOW',
        otherwise: 'none',
        meaning:
          'Addresses or CIDR ranges of your own that webhooks may lead to, although they are private; also by plain http and on any port.',
        example: '10.20.0.0/16',
      },
    ],
  },
  {
    title: 'Logs',
    variables: [
      { name: 'LOG_LEVEL', otherwise: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent.' },
    ],
  },
];

/** What the command line reads besides them. */
export const clientVariables: readonly ConfigurationVariable[] = [
  {
    name: 'SELLTHROUGH_URL',
    otherwise: 'the service of this folder: made from HOST and PORT',
    meaning: 'The address of the service that commands talk to.',
    example: 'https://resell.example.com',
  },
  {
    name: 'SELLTHROUGH_KEY',
    otherwise: 'ADMIN_API_KEY',
    meaning: 'The key that commands act with: an administrator’s, or a reseller’s for its own orders.',
    isSecret: true,
  },
];
