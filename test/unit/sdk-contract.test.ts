// The client agrees with the document in every type, operation, error code and name, or one of these tests fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withCalls } from '../../scripts/docs/client-calls.ts';
import type { OpenapiDocument } from '../../scripts/docs/openapi-document.ts';
import { sdkTypes } from '../../scripts/sdk-types.ts';
import { type ErrorCode, type ErrorDetails, Sellthrough } from '../../sdk/src/index.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const openapi: OpenapiDocument = JSON.parse(read('openapi.json'));

interface Sent {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

const sent: Sent[] = [];
const recordingFetch: typeof fetch = async (url, { method, headers, body } = {}) => {
  const { pathname, search } = new URL(String(url));
  sent.push({
    method,
    path: pathname + search,
    headers: headers as Record<string, string>,
    body: typeof body === 'string' ? JSON.parse(body) : undefined,
  });
  return new Response('{}', { status: 200 });
};
const client = new Sellthrough({ baseUrl: 'http://service', apiKey: 'key', fetch: recordingFetch });

type Method = (...args: unknown[]) => Promise<unknown>;

function methodsOf(of: object): Record<string, Method> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(of)).filter(
    (name) => name !== 'constructor',
  );
  return Object.fromEntries(
    names.map((name) => [name, (of as unknown as Record<string, Method>)[name]?.bind(of) as Method]),
  );
}

const methods = {
  ...methodsOf(client),
  ...methodsOf(client.admin),
  ...methodsOf(client.product),
  ...methodsOf(client.testMode),
};
const all = Object.entries(openapi.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    ...operation,
  })),
);

test('a field that is added to the document changes the types', () => {
  const changed = structuredClone(openapi) as {
    components: { schemas: Record<string, { properties: object }> };
  };
  Object.assign(changed.components.schemas['Order']?.properties ?? {}, { colour: { type: 'string' } });
  const types = sdkTypes(changed as unknown as OpenapiDocument);
  assert.notEqual(types, sdkTypes(openapi));
  assert.match(types, /\n {2}colour\?: string/);
});

test('every operation has one method of its name, beside those that walk a list or look for something in it', () => {
  const names = Object.keys(methods);
  const walking = names.filter((name) => name.startsWith('each') && !name.startsWith('eachFound'));
  const finding = names.filter((name) => name.startsWith('find'));
  const others = names.filter((name) => !/^(?:each|find|listEvents$)/.test(name));
  assert.deepEqual(others.sort(), all.map(({ operationId }) => operationId).sort());
  const lists = all.filter(({ parameters }) =>
    parameters?.some(({ name }) => name === 'page' || name === 'cursor'),
  );
  assert.equal(walking.length, lists.length, 'every list can be walked');
  const filtered = all.filter(({ parameters = [] }) =>
    ['page', 'cursor'].every((name) => parameters.some((each) => each.name === name)),
  );
  assert.equal(finding.length, filtered.length, 'every list with filters can be searched');
  assert.equal(
    names.length - walking.length - finding.length - others.length - 1,
    filtered.length,
    'and walked',
  );
});

for (const { operationId, method, path, parameters = [], requestBody } of all) {
  test(`${operationId} sends ${method} ${path}`, async () => {
    const takesKey = parameters.some((each) => each.in === 'header' && each.name === 'idempotency-key');
    // The client reads only JSON, so it has no `format`.
    const query = parameters.filter((each) => each.in === 'query' && each.name !== 'format');
    const body = { some: 'body' };
    const asked = Object.fromEntries(query.map(({ name }) => [name, 3]));
    await methods[operationId]?.(
      ...[...path.matchAll(/\{/g)].map(() => 12),
      ...(requestBody === undefined ? [] : [body]),
      ...(query.length === 0 ? [] : [asked]),
      { idempotencyKey: 'given' },
    );
    const request = sent.at(-1);
    assert.equal(request?.method, method);
    const search = new URLSearchParams(asked as unknown as Record<string, string>).toString();
    assert.equal(request?.path, path.replaceAll(/\{\w+\}/g, '12') + (search === '' ? '' : `?${search}`));
    assert.deepEqual(request?.body, requestBody === undefined ? undefined : body);
    assert.equal(request?.headers['idempotency-key'], takesKey ? 'given' : undefined);
  });
}

test('details are typed for codes that exist', () => {
  const codes: readonly ErrorCode[] = [] satisfies readonly (keyof ErrorDetails)[];
  assert.deepEqual(codes, []); // the compiler has checked the types
});

test('the README and the types say the same of `retryable`', () => {
  const [, definition = ''] =
    /\/\*\*([^/]*?)\*\/\s*readonly retryable/.exec(
      read('sdk/src/client-errors.ts').replace(/^[\s\S]*export class/, ''),
    ) ?? [];
  const words = (text: string) =>
    text
      .replaceAll(/[*`\s.:]+/g, ' ')
      .trim()
      .toLowerCase();
  const [, row = ''] = /^\| `retryable` \| (.*) \|$/m.exec(read('sdk/README.md')) ?? [];
  assert.equal(words(definition), words(row));
});

test('the README lists every call, as the generator makes it of the client’s methods', () => {
  const text = read('sdk/README.md');
  assert.equal(withCalls(text, openapi), text);
  for (const name of Object.keys(methods)) assert.ok(text.includes(`\`${name}(`), name);
});
