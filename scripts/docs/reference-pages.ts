// Makes docs/reference/**/*.md from openapi.json and the recorded answers, rendered by Scalar: one page per operation and
// per named object, and an index for each part. Called by from-openapi.ts. Pure.

import assert from 'node:assert/strict';
import { createOpenApiMarkdownRenderer } from '@scalar/openapi-to-markdown';
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
import { samplesOf } from './request-samples.ts';
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
const schemaReferences = {
  mode: 'linked',
  resolveUrl: ({ name }: { readonly name: string }) => `../objects/${fileOf(name)}.md`,
} as const;

export async function makeReferencePages(
  document: OpenapiDocument,
  answers: readonly StoryAnswer[],
): Promise<Readonly<Record<string, string>>> {
  const shown = documentToRender(document, answers);
  const renderer = await createOpenApiMarkdownRenderer(shown);
  const places = operationsOf(document);
  const byPart = Map.groupBy(places, partOf);
  const objects = Object.keys(document.components.schemas).filter((name) => !isShapeName(name));
  const pages: [name: string, text: string][] = [
    ...parts.map((part): [string, string] => [part.file, indexPage(part, byPart.get(part) ?? [])]),
    ['objects', objectsPage(objects, document)],
  ];
  for (const place of places) {
    const method = place.method.toLowerCase() as 'get';
    const text = await renderer.render({ operation: { path: place.path, method }, schemaReferences });
    const samples = shown.paths[place.path]?.[method]?.['x-codeSamples'] ?? [];
    pages.push([
      `${partOf(place).file}/${fileOf(place.operation.operationId)}`,
      operationPage(text, place, samples, document),
    ]);
  }
  for (const model of objects) {
    const text = await renderer.render({ model, schemaReferences });
    // Remove the generated example, because its values are made up from the types.
    pages.push([`objects/${fileOf(model)}`, text.replace(/\n\*\*Example:\*\*[\s\S]*$/, '')]);
  }
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

interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

type DocumentToRender = Readonly<Record<string, unknown>> & {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly 'x-codeSamples': readonly CodeSample[] }>>>
  >;
};

/** Adds samples and recorded answers. Removes what conventions.md says once for all operations. */
function documentToRender(document: OpenapiDocument, answers: readonly StoryAnswer[]): DocumentToRender {
  const requests = new Map(storyOf(document).map((request) => [request.operationId, request]));
  const recorded = new Map(answers.map((answer) => [answer.operationId, answer]));
  const operations = operationsOf(document).map(({ method, path, operation }) => {
    const { operationId, summary, description, parameters, requestBody } = operation;
    const request = requests.get(operationId);
    const answer = recorded.get(operationId);
    const { status, schema } = successOf(operation);
    assert.ok(
      request !== undefined && answer?.status === status,
      `${operationId}: ${JSON.stringify(answer)}`,
    );
    const content = { 'application/json': { schema, example: answer.body } };
    return {
      ...{ path, method: method.toLowerCase(), summary, description, requestBody },
      parameters: parameters?.map((parameter) => ({
        ...parameter,
        name: parameter.in === 'header' ? 'Idempotency-Key' : parameter.name,
        // The samples already show it.
        example: undefined,
      })),
      responses: { [status]: { description: '', content } },
      'x-codeSamples': samplesOf(request).map(
        ({ title, language, code }): CodeSample => ({ lang: language, label: title, source: code }),
      ),
    };
  });
  const paths = Object.fromEntries(
    [...Map.groupBy(operations, ({ path }) => path)].map(([path, methods]) => [
      path,
      Object.fromEntries(methods.map(({ path: _path, method, ...operation }) => [method, operation])),
    ]),
  );
  const shown = { ...document, servers: undefined, security: undefined, webhooks: undefined, paths };
  // Omit JavaScript's largest safe integer, because it is not a limit of the API.
  return JSON.parse(
    JSON.stringify(shown, (key, value) =>
      key === 'maximum' && value === Number.MAX_SAFE_INTEGER ? undefined : value,
    ),
  );
}

function operationPage(
  rendered: string,
  { method, path, operation }: Place,
  samples: readonly CodeSample[],
  document: OpenapiDocument,
): string {
  const [title, introduction, fields] =
    /^(# .+\n\n)- .+\n- .+\n([\s\S]*?)\n## Effective servers\n\n.+\n(\n## [\s\S]*)$/
      .exec(rendered)
      ?.slice(1) ?? [];
  assert.ok(fields !== undefined, `${operation.operationId} is rendered in the known order`);
  const tabs = samples.map(
    ({ lang, label, source }) =>
      `<details>\n<summary>${label}</summary>\n\n\`\`\`${lang}\n${source}\n\`\`\`\n\n</details>\n`,
  );
  const errors = `\n## Errors\n\n${errorText(operation, document)}\n`;
  return `${title}\`${method} ${path}\`\n${introduction}\n${tabs.join('')}${fields}${errors}`;
}

function errorText(operation: Operation, document: OpenapiDocument): string {
  const own = documentedErrors(operation, document).filter(({ code }) => !keyGuardCodes.includes(code));
  const lines = own
    .toSorted((one, other) => one.status - other.status)
    .map(({ status, code, message }) => `- ${status} \`${code}\`: ${message.replaceAll('<', '&lt;')}\n`);
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

/** Writes placeOrder as "place-order", which is part of public addresses. */
function fileOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`);
}
