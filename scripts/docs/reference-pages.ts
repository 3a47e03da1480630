// docs/reference/*.md, made from openapi.json and from a run of the story (api-story.ts): each operation with its
// request, its answer as a service really gave it, all its errors, and samples in four languages. Called by
// generate.ts; test/service/generated-files.test.ts compares the committed pages with it.

import assert from 'node:assert/strict';
import { keyDoorCodes } from '../../src/api/doors/key-door.ts';
import { type ErrorCode, errorCatalogue } from '../../src/contract/error-catalogue.ts';
import { statusOf } from '../../src/http/errors.ts';
import { documentedCodes } from '../../src/http/openapi.ts';
import { adminStory, loginCode, resellerStory, type Step, type StoryWorld } from './api-story.ts';
import type { Schema } from './openapi-schema.ts';
import { type SampleRequest, samplesOf } from './request-samples.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly content?: { readonly 'application/json': { readonly schema: Schema } };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content & { readonly description?: string }>>;
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Of a story that was told: the step as a request, and what the service answered. */
interface ToldStep {
  readonly request: SampleRequest;
  readonly status: number;
  readonly body: unknown;
}

const referencePages = [
  {
    file: 'reseller-api',
    title: 'Reseller API',
    intro:
      'What a reseller or distributor can do: see balance and packages, order, renew, and look at orders and customers.',
    operations: resellerStory.map(({ operationId }) => operationId),
    objects: ['Balance', 'Package', 'Order', 'Customer'],
  },
  {
    file: 'admin-accounts',
    title: 'Administrator’s API: accounts',
    intro:
      'Accounts of resellers and distributors: their settings, credit, keys, and what they have done. The key must be an administrator’s.',
    operations: [
      'createAccount',
      'listAccounts',
      'getAccount',
      'changeAccount',
      'creditAccount',
      'resetApiKey',
      'grantTrial',
      'listAccountLedger',
      'listAccountOrders',
      'listAccountCustomers',
    ],
    objects: ['Account', 'LedgerEntry'],
  },
  {
    file: 'admin-packages',
    title: 'Administrator’s API: packages',
    intro: 'Packages and their prices for each group and period. The key must be an administrator’s.',
    operations: ['listAllPackages', 'createPackage', 'getPackage', 'changePackage'],
    objects: ['AdminPackage'],
  },
  {
    file: 'admin-records',
    title: 'Administrator’s API: records',
    intro:
      'Customers of every account, the audit log, the check of the books, and one-time login codes. The key must be an administrator’s.',
    operations: ['changeCustomer', 'exchangeLoginCode', 'listAudit', 'verify'],
    objects: ['AuditEntry', 'VerifyReport'],
  },
] as const;

/** Tells the story on `world` and returns the pages by their path. */
export async function makeReferencePages(
  document: OpenapiDocument,
  world: StoryWorld,
): Promise<Readonly<Record<string, string>>> {
  const places = operationsOf(document);
  const told = await tellStory(places, world);
  const described = referencePages.flatMap(({ operations }) => operations as readonly string[]);
  assert.deepEqual([...described].sort(), [...places.keys()].sort(), 'every operation stands on one page');
  return Object.fromEntries(
    referencePages.map((page) => {
      const parts = [
        `# ${page.title}`,
        `${page.intro} ${pageNote}`,
        ...page.operations.map((operationId) =>
          operationText(required(places, operationId), required(told, operationId), page.file),
        ),
        '## Objects',
        ...page.objects.flatMap((name) => [
          `### ${name}`,
          fieldTable(document.components.schemas[name] ?? {}, page.file),
        ]),
      ];
      return [`docs/reference/${page.file}.md`, `${parts.join('\n\n')}\n`];
    }),
  );
}

const pageNote =
  'Address, authentication, headers and pages of lists: [conventions](conventions.md). Made by `npm run generate` from the routes’ own schemas; the answers shown are a service’s, and a test runs every sample.';

/** By operationId. */
export function operationsOf(document: OpenapiDocument): ReadonlyMap<string, Place> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Place] => [
        operation.operationId,
        { method: method.toUpperCase(), path, operation },
      ]),
    ),
  );
}

async function tellStory(
  places: ReadonlyMap<string, Place>,
  world: StoryWorld,
): Promise<ReadonlyMap<string, ToldStep>> {
  const told = new Map<string, ToldStep>();
  for (const [story, key] of [
    [resellerStory, world.resellerKey],
    [adminStory, world.adminKey],
  ] as const) {
    for (const step of story) {
      const { method, path } = required(places, step.operationId);
      const isAdmin = story === adminStory;
      const request = { ...step, method, path: path.replace('{id}', String(step.id)), isAdmin };
      const environment = await world.environmentOf(step);
      const query = new URLSearchParams(
        Object.entries(step.query ?? {}).map(([name, value]) => [name, String(value)]),
      );
      const answer = await fetch(`${world.service.address}${request.path}?${query}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(step.idempotencyKey === undefined ? {} : { 'idempotency-key': step.idempotencyKey }),
        },
        ...(step.body === undefined ? {} : { body: bodyText(step, environment) }),
      });
      told.set(step.operationId, { request, status: answer.status, body: await answer.json() });
    }
  }
  return told;
}

function bodyText({ body }: Step, environment: Readonly<Record<string, string>>): string {
  return JSON.stringify(body, (_name, value) =>
    value === loginCode ? environment[loginCode.environment] : value,
  );
}

// ---- one operation

function operationText({ method, path, operation }: Place, told: ToldStep, file: string): string {
  const [status = '', answer] =
    Object.entries(operation.responses).find(([each]) => each.startsWith('2')) ?? [];
  assert.equal(told.status, Number(status), `${operation.operationId}: ${JSON.stringify(told.body)}`);
  const schema = answer?.content?.['application/json'].schema ?? {};
  const parts = [
    `## ${operation.summary}`,
    `\`${method} ${path}\``,
    ...(operation.description === undefined ? [] : [operation.description]),
    samplesText(told.request),
    ...requestText(operation, file),
    `### Answer: ${status}`,
    ...(schema.$ref === undefined ? [fieldTable(schema, file)] : [`${typeText(schema, file)}.`]),
    ['```json', JSON.stringify(withoutSecrets(told.body), null, 2), '```'].join('\n'),
    '### Errors',
    errorText(operation, path.startsWith('/api/admin/')),
  ];
  return parts.join('\n\n');
}

function samplesText(request: SampleRequest): string {
  return samplesOf(request)
    .map(
      ({ title, language, code }) =>
        `<details>\n<summary>${title}</summary>\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n</details>\n`,
    )
    .join('')
    .trimEnd();
}

function requestText({ parameters = [], requestBody }: Operation, file: string): string[] {
  const sent = ['path', 'query', 'header'].flatMap((where) => parameters.filter((each) => each.in === where));
  const body = requestBody?.content?.['application/json'].schema;
  if (sent.length === 0 && body === undefined) return [];
  const rows = sent.map(({ name, in: where, required: isRequired, description = '', schema }) =>
    row([
      `\`${where === 'header' ? 'Idempotency-Key' : name}\``,
      where,
      typeText(schema, file),
      [isRequired === true && where !== 'path' ? 'Required.' : '', description, ruleText(schema)]
        .filter((part) => part !== '')
        .join(' '),
    ]),
  );
  const fields = body === undefined ? [] : fieldRows(body, file, '', true, 'body');
  const parts = ['### Request'];
  if (rows.length + fields.length > 0)
    parts.push([row(['Name', 'In', 'Type', 'Rules']), '|---|---|---|---|', ...rows, ...fields].join('\n'));
  if (requestBody?.required === false) parts.push('The body may be absent.');
  return parts;
}

function errorText(operation: Operation, isAdminApi: boolean): string {
  const own = documentedCodes(operation).filter((code) => !keyDoorCodes.includes(code));
  const line = (code: ErrorCode) =>
    row([
      String(statusOf(code, isAdminApi)),
      `\`${code}\``,
      errorCatalogue[code].message.replaceAll('<', '&lt;'),
    ]);
  const sorted = [...own].sort((a, b) => statusOf(a, isAdminApi) - statusOf(b, isAdminApi));
  const table =
    own.length === 0
      ? []
      : [[row(['Status', 'Code', 'Message']), '|---|---|---|', ...sorted.map(line)].join('\n')];
  const common = keyDoorCodes.map((code) => `\`${code}\``).join(', ');
  return [
    ...table,
    `${own.length === 0 ? 'Those' : 'And those'} of [every request](conventions.md#errors-of-every-request): ${common}.`,
  ].join('\n\n');
}

/** Secrets are another text each time, and no reader needs them. */
function withoutSecrets(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replace(/sk_live_[A-Za-z0-9]{46}/g, 'sk_live_…')
    .replace(/("password":")[^"]*"/g, '$1…"')
    .replace(/(\/login\/)[A-Za-z0-9_-]+/g, '$1…');
  return JSON.parse(text);
}

// ---- fields

function fieldTable(schema: Schema, file: string): string {
  return [row(['Field', 'Type', 'Meaning']), '|---|---|---|', ...fieldRows(schema, file, '', false)].join(
    '\n',
  );
}

/** A row for each property, nested ones with their path: "plan.active", "prices[].months". */
function fieldRows(
  schema: Schema,
  file: string,
  prefix: string,
  isRequest: boolean,
  place?: string,
): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isRequired = schema.required?.includes(name) === true;
    const marks = isRequest ? (isRequired ? 'Required.' : '') : isRequired ? '' : 'May be absent.';
    const notes = [marks, property.description ?? '', isRequest ? ruleText(property) : ''];
    const path = `${prefix}${name}`;
    const items = property.items;
    const nested =
      property.properties !== undefined
        ? fieldRows(property, file, `${path}.`, isRequest, place)
        : items?.properties !== undefined
          ? fieldRows(items, file, `${path}[].`, isRequest, place)
          : [];
    return [
      row([
        `\`${path}\``,
        ...(place === undefined ? [] : [place]),
        typeText(property, file),
        notes.filter((note) => note !== '').join(' '),
      ]),
      ...nested,
    ];
  });
}

function typeText(schema: Schema, file: string): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const home = referencePages.find(({ objects }) => (objects as readonly string[]).includes(name))?.file;
    return `[${name}](${home === file ? '' : `${home}.md`}#${name.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeText(each, file)).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.items !== undefined) return `list of ${typeText(schema.items, file)}`;
  if (schema.format === 'date-time') return 'time';
  return schema.type ?? 'anything';
}

function ruleText(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, maxItems, pattern } = schema;
  const isListed = schema.enum !== undefined;
  const rules = [
    minLength !== undefined && minLength > 1 ? `at least ${minLength} characters` : '',
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    minimum === undefined || isListed ? '' : `at least ${minimum}`,
    maximum === undefined || isListed || maximum >= Number.MAX_SAFE_INTEGER ? '' : `at most ${maximum}`,
    maxItems === undefined ? '' : `at most ${maxItems} of them`,
    pattern === undefined ? '' : `pattern \`${pattern.replaceAll('|', '\\|')}\``,
    schema.default === undefined ? '' : `default \`${schema.default}\``,
  ].filter((rule) => rule !== '');
  if (rules.length === 0) return '';
  const text = rules.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.trim()).join(' | ')} |`;
}

function required<Value>(map: ReadonlyMap<string, Value>, name: string): Value {
  const value = map.get(name);
  assert.ok(value !== undefined, `there is no ${name}`);
  return value;
}
