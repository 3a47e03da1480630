import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { startStoryWorld } from '../../scripts/docs/api-story.ts';
import { withConfiguration } from '../../scripts/docs/configuration-table.ts';
import { withLogEvents } from '../../scripts/docs/log-events.ts';
import { operationsOf } from '../../scripts/docs/openapi-document.ts';
import { recordAnswers } from '../../scripts/docs/reference-answers.ts';
import { rulesPage } from '../../scripts/docs/rules-page.ts';
import { referencePages } from '../../scripts/from-openapi.ts';
import { dumpSchema } from '../../scripts/schema-dump.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { statusOf } from '../../src/platform/http/error-responses.ts';
import { isShapeName } from '../../src/platform/http/openapi-names.ts';
import { type ErrorCode, errorCatalog } from '../../src/shared/error-catalog.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the schema that the migrations make is the committed test/schema.sql, on either database', async (context) => {
  if (service.database.accountGroups().length > 1)
    return context.skip('where accounts are in groups their tables are in other schemas');
  assert.equal(await dumpSchema(service.database), committed('test/schema.sql'));
});

const served = async (path: string) => {
  const response = await fetch(service.address + path);
  assert.equal(response.status, 200);
  return JSON.parse(await response.text());
};

test('the served /api/v1/openapi.json is the committed openapi.json', async () => {
  assert.deepEqual(await served('/api/v1/openapi.json'), JSON.parse(committed('openapi.json')));
});

for (const path of ['/api/v1/openapi.json', '/panel/api/openapi.json']) {
  test(`${path} is valid OpenAPI 3.1`, async () => {
    const document = (await served(path)) as { openapi: string };
    const config = await createConfig({ rules: { struct: 'error', 'no-unresolved-refs': 'error' } });
    const problemsOf = (sent: object) =>
      lintFromString({ source: JSON.stringify(sent), absoluteRef: 'openapi.json', config });
    assert.deepEqual(await problemsOf(document), []);
    assert.match(document.openapi, /^3\.1\./);
    assert.equal((await problemsOf({ ...document, paths: [] })).length, 1, 'the linter looks');
  });

  test(`${path} is compressed for clients that accept it, and sent again only when it changed`, async () => {
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(service.address + path, { headers });
      return { answer, status: answer.status, text: await answer.text() };
    };
    const plain = await ask({ 'accept-encoding': 'identity' });
    assert.equal(plain.answer.headers.get('content-encoding'), null);
    const etags = new Set<string>();
    for (const [accepted, encoding] of [
      ['identity', null],
      ['gzip, deflate, br', 'br'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['deflate', null],
    ] as const) {
      const { answer, text } = await ask({ 'accept-encoding': accepted });
      assert.equal(answer.headers.get('content-encoding'), encoding, accepted);
      assert.equal(text, plain.text);
      assert.equal(answer.headers.get('vary'), 'accept-encoding');
      assert.equal(answer.headers.get('cache-control'), 'no-cache');
      const length = Number(answer.headers.get('content-length'));
      const share = plain.text.length / length;
      assert.ok(encoding === null ? length > 100_000 : share > 8, `${accepted}: ${length} bytes`);
      const etag = answer.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]+"$/);
      etags.add(etag);

      for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
        const again = await ask({ 'accept-encoding': accepted, 'if-none-match': known });
        assert.deepEqual([again.status, again.text], [304, ''], known);
        assert.equal(again.answer.headers.get('etag'), etag);
        assert.equal(again.answer.headers.get('vary'), 'accept-encoding');
      }
      const changed = await ask({ 'accept-encoding': accepted, 'if-none-match': '"another"' });
      assert.deepEqual([changed.status, changed.text], [200, plain.text]);
    }
    assert.equal(etags.size, 3, 'one for each encoding');
  });
}

test('openapi.json names what is taken and answered, and says nothing that generators turn into another API', () => {
  const openapi = JSON.parse(committed('openapi.json'));
  const { paths, components } = openapi;
  for (const name of Object.keys(components.schemas)) {
    assert.ok(!(name in globalThis), `${name} would hide JavaScript's`);
    assert.notEqual(name, 'Package', 'Java’s own');
  }
  for (const [path, operations] of Object.entries<Record<string, DocumentedOperation>>(paths)) {
    for (const { operationId, requestBody, responses } of Object.values(operations)) {
      // A 304 has no body, so leave it out.
      const { 304: _unchanged, ...withBodies } = responses;
      const answers = Object.entries(withBodies).map(([status, answer]) => {
        assert.equal(answer.$ref !== undefined, status >= '400', `${operationId}: errors are described once`);
        return components.responses[answer.$ref?.replace('#/components/responses/', '') ?? ''] ?? answer;
      });
      for (const part of [requestBody, ...answers]) {
        const schema = part?.content?.['application/json']?.schema;
        assert.ok(part === undefined || schema?.$ref !== undefined, `${operationId} at ${path}`);
      }
    }
  }
  for (const [place, schema] of schemasIn(openapi, '')) {
    assert.ok(
      !('enum' in schema && ('minimum' in schema || 'maximum' in schema)),
      `${place}: limits by a list`,
    );
    assert.notEqual(schema['format'], 'int64', `${place}: a bigint`);
    assert.ok(
      !(place.includes('Body/') && 'default' in schema),
      `${place}: sent where another field is meant`,
    );
  }
});

test('the answers that the API reference shows are those of a service', async () => {
  const world = await startStoryWorld();
  try {
    assert.equal(
      await recordAnswers(JSON.parse(committed('openapi.json')), world),
      committed('docs/reference/answers.jsonl'),
    );
  } finally {
    await world.service.close();
  }
});

test('every operation and object has a page of the API reference, and one index leads to it', async () => {
  const openapi = JSON.parse(committed('openapi.json'));
  const pages = referencePages(openapi);
  const operations = operationsOf(openapi);
  assert.ok(operations.length > 100);
  const beginnings = [
    ...operations.map(({ method, path, operation }) => `# ${operation.summary}\n\n\`${method} ${path}\`\n`),
    ...Object.keys(openapi.components.schemas)
      .filter((name) => !isShapeName(name))
      .map((name) => `# ${name}\n\n`),
  ];
  const indexes = [
    'reseller-api',
    'admin-accounts',
    'admin-packages',
    'admin-records',
    'product-api',
    'objects',
  ];
  assert.equal(Object.keys(pages).length, indexes.length + beginnings.length);
  const listed = indexes.map((name) => pages[`docs/reference/${name}.md`]).join('');
  for (const beginning of beginnings) {
    const [path, ...others] = Object.keys(pages).filter((each) => pages[each]?.startsWith(beginning));
    assert.deepEqual([path === undefined, others], [false, []], beginning);
    const lines = listed.split('\n').filter((line) => line.startsWith('- '));
    const link = `](${path?.replace('docs/reference/', '')})`;
    assert.equal(lines.filter((line) => line.includes(link)).length, 1, beginning);
  }
});

test('links to the reference of the time when all operations of a part were on one page lead to them', async () => {
  const pages = referencePages(JSON.parse(committed('openapi.json')));
  for (const [part, anchor, link] of [
    ['reseller-api', 'orders-newest-first', '[Orders, newest first](reseller-api/list-orders.md)'],
    ['reseller-api', 'customer', '[Customer](objects/customer.md)'],
    ['admin-accounts', 'create-an-account', '[Create an account](admin-accounts/create-account.md)'],
    ['admin-packages', 'schedule-prices-of-a-package', '[Schedule prices'],
    ['admin-records', 'one-endpoint', '[One endpoint](admin-records/get-operator-webhook.md)'],
    ['product-api', 'entitlement', '[Entitlement](objects/entitlement.md)'],
  ])
    assert.ok(pages[`docs/reference/${part}.md`]?.includes(`<a id="${anchor}"></a>${link}`), anchor);
});

test('docs/openapi-rules.md is made from the list of exceptions', () => {
  assert.equal(rulesPage(), committed('docs/openapi-rules.md'));
});

test('the table of the configuration in docs/configuration.md is that of the program', () => {
  const page = committed('docs/configuration.md');
  assert.equal(withConfiguration(page), page);
  assert.match(page, /\| `PORT` \| 3000 \|/);
});

test('docs/log-events.md lists every event of the log', () => {
  const page = committed('docs/log-events.md');
  assert.equal(withLogEvents(page), page);
  assert.match(page, /\| `batch broken` \| error \| `err`, `orders` \|/);
});

test('docs/errors.md and the two documents know every code of the catalog with its status', async () => {
  const documented = committed('docs/errors.md');
  const openapi = committed('openapi.json') + JSON.stringify(await served('/panel/api/openapi.json'));
  for (const code of Object.keys(errorCatalog) as ErrorCode[]) {
    const { status } = errorCatalog[code];
    assert.match(documented, new RegExp(`\\| ${status} \\| <a id="${code}"></a>\`${code}\` \\|`));
    const byAdmin = statusOf(code, true);
    if (byAdmin !== status) assert.ok(documented.includes(`\`${code}\` is ${byAdmin}`), code);
    // These two are only for unknown paths and methods.
    if (code === 'not_found' || code === 'method_not_allowed') continue;
    // Of POST /payments/stripe, which no document shows.
    if (code === 'invalid_signature') continue;
    assert.ok(openapi.includes(`${code}: `), `${code} stands in one of the documents`);
  }
});

interface DocumentedOperation {
  readonly operationId: string;
  readonly requestBody?: Documented;
  readonly responses: Readonly<Record<string, Documented>>;
}

interface Documented {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
}

function* schemasIn(part: unknown, place: string): Generator<[string, Record<string, unknown>]> {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) yield [place, part as Record<string, unknown>];
  for (const [name, inner] of Object.entries(part)) yield* schemasIn(inner, `${place}/${name}`);
}
