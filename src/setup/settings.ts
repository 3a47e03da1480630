// The table of all settings. `sellthrough init`, docs/configuration.md and config.ts are derived from it.

import { isIP } from 'node:net';
import { isApiKey } from '../features/identity/api-key.ts';
import { cancelRefunds } from '../features/order-engine/records/plan-life.ts';
import { readHostList } from '../platform/database/postgres/database-hosts.ts';
import { accountGroupsMax } from '../platform/database/shards/find-shards.ts';
import { readValkeyUrl, type ValkeyAddress } from '../platform/limits/valkey-address.ts';
import {
  type MailSenderName,
  readMailFrom,
  readSmtpUrl,
  type SmtpServer,
} from '../platform/mail/smtp-address.ts';
import { allowListProblem } from '../shared/allow-list.ts';
import { parseAmount } from '../shared/amounts.ts';
import { createAddressRanges } from '../shared/ip-addresses.ts';
import { type NamedRole, namedRoles } from '../shared/scopes.ts';

export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigurationVariable {
  readonly name: string;
  /** Shown to users: the default, or what happens without a value. */
  readonly otherwise: string;
  readonly meaning: string;
  /** Shown to users; absent: the default is shown. */
  readonly example?: string;
  /** Never shown, logged or passed as an argument. */
  readonly isSecret?: true;
}

interface ConfigurationChapter {
  readonly title: string;
  readonly variables: readonly ConfigurationVariable[];
}

/** @throws ConfigProblem */
type Read<Value> = (value: string, name: string) => Value;

interface Setting<Value> extends Omit<ConfigurationVariable, 'name'> {
  readonly valueIn: (environment: Environment, name: string) => Value;
}

interface Said extends Omit<ConfigurationVariable, 'name' | 'otherwise'> {
  readonly isVerbatim?: true;
}

function setting<Value>(
  said: Said & { readonly fallback: string; readonly read: Read<Value> },
): Setting<Value>;
function setting<Value>(
  said: Said & { readonly otherwise: string; readonly read: Read<Value> },
): Setting<Value | null>;
function setting<Value>({
  fallback,
  otherwise = fallback ?? '',
  isVerbatim,
  read,
  ...said
}: Said & {
  readonly fallback?: string;
  readonly otherwise?: string;
  readonly read: Read<Value>;
}): Setting<Value | null> {
  return {
    ...said,
    otherwise,
    valueIn(environment, name) {
      const sent = isVerbatim === true ? environment[name] : environment[name]?.trim();
      const value = sent === undefined || sent === '' ? fallback : sent;
      return value === undefined ? null : read(value, name);
    },
  };
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export const secretKeyLengthMin = 32;

const text: Read<string> = (value) => value;

const flag: Read<boolean> = (value, name) => {
  if (value !== '0' && value !== '1') throw new ConfigProblem(`${name} must be 0 or 1, not "${value}".`);
  return value === '1';
};

function whole(min: number, max: number): Read<number> {
  return (value, name) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new ConfigProblem(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
  };
}

function oneOf<Word extends string>(words: readonly Word[]): Read<Word> {
  return (value, name) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    throw new ConfigProblem(`${name} must be one of ${words.join(', ')}, not "${value}".`);
  };
}

const host: Read<string> = (value, name) => {
  if (isIP(value) !== 0 || /^[A-Za-z0-9.-]{1,253}$/.test(value)) return value;
  throw new ConfigProblem(`${name} must be an address or a host name, not "${value}".`);
};

const url: Read<string> = (value, name) => {
  const read = URL.parse(value);
  if (read === null || (read.protocol !== 'http:' && read.protocol !== 'https:') || read.hash !== '') {
    throw new ConfigProblem(
      `${name} must be an http or https address such as https://example.com, not "${value}".`,
    );
  }
  return value.replace(/\/+$/, '');
};

/** No path or query: the pages and the API live at the root. */
const origin: Read<string> = (value, name) => {
  const read = url(value, name);
  if (new URL(read).href === `${new URL(read).origin}/`) return read;
  throw new ConfigProblem(
    `${name} must be an address without a path such as https://example.com, not "${value}".`,
  );
};

function listed(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Rejects ranges that cover the whole address space. */
function ranges(whose: string): Read<string[]> {
  return (value, name) => {
    const entries = listed(value);
    for (const entry of entries) {
      const problem = allowListProblem(entry) ?? (isEveryAddress(entry) ? 'the whole address space' : null);
      if (problem !== null) {
        throw new ConfigProblem(
          `${name} must list addresses or CIDR ranges ${whose}: "${entry}" is ${problem}.`,
        );
      }
    }
    return entries;
  };
}

function isEveryAddress(range: string): boolean {
  const ranges = createAddressRanges([range]);
  const ends =
    range.includes(':') && !range.startsWith('::ffff:') ? ['::', 'ffff::'] : ['0.0.0.0', '255.255.255.255'];
  return ends.every((end) => ranges.include(end));
}

const databaseUrl: Read<string> = (value, name) => {
  try {
    readHostList(value);
  } catch (error) {
    throw new ConfigProblem(`${name} ${error instanceof Error ? error.message : error}.`);
  }
  return value;
};

const secretKey: Read<string> = (value, name) => {
  if (value.length >= secretKeyLengthMin) return value;
  throw new ConfigProblem(`${name} must have at least ${secretKeyLengthMin} characters.`);
};

const currency: Read<string> = (value, name) => {
  if (/^[A-Z]{3}$/.test(value)) return value;
  throw new ConfigProblem(`${name} must be three capital letters such as USD, not "${value}".`);
};

/** The URL contains a password, so messages must not repeat it. */
const valkeyUrl: Read<ValkeyAddress> = (value, name) => {
  const address = readValkeyUrl(value);
  if (address !== null) return address;
  throw new ConfigProblem(
    `${name} must look like redis://user:password@host:6379/0 or rediss://…. Percent-encode special characters in user and password, such as %40 for @.`,
  );
};

const username: Read<string> = (value, name) => {
  if (/^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$/.test(value)) return value;
  throw new ConfigProblem(`${name} must have 3 to 64 characters: a-z, 0-9, dot, underscore, hyphen.`);
};

const password: Read<string> = (value, name) => {
  if (value.length >= 12 && value.length <= 200) return value;
  throw new ConfigProblem(`${name} must have 12 to 200 characters.`);
};

const apiKey: Read<string> = (value, name) => {
  if (isApiKey(value, 'live')) return value;
  throw new ConfigProblem(`${name} is not an API key. Run "npx sellthrough mint-key" to make one.`);
};

const roles: Read<ReadonlySet<NamedRole>> = (value, name) =>
  new Set(
    listed(value).map((entry) => {
      const role = namedRoles.find((each) => each === entry);
      if (role !== undefined) return role;
      throw new ConfigProblem(`${name} must list roles from ${namedRoles.join(', ')}, not "${entry}".`);
    }),
  );

const cents: Read<bigint> = (value, name) => {
  const read = value.startsWith('-') ? null : parseAmount(value);
  if (read !== null) return read;
  throw new ConfigProblem(`${name} must be an amount such as 1000.00, not "${value}".`);
};

const lines: Read<string[]> = (value) =>
  value
    .split('|')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The URL contains a password, so messages must not repeat it. */
const smtpUrl: Read<SmtpServer> = (value, name) => {
  const server = readSmtpUrl(value);
  if (server !== null) return server;
  throw new ConfigProblem(
    `${name} must look like smtp://user:password@mail.example.com:587 or smtps://…:465. Percent-encode special characters in user and password, such as %40 for @.`,
  );
};

const mailFrom: Read<MailSenderName> = (value, name) => {
  const from = readMailFrom(value);
  if (from !== null) return from;
  throw new ConfigProblem(
    `${name} must be an address such as "Example Ltd <billing@example.com>", not "${value}".`,
  );
};

const listening = {
  HOST: setting({
    fallback: '127.0.0.1',
    meaning: 'The address to listen on. 0.0.0.0: every address of the machine.',
    read: host,
  }),
  PORT: setting({ fallback: '3000', meaning: 'The port to listen on.', read: whole(0, 65_535) }),
  PUBLIC_URL: setting({
    otherwise: 'http:// with HOST and PORT',
    meaning: 'The address in login links, without a path. With https cookies are Secure.',
    example: 'https://resell.example.com',
    read: origin,
  }),
  TRUST_PROXY: setting({
    otherwise: 'none',
    meaning: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted.',
    example: '127.0.0.1',
    read: ranges('of proxies'),
  }),
};

const storage = {
  DATABASE_URL: setting({
    otherwise: 'the embedded database',
    meaning:
      'PostgreSQL 15 or newer; any number of processes may share it. With several hosts (`host1:5432,host2:5432`) it uses the one that takes writes.',
    example: 'postgres://sellthrough:password@127.0.0.1:5432/sellthrough',
    isSecret: true,
    read: databaseUrl,
  }),
  DATA_DIR: setting({
    fallback: './data',
    meaning: 'The folder of the embedded database; on a local disk.',
    read: text,
  }),
  SECRET_KEY: setting({
    otherwise: 'generated into DATA_DIR/secret.key; required with DATABASE_URL',
    meaning:
      'Seals the stored API keys and TOTP secrets: at least 32 characters, the same for all processes. Keep a copy apart from the backups: without it the stored keys cannot be opened.',
    isSecret: true,
    isVerbatim: true,
    read: secretKey,
  }),
  SECRET_KEY_PREVIOUS: setting({
    otherwise: 'none',
    meaning: 'The old key, while SECRET_KEY is being replaced: it still decrypts older texts.',
    isSecret: true,
    isVerbatim: true,
    read: secretKey,
  }),
  CURRENCY: setting({
    fallback: 'USD',
    meaning: 'A currency with two decimals. It is fixed when the database is created.',
    read: currency,
  }),
  ALLOW_UNSAFE_DATABASE: setting({
    fallback: '0',
    meaning: '1: start even if the server has fsync, full_page_writes or synchronous_commit off.',
    read: flag,
  }),
  ACCOUNT_GROUPS: setting({
    otherwise: 'what the database has; a new one has 1',
    meaning:
      'The number of account groups of a new PostgreSQL database (docs/growing.md), at most 64. A database with another number is refused.',
    read: whole(1, accountGroupsMax),
  }),
};

const sharing = {
  VALKEY_URL: setting({
    otherwise: 'each process counts for itself',
    meaning:
      'Valkey or Redis, for limits shared by all processes: redis://, or rediss:// over TLS. It needs maxmemory-policy noeviction and its own database number.',
    example: 'redis://:password@127.0.0.1:6379/0',
    isSecret: true,
    read: valkeyUrl,
  }),
};

const firstAdministrator = {
  ADMIN_USERNAME: setting({ fallback: 'admin', meaning: 'The name to sign in with.', read: username }),
  ADMIN_PASSWORD: setting({
    otherwise: 'generated; shown once on a terminal, otherwise written to a file',
    meaning:
      'The password of the first sign-in, which asks for a new one. 12 to 200 characters, no common password, and without the name.',
    isSecret: true,
    isVerbatim: true,
    read: password,
  }),
  ADMIN_API_KEY: setting({
    otherwise: 'generated; shown once on a terminal, otherwise written to a file',
    meaning: 'The key for the administrator’s API; "sellthrough mint-key" makes one.',
    isSecret: true,
    read: apiKey,
  }),
  DEMO: setting({
    fallback: '0',
    meaning:
      '1: on an empty database, add packages, payments that move no money, and the reseller "demo" with credit. "npm start" does this if only this machine can reach HOST.',
    read: flag,
  }),
};

const people = {
  SECOND_FACTOR_ROLES: setting({
    otherwise: 'none',
    meaning:
      'Roles that need a second factor. Without one, people with such a role can only set it up, and cannot turn it off. account:owner, account:staff, account:viewer; of your own people operator:owner, operator:finance, operator:support, operator:viewer.',
    example: 'operator:owner,operator:finance',
    read: roles,
  }),
  CREDIT_CONFIRM_ABOVE: setting({
    fallback: '1000.00',
    meaning:
      'The console asks for the password when one person credits and debits more than this in an hour. Signs are ignored.',
    read: cents,
  }),
};

const loginLinks = {
  LOGIN_LINK_MINUTES: setting({
    fallback: '15',
    meaning: 'How long a login link works, in minutes.',
    read: whole(1, 1_440),
  }),
  PRODUCT_URL: setting({
    otherwise: 'the customer’s page of this service',
    meaning:
      'Where a login link leads, with a one-time ?code=. The final address: browsers refuse a redirect from there to another origin.',
    example: 'https://product.example.com/welcome',
    read: url,
  }),
  STATEMENT_ISSUER: setting({
    otherwise: 'no name or address',
    meaning: 'Your name and address on statements as PDF; "|" starts a new line.',
    example: 'Example Ltd | 1 High Street | Dublin',
    read: lines,
  }),
};

const mail = {
  SMTP_URL: setting({
    otherwise: 'no mail is sent',
    meaning:
      'Your mail server: smtp:// requires STARTTLS, smtps:// starts with TLS. "?tls=optional" for a relay in your own network.',
    example: 'smtp://billing%40example.com:password@mail.example.com:587',
    isSecret: true,
    read: smtpUrl,
  }),
  MAIL_FROM: setting({
    otherwise: 'the user of SMTP_URL, if it is an address',
    meaning: 'The sender of mails. Without a name, the first line of STATEMENT_ISSUER or "Sellthrough".',
    example: 'Example Ltd <billing@example.com>',
    read: mailFrom,
  }),
};

const plans = {
  CANCEL_REFUND: setting({
    fallback: 'unused',
    meaning:
      'The refund for a plan that is canceled at once: "unused" is what is left of the paid terms; or "none".',
    read: oneOf(cancelRefunds),
  }),
};

const testMode = {
  TEST_ROWS_MAX: setting({
    fallback: '100000',
    meaning:
      'How many rows a test account holds (orders, customers, ledger entries, events …), 1,000 to 10,000,000, and 1 KiB of data for each of them. All test accounts together hold fifty times that; on the embedded database at most a tenth of the disk.',
    read: whole(1_000, 10_000_000),
  }),
};

const outbound = {
  OUTBOUND_ALLOW: setting({
    otherwise: 'none',
    meaning:
      'Private addresses or CIDR ranges of your own that webhooks and product calls may reach, also by plain http and on any port.',
    example: '10.20.0.0/16',
    read: ranges('of your own'),
  }),
  STRIPE_API_BASE: setting({
    otherwise: 'Stripe’s own address',
    meaning: 'Where Stripe is called, for tests with another server.',
    example: 'http://127.0.0.1:4242',
    read: origin,
  }),
};

const logs = {
  LOG_LEVEL: setting({
    fallback: 'info',
    meaning: 'fatal, error, warn, info, debug, trace or silent.',
    read: oneOf(logLevels),
  }),
  LOG_REQUESTS: setting({
    otherwise: '1; 0 if standard output is a terminal',
    meaning: '1: one line for each request, at level info. 0: none.',
    read: flag,
  }),
};

const settings = {
  ...listening,
  ...storage,
  ...sharing,
  ...firstAdministrator,
  ...people,
  ...loginLinks,
  ...mail,
  ...plans,
  ...testMode,
  ...outbound,
  ...logs,
};

export type SettingValues = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['valueIn']>;
};

/** @throws ConfigProblem for the first invalid value */
export function readSettings(environment: Environment): SettingValues {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { valueIn }]) => [name, valueIn(environment, name)]),
  ) as SettingValues;
}

export const configurationChapters: readonly ConfigurationChapter[] = [
  { title: 'Where the service listens', variables: named(listening) },
  { title: 'The database', variables: named(storage) },
  { title: 'Several processes', variables: named(sharing) },
  { title: 'The first administrator, ignored once one exists', variables: named(firstAdministrator) },
  { title: 'People who sign in', variables: named(people) },
  { title: 'Login links', variables: named(loginLinks) },
  { title: 'Mail', variables: named(mail) },
  { title: 'Plans', variables: named(plans) },
  { title: 'Test mode', variables: named(testMode) },
  { title: 'Calls to other servers', variables: named(outbound) },
  { title: 'Logs', variables: named(logs) },
];

function named(chapter: Readonly<Record<string, Setting<unknown>>>): ConfigurationVariable[] {
  return Object.entries(chapter).map(([name, { valueIn: _, ...said }]) => ({ name, ...said }));
}

export const clientVariables: readonly ConfigurationVariable[] = [
  {
    name: 'SELLTHROUGH_URL',
    otherwise: 'the service of this folder, from HOST and PORT',
    meaning: 'The address of the service that commands call.',
    example: 'https://resell.example.com',
  },
  {
    name: 'SELLTHROUGH_KEY',
    otherwise: 'ADMIN_API_KEY',
    meaning: 'The key that commands use: an administrator’s, or a reseller’s for its own orders.',
    isSecret: true,
  },
];
