// Writes the table of log events into docs/log-events.md, between two marks, from the logger calls in src. Refuses calls
// whose event is not a constant string or whose fields are not literal.

import { globSync, readFileSync } from 'node:fs';

interface LogEvent {
  readonly event: string;
  readonly level: string;
  readonly fields: readonly string[];
}

/** Explains events whose name does not say what happened or what to do. */
const meanings: Readonly<Record<string, string>> = {
  'account groups changed':
    'The accounts were divided into groups while this process ran. `/readyz` answers 503: restart the process.',
  'api key index load failed':
    'The list of existing keys could not be read. The process tries again; until then it looks up unknown keys in the database.',
  'batch broken':
    'A transaction with several orders was rolled back; its orders are run again one by one. `orders`: how many.',
  'brand reload failed': 'This process keeps showing the old name, logo and color.',
  'change listener lost':
    'The connection that announces changes is gone. Until it is back, accounts are read from the database for every request.',
  'control command failed': 'A backup or reseal failed. The service runs on the embedded database.',
  'control socket unavailable':
    'There is no socket in DATA_DIR: `sellthrough backup` and `reseal` need the service to be stopped.',
  'customer erased':
    'Keep these lines: `restore --erasures` reads them and erases the customers again ([after a restore](operations.md#after-a-restore)).',
  'forwarded headers ignored':
    'A request from `peer` had forwarded headers, but TRUST_PROXY does not name `peer`. If it is your proxy, add it. Logged once for each process.',
  'job failed': 'A run of background work failed; it is tried again. `job`: its kind.',
  'job schedule read failed':
    'The list of background work that is due could not be read. The process tries again.',
  'mail given up': 'A mail will not be sent. `mail`: its kind and the reason ([mail](mail.md)).',
  'migration running': 'A migration is taking a long time. Repeated while it runs.',
  'migration waiting': 'Another process, `holder`, is changing the schema. Repeated while this one waits.',
  'package reload failed':
    'This process keeps the old packages and prices until the next change or its restart.',
  'page failed': 'A page was answered with 500 because of a fault of the service.',
  'page rejected': 'A page was answered with 503. `reason` says why.',
  'password link failed': 'A link to set a new password could not be made or queued as mail.',
  'password rehash failed':
    'The stored hash of a password could not be replaced by a stronger one. The sign-in succeeded; the next one tries again.',
  'product call handling failed':
    'A call of your product could not be prepared, read, or settled with the answer. It is tried again.',
  'repeated erasure failed':
    'A customer who was erased after the restored backup could not be erased again at the start. The job `erasures` tries again.',
  request: 'One line for each request. `code`, `account` and `viewed_account` only where there is one.',
  'request failed': 'A request was answered with 500 because of a fault of the service.',
  'request rejected':
    'A request was answered with 503: the database is away or the queue is full. `reason` says which.',
  'retention settings reload failed':
    'This process shows requests as far back as before the change. Jobs delete by the new settings all the same.',
  'schema migrated': '`migrated`: the migrations that this start ran.',
  'shared limits lost':
    'The server of VALKEY_URL is away. This process counts requests and failed sign-ins for itself.',
  'shared limits restored': 'The server of VALKEY_URL is back: limits are counted over all processes again.',
  'sign-in audit entry failed': 'A refused sign-in is missing from the audit log.',
  'statistics refresh failed':
    'PostgreSQL plans queries with old statistics until autovacuum refreshes them.',
  'undeclared error code sent':
    'A fault of the service: the route answered with an error code that its documentation does not list.',
  'verification not recorded':
    'A verification ended, but the console will not list it, because it could not be stored.',
  'webhook secret unsealing failed':
    'The secret of this endpoint was sealed under another SECRET_KEY. Its events wait.',
};

const marks = /(<!-- log events: begin -->\n)[\s\S]*?(<!-- log events: end -->)/;

export function withLogEvents(page: string): string {
  if (!marks.test(page)) throw new Error('docs/log-events.md has no marks for the log events.');
  return page.replace(marks, (_whole, begin: string, end: string) => `${begin}\n${table()}\n\n${end}`);
}

function table(): string {
  const root = new URL('../../', import.meta.url);
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
  const events = globSync('src/**/*.ts', { cwd: root })
    .flatMap((path) => eventsIn(path, read(path)))
    .concat(requestEvent(accessLog, read(accessLog)))
    .sort((one, other) => (one.event < other.event ? -1 : 1));
  const names = new Set(events.map(({ event }) => event));
  if (names.size < events.length)
    throw new Error('Two log calls share an event: give each a name of its own.');
  const unused = Object.keys(meanings).filter((event) => !names.has(event));
  if (unused.length > 0) throw new Error(`No log call has the event ${unused.join(', ')}.`);
  return [
    '| Event | Level | Fields | Meaning |',
    '|---|---|---|---|',
    ...events.map(({ event, level, fields }) => {
      const named = fields.map((field) => `\`${field}\``).join(', ');
      return `| \`${event}\` | ${level} | ${named} | ${meanings[event] ?? ''} |`;
    }),
  ].join('\n');
}

const accessLog = 'src/platform/http/access-log.ts';
const levels = 'trace|debug|info|warn|error|fatal';
const anyCall = new RegExp(`\\b(?:log|logger)(?:\\?\\.|\\.|\\[)(?:${levels}|[^\\]]*\\]\\()\\b`, 'g');
const eventCall = new RegExp(
  `\\b(?:log|logger)\\.(?<level>${levels})\\(\\s*(?:\\{(?<fields>[^{}]*)\\},\\s*)?(?:'(?<text>[^']*)'|(?<constant>\\w+)),?\\s*\\)`,
  'g',
);
/** The framework logs fields and event in one object. */
const eventObject = /\{(?<fields>[^{}]*), msg: '(?<text>[^']*)' \}/g;

function eventsIn(path: string, source: string): LogEvent[] {
  const calls = [...source.matchAll(eventCall)];
  if (calls.length !== (source.match(anyCall)?.length ?? 0)) {
    throw new Error(`${path}: a log call must be log.<level>({ named fields }, 'constant event').`);
  }
  return [...calls, ...source.matchAll(eventObject)].map(({ groups: parts = {} }) => {
    const { level = 'info', fields = '', text, constant } = parts as Record<string, string | undefined>;
    const event = text ?? new RegExp(`const ${constant} = '(.*)'`).exec(source)?.[1] ?? '';
    if (!/^[a-z][a-z -]+$/.test(event)) throw new Error(`${path}: "${event}" is no name of a log event.`);
    return { event, level, fields: fields.split(',').flatMap((field) => /[\w.]+/.exec(field)?.[0] ?? []) };
  });
}

function requestEvent(path: string, source: string): LogEvent {
  const fields = new Set([...source.matchAll(/"(\w+)":/g)].map(([, field = '']) => field));
  for (const ofEvery of ['level', 'time', 'service', 'msg']) {
    if (!fields.delete(ofEvery)) throw new Error(`${path}: the line has no "${ofEvery}".`);
  }
  return { event: 'request', level: 'info', fields: [...fields] };
}
