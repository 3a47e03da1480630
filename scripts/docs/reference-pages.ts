// docs/reference/*.md from openapi.json and the recorded answers (reference-answers.ts): each operation with its request, a
// real answer, all its errors, and samples in four languages. Called by from-openapi.ts. Pure.

import assert from 'node:assert/strict';
import { keyGuardCodes } from '../../src/features/auth/api-key-auth.ts';
import { documentedErrors } from '../../src/platform/http/openapi-errors.ts';
import {
  type OpenapiDocument,
  type Operation,
  operationsOf,
  type Place,
  type Schema,
  successOf,
} from './openapi-document.ts';
import type { StoryAnswer } from './reference-answers.ts';
import { type SampleRequest, samplesOf } from './request-samples.ts';
import { storyOf } from './story-requests.ts';

/** An operation is on the first page that lists the start of its path. */
const referencePages = [
  {
    file: 'reseller-api',
    title: 'Reseller API',
    intro:
      'What a reseller or distributor can do: see the balance and the packages, order, renew, and look at orders and customers.',
    paths: '/api/v1/',
  },
  {
    file: 'admin-accounts',
    title: 'Administrator’s API: accounts',
    intro:
      'Accounts of resellers and distributors: their settings, credit, keys, and what they have done. The key must be an administrator’s.',
    paths: '/api/admin/v1/accounts',
  },
  {
    file: 'admin-packages',
    title: 'Administrator’s API: packages',
    intro: 'Packages and their prices for each group and period. The key must be an administrator’s.',
    paths: '/api/admin/v1/packages',
  },
  {
    file: 'admin-records',
    title: 'Administrator’s API: records',
    intro:
      'Customers of every account, the product that orders are handed to, the audit log, the check of the books, and one-time login codes. The key must be an administrator’s.',
    paths: '/api/admin/v1/',
  },
  {
    file: 'product-api',
    title: 'Product API',
    intro:
      'What the operator’s product asks: what customers may do, what has changed, and who is behind a login code. The key must have the scope product, as an administrator’s has.',
    paths: '/api/product/v1/',
  },
] as const;

type PageFile = (typeof referencePages)[number]['file'];

interface Here {
  readonly file: PageFile;
  readonly homes: ReadonlyMap<string, PageFile>;
}

export function makeReferencePages(
  document: OpenapiDocument,
  answers: readonly StoryAnswer[],
): Readonly<Record<string, string>> {
  const requests = new Map(storyOf(document).map((request) => [request.operationId, request]));
  const told = new Map(
    answers.flatMap((answer) => {
      const request = requests.get(answer.operationId);
      return request === undefined ? [] : [[answer.operationId, { ...answer, request }]];
    }),
  );
  const byPage = Map.groupBy(
    operationsOf(document),
    ({ path }) => referencePages.find(({ paths }) => path.startsWith(paths))?.file,
  );
  assert.ok(!byPage.has(undefined), 'every operation stands on one page');
  const homes = new Map<string, PageFile>();
  for (const { file } of referencePages)
    for (const { operation } of byPage.get(file) ?? [])
      for (const name of [...namesIn(successOf(operation).schema), ...namesIn(bodyOf(operation))])
        if (!homes.has(name)) homes.set(name, file);
  const sent = new Set(operationsOf(document).flatMap(({ operation }) => namesIn(bodyOf(operation))));
  return Object.fromEntries(
    referencePages.map(({ file, title, intro }) => {
      const here = { file, homes };
      const parts = [
        `# ${title}`,
        `${intro} ${pageNote}`,
        ...(byPage.get(file) ?? []).map((place) => operationText(place, document, told, here)),
        '## Objects',
        ...[...homes]
          .filter(([, home]) => home === file)
          .flatMap(([name]) => [
            `### ${name}`,
            fieldTable(document.components.schemas[name] ?? {}, here, sent.has(name)),
          ]),
      ];
      return [`docs/reference/${file}.md`, `${parts.join('\n\n')}\n`];
    }),
  );
}

function bodyOf({ requestBody }: Operation): Schema {
  return requestBody?.content['application/json'].schema ?? {};
}

function namesIn({ $ref, properties = {}, items, anyOf = [] }: Schema): readonly string[] {
  if ($ref !== undefined) return [nameOf($ref)];
  return [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf].flatMap(namesIn);
}

const nameOf = (ref: string) => ref.replace('#/components/schemas/', '');

const pageNote =
  'Address, authentication, headers and pages of lists: [conventions](conventions.md). Made from the routes’ own schemas; the answers shown are those of a real service, and a test runs every sample.';

function operationText(
  { method, path, operation }: Place,
  document: OpenapiDocument,
  all: ReadonlyMap<string, StoryAnswer & { readonly request: SampleRequest }>,
  here: Here,
): string {
  const told = all.get(operation.operationId);
  const { status, schema } = successOf(operation);
  assert.ok(told?.status === status, `${operation.operationId}: ${JSON.stringify(told)}`);
  const parts = [
    `## ${operation.summary}`,
    `\`${method} ${path}\``,
    ...(operation.description === undefined ? [] : [operation.description]),
    samplesText(told.request),
    ...requestText(operation, here),
    `### Answer: ${status}`,
    ...(schema.$ref === undefined ? [fieldTable(schema, here)] : [`${typeText(schema, here)}.`]),
    ['```json', JSON.stringify(told.body, null, 2), '```'].join('\n'),
    '### Errors',
    errorText(operation, document),
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

function requestText({ parameters = [], requestBody }: Operation, here: Here): string[] {
  const sent = ['path', 'query', 'header'].flatMap((where) => parameters.filter((each) => each.in === where));
  const body = requestBody?.content['application/json'].schema;
  if (sent.length === 0 && body === undefined) return [];
  const rows = sent.map(({ name, in: where, required: isRequired, description = '', schema }) =>
    row([
      `\`${where === 'header' ? 'Idempotency-Key' : name}\``,
      where,
      typeText(schema, here),
      [isRequired === true && where !== 'path' ? 'Required.' : '', description, ruleText(schema)]
        .filter((part) => part !== '')
        .join(' '),
    ]),
  );
  const fields = body === undefined ? [] : fieldRows(body, here, '', true, 'body');
  const parts = ['### Request'];
  if (rows.length + fields.length > 0)
    parts.push([row(['Name', 'In', 'Type', 'Rules']), '|---|---|---|---|', ...rows, ...fields].join('\n'));
  if (requestBody?.required === false) parts.push('The body may be absent.');
  return parts;
}

function errorText(operation: Operation, document: OpenapiDocument): string {
  const own = documentedErrors(operation, document).filter(({ code }) => !keyGuardCodes.includes(code));
  const line = ({ status, code, message }: (typeof own)[number]) =>
    row([String(status), `\`${code}\``, message.replaceAll('<', '&lt;')]);
  const sorted = own.toSorted((one, other) => one.status - other.status);
  const table =
    own.length === 0
      ? []
      : [[row(['Status', 'Code', 'Message']), '|---|---|---|', ...sorted.map(line)].join('\n')];
  const common = keyGuardCodes.map((code) => `\`${code}\``).join(', ');
  return [
    ...table,
    `${own.length === 0 ? 'Those' : 'And those'} of [every request](conventions.md#errors-of-every-request): ${common}.`,
  ].join('\n\n');
}

function fieldTable(schema: Schema, here: Here, isSent = false): string {
  const head = [row(['Field', 'Type', isSent ? 'Rules' : 'Meaning']), '|---|---|---|'];
  return [...head, ...fieldRows(schema, here, '', isSent)].join('\n');
}

/** A row for each property, nested ones with their path: "plan.active", "prices[].months". */
function fieldRows(schema: Schema, here: Here, prefix: string, isRequest: boolean, place?: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isRequired = schema.required?.includes(name) === true;
    const marks = isRequest ? (isRequired ? 'Required.' : '') : isRequired ? '' : 'May be absent.';
    const notes = [marks, property.description ?? '', isRequest ? ruleText(property) : ''];
    const path = `${prefix}${name}`;
    const items = property.items;
    const nested =
      property.properties !== undefined
        ? fieldRows(property, here, `${path}.`, isRequest, place)
        : items?.properties !== undefined
          ? fieldRows(items, here, `${path}[].`, isRequest, place)
          : [];
    return [
      row([
        `\`${path}\``,
        ...(place === undefined ? [] : [place]),
        typeText(property, here),
        notes.filter((note) => note !== '').join(' '),
      ]),
      ...nested,
    ];
  });
}

function typeText(schema: Schema, here: Here): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    const home = here.homes.get(name);
    return `[${name}](${home === here.file ? '' : `${home}.md`}#${name.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeText(each, here)).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.items !== undefined) return `list of ${typeText(schema.items, here)}`;
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
