// Makes docs/reference/**/*.md from openapi.json and the recorded answers: one page per operation and per named object, and
// an index for each part. Called by from-openapi.ts. Pure.

import assert from 'node:assert/strict';
import GithubSlugger from 'github-slugger';
import { keyGuardCodes } from '../../src/features/auth/api-key-auth.ts';
import { documentedErrors } from '../../src/platform/http/openapi-errors.ts';
import { isShapeName } from '../../src/platform/http/openapi-names.ts';
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
import { listOf, proseOf, schemaText } from './schema-text.ts';
import { storyOf } from './story-requests.ts';

/** An operation belongs to the first part whose path prefix it has. The file's name is part of public addresses. */
const parts = [
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

type Part = (typeof parts)[number];

const partNote =
  'Address, authentication, headers and pages of lists: [conventions](conventions.md). The pages are made from the routes’ own schemas; the answers shown are those of a real service, and a test runs every sample.';

export function makeReferencePages(
  document: OpenapiDocument,
  answers: readonly StoryAnswer[],
): Readonly<Record<string, string>> {
  const requests = new Map(storyOf(document).map((request) => [request.operationId, request]));
  const recorded = new Map(answers.map((answer) => [answer.operationId, answer]));
  const places = operationsOf(document);
  const byPart = Map.groupBy(places, partOf);
  const objects = Object.keys(document.components.schemas).filter((name) => !isShapeName(name));
  const pages: [name: string, text: string][] = [
    ...parts.map((part): [string, string] => [part.file, indexPage(part, byPart.get(part) ?? [])]),
    ['objects', objectsPage(objects, document)],
    ...places.map((place): [string, string] => {
      const { operationId } = place.operation;
      const request = requests.get(operationId);
      const answer = recorded.get(operationId);
      assert.ok(request !== undefined && answer !== undefined, `${operationId} has a sample and an answer`);
      const name = `${partOf(place).file}/${fileOf(operationId)}`;
      return [name, operationPage(place, request, answer, document)];
    }),
    ...objects.map((name): [string, string] => [
      `objects/${fileOf(name)}`,
      `# ${name}\n\n${schemaText(document.components.schemas[name] ?? {}, linkAbove)}`,
    ]),
  ];
  assert.equal(new Map(pages).size, pages.length, 'no two pages have one name');
  return Object.fromEntries(
    pages.map(([name, text]) => [`docs/reference/${name}.md`, `${text.trimEnd()}\n`]),
  );
}

function partOf({ path }: Place): Part {
  const part = parts.find(({ paths }) => path.startsWith(paths));
  assert.ok(part !== undefined, `${path} belongs to a part`);
  return part;
}

function operationPage(
  { method, path, operation }: Place,
  request: SampleRequest,
  answer: StoryAnswer,
  document: OpenapiDocument,
): string {
  const { summary, description, parameters = [], requestBody } = operation;
  const { status, schema } = successOf(operation);
  assert.equal(answer.status, status, `the recorded answer of ${operation.operationId}`);
  const body = requestBody?.content['application/json'];
  const samples = samplesOf(request).map(
    ({ title, language, code }) =>
      `<details>\n<summary>${title}</summary>\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n</details>`,
  );
  return [
    `# ${summary}`,
    `\`${method} ${path}\``,
    ...(description === undefined ? [] : [proseOf(description)]),
    samples.join('\n'),
    ...parameterSections(parameters),
    ...(body === undefined ? [] : ['## Request body']),
    ...(requestBody?.required === false ? ['It may be left out.'] : []),
    ...(body === undefined ? [] : [bodyText(body.schema, document), ...exampleTexts(body.example)]),
    `## Responses\n\n### ${status}`,
    bodyText(schema, document),
    ...exampleTexts(answer.body),
    `## Errors\n\n${errorText(operation, document)}\n`,
  ].join('\n\n');
}

function parameterSections(parameters: NonNullable<Operation['parameters']>): readonly string[] {
  const kinds = [
    ['path', 'Path parameters'],
    ['query', 'Query parameters'],
    ['header', 'Header parameters'],
  ] as const;
  return kinds.flatMap(([kind, title]) => {
    const fields = parameters
      .filter((parameter) => parameter.in === kind)
      .map(({ name, required = false, description, schema }) => ({
        name: kind === 'header' ? 'Idempotency-Key' : name,
        isRequired: required,
        schema: { ...schema, ...(description === undefined ? {} : { description }) },
      }));
    return fields.length === 0 ? [] : [`## ${title}`, listOf(fields, linkAbove)];
  });
}

/** A body that is a named object is linked, and its fields are shown all the same. */
function bodyText(schema: Schema, { components }: OpenapiDocument): string {
  const text = schemaText(schema, linkAbove);
  const named = components.schemas[schema.$ref?.replace('#/components/schemas/', '') ?? ''];
  return named === undefined ? text : `${text}\n\n${schemaText(named, linkAbove)}`;
}

function exampleTexts(example: unknown): readonly string[] {
  if (example === undefined) return [];
  return [`**Example:**\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``];
}

function errorText(operation: Operation, document: OpenapiDocument): string {
  const own = documentedErrors(operation, document).filter(({ code }) => !keyGuardCodes.includes(code));
  const lines = own
    .toSorted((one, other) => one.status - other.status)
    .map(({ status, code, message }) => `- ${status} \`${code}\`: ${proseOf(message)}\n`);
  const common = keyGuardCodes.map((code) => `\`${code}\``).join(', ');
  const start = lines.length === 0 ? 'Those' : `${lines.join('')}\nAnd those`;
  return `${start} of [every request](../conventions.md#errors-of-every-request): ${common}.`;
}

/** Keeps the anchors of old links, from when one page held all operations and objects of a part. */
function indexPage({ file, title, intro }: Part, places: readonly Place[]): string {
  const anchors = new GithubSlugger();
  const anchor = (text: string) => `<a id="${anchors.slug(text)}"></a>`;
  const operations = places.map(
    ({ method, path, operation: { operationId, summary } }) =>
      `- ${anchor(summary)}[${summary}](${file}/${fileOf(operationId)}.md): \`${method} ${path}\``,
  );
  const objects = places.flatMap(({ operation }) => [
    ...namesIn(successOf(operation).schema),
    ...namesIn(operation.requestBody?.content['application/json'].schema ?? {}),
  ]);
  const links = [...new Set(objects)].map((name) => anchor(name) + objectLink(name));
  const text = `# ${title}\n\n${intro} ${partNote}\n\n${operations.join('\n')}`;
  return links.length === 0 ? text : `${text}\n\n## Objects\n\n${links.join(', ')}.`;
}

function objectsPage(names: readonly string[], { components }: OpenapiDocument): string {
  const lines = names.map((name) => {
    const { description } = components.schemas[name] ?? {};
    return `- ${objectLink(name)}${description === undefined ? '' : `: ${description}`}`;
  });
  return `# Objects\n\nWhat requests, answers and events are made of.\n\n${lines.join('\n')}`;
}

function namesIn({ $ref, properties = {}, items, anyOf = [] }: Schema): readonly string[] {
  if ($ref !== undefined) return [$ref.replace('#/components/schemas/', '')];
  return [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf].flatMap(namesIn);
}

const objectLink = (name: string) => `[${name}](objects/${fileOf(name)}.md)`;
const linkAbove = (name: string) => `[${name}](../objects/${fileOf(name)}.md)`;

/** Writes placeOrder as "place-order", which is part of public addresses. */
function fileOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`);
}
