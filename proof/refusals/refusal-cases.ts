// The corpus's requests: for each operation, on each surface, the valid request and its variations by schema. Deterministic.

import { bodies, currentPassword } from './refusal-bodies.ts';
import type { CaseLine } from './refusal-corpus.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
}

export interface DocumentOfOperations {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly parameters?: readonly Parameter[];
            readonly requestBody?: {
              readonly content: { readonly 'application/json': { readonly schema: Schema } };
            };
          }
        >
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Lines for all operations. Those of the API come again with a panel session, with fewer cases. */
export function operationLines(
  apiDocument: DocumentOfOperations,
  panelDocument: DocumentOfOperations,
): readonly CaseLine[] {
  const api = operationsIn(apiDocument);
  const panel = operationsIn(panelDocument);
  const inPanel = api
    .filter(({ path }) => !path.startsWith('/api/product/'))
    .map((operation) => ({ ...operation, path: `/panel${operation.path}` }));
  const lines = [
    ...[...api, ...panel].map((operation) => lineOf(operation, surfaceOf(operation.path), false)),
    ...inPanel.map((operation) => lineOf(operation, surfaceOf(operation.path), true)),
  ];
  const isCostly = ({ name }: CaseLine) => costly.some((each) => name.endsWith(` ${each}`));
  return [...lines.filter(isCostly), ...lines.filter((line) => !isCostly(line))];
}

interface Surface {
  readonly name: string;
  readonly as: string;
  readonly others: readonly string[];
  readonly isPanel: boolean;
}

const badKeys = ['nobody', 'basic', 'empty bearer', 'unknown key', 'revoked key', 'expired key'];
const refusedKeys = [
  ...badKeys,
  'blocked key',
  'key without api',
  'key of elsewhere',
  'key of an account elsewhere',
];
const badSessions = ['nobody in the panel', 'nobody', 'made-up session', 'odd cookie', 'ended session'];
const refusedSessions = [...badSessions, 'removed session', 'blocked session', 'first session', 'owner key'];
const views = ['operator viewing', 'operator who looks elsewhere'];
const operatorRoles = ['operator viewer session', 'operator support session', 'operator finance session'];

function surfaceOf(path: string): Surface {
  if (path.startsWith('/api/v1')) {
    const others = [
      ...refusedKeys,
      'key for balances',
      'key for packages',
      'other owner key',
      'owner session',
    ];
    if (path.startsWith('/api/v1/test/'))
      return { name: 'v1', as: 'test key', others: [...others, 'owner key'], isPanel: false };
    return { name: 'v1', as: 'owner key', others: [...others, 'account test key'], isPanel: false };
  }
  if (path.startsWith('/api/')) {
    const isProduct = path.startsWith('/api/product/');
    const others = [
      ...refusedKeys,
      ...['owner key', 'account test key', 'operator key for reads', 'operator key for balances'],
      ...[isProduct ? 'operator key' : 'product key', 'operator test key', 'operator session'],
    ];
    const as = isProduct ? 'product key' : 'operator key';
    return { name: isProduct ? 'product' : 'admin', as, others, isPanel: false };
  }
  const others = [...refusedSessions, 'viewer session', 'staff session', ...operatorRoles];
  if (path.startsWith('/panel/api/admin/')) {
    const name = path.startsWith('/panel/api/admin/v1') ? 'admin in the panel' : 'console';
    return { name, as: 'operator session', others: [...others, 'owner session', ...views], isPanel: true };
  }
  const name = path.startsWith('/panel/api/v1') ? 'v1 in the panel' : 'panel';
  const all = [...others, 'operator session', ...views];
  if (/^\/panel\/api\/(?:sign-in|brand|sign-out|password-reset)/.test(path))
    return { name: 'login', as: 'nobody in the panel', others: [...all, 'owner session'], isPanel: true };
  const isOfCodes = /\/totp\/(?:confirm|disable)$/.test(path);
  return {
    name,
    as: 'owner session',
    others: isOfCodes ? [...all, 'session with codes'] : all,
    isPanel: true,
  };
}

const endsSessions = ['signOut', 'changePassword'];

function isSharedSession(who: string): boolean {
  return /^(?:first|blocked|viewer|staff|operator (?:viewer|support|finance)) session$/.test(who);
}

/** These operations read all ledgers, so they run first, while the ledgers are short. */
const costly = ['verify', 'getServiceOverview'];

function lineOf(operation: Operation, surface: Surface, isSecond: boolean): CaseLine {
  const { id, method, parameters } = operation;
  const needed = parameters.filter((each) => each.in === 'query' && each.required === true);
  const query = needed.map(({ name, schema }) => `${name}=${neededValue(name, schema)}`).join('&');
  const path = fillPath(operation) + (query === '' ? '' : `?${query}`);
  const isConfirmed = isSecond && surface.name === 'admin in the panel' && method !== 'GET';
  const own = bodies[id];
  if (operation.body !== null && own === undefined)
    throw new Error(`${id} has no body in refusal-bodies.ts.`);
  const body = isConfirmed ? { ...own, ...currentPassword } : own;
  const headers: Record<string, string> = {};
  const cases = [
    'plain',
    ...surface.others
      .filter((who) => !(endsSessions.includes(id) && isSharedSession(who)))
      .map((who) => `as ${who}`),
    ...otherMethods(operation, isSecond),
    ...(surface.isPanel ? originCases.slice(0, method === 'GET' ? 1 : 4) : []),
    ...pathCases(operation, isSecond),
    ...queryCases(parameters, isSecond),
    ...(parameters.some((each) => each.in === 'header') ? keyCases(operation.body) : []),
    ...(method === 'GET' ? [] : textCases(operation.body, isSecond)),
    ...(operation.body === null ? [] : fieldCases(operation.body, '', isSecond)),
    ...(isConfirmed
      ? ['drop current_password', 'set current_password="wrong"', 'set current_password=7']
      : []),
  ];
  return {
    name: `${surface.name} ${id}`,
    request: { method, path, as: surface.as, headers, ...(body === undefined ? {} : { body }) },
    cases: [...new Set(cases)],
  };
}

function neededValue(name: string, { default: otherwise }: Schema & { readonly default?: unknown }): string {
  if (name === 'from') return '2027-01-01T00:00:00Z';
  return String(otherwise ?? (name === 'limit' ? 25 : 'a'));
}

function fillPath({ path, method }: Operation): string {
  const isOperators = path.includes('/admin/');
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/\/orders\/\{id\}\/(?:accept|fail)$/, '{pending}'],
    [/\/orders\//, '{order}'],
    [/\/customers\//, '{customer}'],
    [/\/webhooks\//, isOperators ? '{operator webhook}' : '{webhook}'],
    [/\/accounts\//, '{account}'],
    [/\/packages\//, method === 'GET' ? '{basic}' : '{package}'],
    [/\/events\//, '{event}'],
    [/\/product-calls\//, '{call}'],
    [/\/sessions\//, '{session id}'],
    [/\/ledger\//, '{entry}'],
  ];
  const id = kinds.find(([pattern]) => pattern.test(path))?.[1] ?? '{account}';
  return path
    .replace('{id}', id)
    .replace('{key_id}', '{key}')
    .replace('{person_id}', '{person}')
    .replace('{event_id}', '{event}')
    .replace('{number}', '1')
    .replace('{code}', 'not_found')
    .replace('{month}', '2026-01')
    .replace('/limits/{key}', '/limits/seats');
}

function otherMethods({ method }: Operation, isShort: boolean): readonly string[] {
  return ['PUT', 'DELETE', 'POST', 'GET', 'HEAD', ...(isShort ? [] : ['OPTIONS', 'PATCH'])]
    .filter((each) => each !== method)
    .map((each) => `method ${each} && no body`);
}

const originCases = [
  'header sec-fetch-site=cross-site',
  'header sec-fetch-site=same-site',
  'header sec-fetch-site= && header origin=https://elsewhere.example',
  'header sec-fetch-site= && header origin=null',
];

function pathCases(operation: Operation, isShort: boolean): readonly string[] {
  const filled = fillPath(operation);
  const names = [...filled.matchAll(/\{[a-z ]+\}/g)].map(([name]) => name);
  const values = [
    '0',
    'abc',
    '%00',
    '9007199254740993',
    '999999000000001',
    '999999',
    '01',
    '-1',
    '1.5',
    '%zz',
  ];
  const foreign = [
    'order',
    'customer',
    'webhook',
    'event',
    'key',
    'person',
    'entry',
    'pending',
    'call',
    'session id',
  ];
  const ofNames = names.flatMap((name) => [
    ...(isShort ? values.slice(0, 6) : values).map((value) => `path ${name}=${value}`),
    ...(foreign.includes(name.slice(1, -1)) ? [`path ${name}={other ${name.slice(1)}`] : []),
  ]);
  const word = /2026-01|not_found|\/1$/.exec(filled)?.[0];
  if (word === undefined) return ofNames;
  const slash = word.startsWith('/') ? '/' : '';
  const words = ['0', 'abc', '2026-13', '2026-1', '1999-01', '%00', '999999'];
  return [...ofNames, ...words.map((each) => `path ${word}=${slash}${each}`)];
}

function queryCases(parameters: readonly Parameter[], isShort: boolean): readonly string[] {
  const own = parameters.filter((each) => each.in === 'query');
  const needed = own.filter(({ required }) => required === true);
  const cases = own.flatMap(({ name, schema }) => {
    // A valid value would really wait for an event.
    const values = name === 'wait' ? ['abc', '-1', ''] : oddQueryValues(schema);
    const others = needed
      .filter((each) => each.name !== name)
      .map((each) => `&${each.name}=${neededValue(each.name, each.schema)}`)
      .join('');
    return [
      ...(isShort ? values.slice(0, 3) : values).map((value) => `query ${name}=${value}${others}`),
      `query ${name}=${values[0]}&${name}=${values[1]}${others}`,
    ];
  });
  if (own.length === 0) return [];
  return [...cases, 'query surprise=1', 'query __proto__=1', ...(needed.length > 0 ? ['query '] : [])];
}

function oddQueryValues(schema: Schema): readonly string[] {
  const { type, maximum, maxLength, enum: words, pattern, format } = schema;
  const common = ['', '%00', '%ED%A0%80'];
  if (type === 'integer') {
    const over = maximum === undefined || maximum > 1e9 ? '9007199254740993' : String(maximum + 1);
    return ['abc', '0', '-1', '1.5', '01', over, ...common];
  }
  if (type === 'boolean') return ['maybe', '1', ...common];
  const long = maxLength !== undefined && maxLength < 5_000 ? [`«x*${maxLength + 1}»`] : [];
  const isLimited = words !== undefined || pattern !== undefined || format !== undefined;
  return [isLimited ? 'nothing' : 'x', '2026-13-45', ...long, ...common];
}

function keyCases(body: Schema | null): readonly string[] {
  const values = ['', 'a b', '«x*81»', 'cl\u00e9', '"{fresh}"'];
  const own = values.map((value) => `header idempotency-key=${value}`);
  const inBody = body?.properties?.['idempotency_key'] !== undefined;
  return inBody ? [...own, 'header idempotency-key=one && set idempotency_key="two"'] : own;
}

function textCases(body: Schema | null, isShort: boolean): readonly string[] {
  const texts = ['', '[]', 'null', '7', '"a"', 'a=b', '{', '{}{}', '\ufeff{}', '\u0000'];
  if (!isShort) texts.push('«[*30000»1«]*30000»');
  const isPicture = body?.properties?.['data'] !== undefined;
  const large = ['text {"a":"«x*70000»"}', ...(isPicture ? ['text «x*400000»'] : [])];
  const odd = [
    'header content-encoding=gzip',
    ...(isShort ? [] : ['header content-type=multipart/form-data']),
  ];
  // Where no body is expected, a valid one changes nothing.
  if (body === null) return ['text [', 'text null', ...large];
  return [...texts.map((text) => `text ${text}`), 'no body', 'text {}', ...large, ...odd, 'set surprise=1'];
}

function fieldCases(schema: Schema, prefix: string, isShort: boolean): readonly string[] {
  const objects = [schema, ...(schema.anyOf ?? [])].filter(({ properties }) => properties !== undefined);
  return objects.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, field]) => {
      const at = prefix === '' ? name : `${prefix}.${name}`;
      const values = oddValues(field);
      const own = [...(isShort ? values.slice(0, 4) : values).map((value) => `set ${at}=${value}`)];
      if (!isShort) own.push(`drop ${at}`, `twice ${at}`);
      const deeper = field.items?.properties !== undefined || field.items?.anyOf !== undefined;
      const inner = deeper && field.items !== undefined ? fieldCases(field.items, `${at}.0`, isShort) : [];
      const ofObject = field.properties === undefined ? [] : fieldCases(field, at, true);
      return [...own, ...ofObject, ...inner];
    }),
  );
}

/** The most revealing values first. */
function oddValues(schema: Schema): readonly string[] {
  const kinds = schema.anyOf ?? [schema];
  const has = (type: string) => kinds.some((each) => each.type === type);
  const [first] = kinds;
  const values: string[] = [];
  if (has('object')) values.push('null', '[]', '"a"', '{"surprise":1}');
  else if (has('array')) {
    const { maxItems = 0, items = {} } = first ?? {};
    values.push('null', '"a"', '[null]', '[7]', '{}', '[]', '["\\u0000"]', '["nothing"]', '[[]]');
    const item = items.type === 'integer' ? '1,' : '"a",';
    if (maxItems > 0) values.push(`[«${item}*${maxItems}»${item.slice(0, -1)}]`);
  } else if (has('boolean')) values.push('null', '"true"', '1', '{}');
  else if (has('integer')) {
    const { minimum = 1, maximum = 2 ** 53 } = kinds.find(({ type }) => type === 'integer') ?? {};
    values.push('null', '"1"', '1.5', String(minimum - 1), String(maximum + 1), '1e400', 'true', '[]');
    values.push('9007199254740993', '2');
  } else {
    values.push('null', '7', '""', '"a\\u0000b"', '"\\ud800"', '" "', '[]', '{}', 'true');
    const longest = kinds.find(({ maxLength }) => maxLength !== undefined)?.maxLength;
    if (longest !== undefined && longest < 60_000) values.push(`"«x*${longest + 1}»"`);
    const isLimited = kinds.some((each) => each.enum ?? each.pattern ?? each.format);
    if (isLimited) values.push('"nothing"', '"?!"', '"-1"', '"1.005"', '"http://a.example"');
    values.push('"a\\nb"', '"\\u202e"');
  }
  return values.filter((text) => !kinds.some((kind) => isMeant(kind, text)));
}

/** A text that matches the pattern is valid, and may be an existing name. */
function isMeant({ pattern }: Schema, text: string): boolean {
  if (pattern === undefined || !text.startsWith('"') || text.includes('«')) return false;
  return text.length > 2 && new RegExp(pattern).test(JSON.parse(text)) && pattern.startsWith('^');
}

function operationsIn({ paths, components }: DocumentOfOperations): readonly Operation[] {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value && typeof value.$ref === 'string')
      return resolve(components.schemas[value.$ref.replace('#/components/schemas/', '')]);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  return Object.entries(paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([method, { operationId, parameters = [], requestBody }]): Operation => {
      const body = resolve(requestBody?.content['application/json'].schema ?? null) as Schema | null;
      const named = resolve(parameters) as readonly Parameter[];
      return { id: operationId, method: method.toUpperCase(), path, parameters: named, body };
    }),
  );
}
