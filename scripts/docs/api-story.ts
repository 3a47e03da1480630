// The story that the API reference tells: one request for each operation, in the document's order, against a fresh
// service whose clock stands still, so that every id in it is always the same. Bodies and queries are the examples of
// the routes' own schemas. reference-pages.ts shows the requests and their real answers;
// test/tools/reference-samples.test.ts runs the printed samples in the same order.

import assert from 'node:assert/strict';
import { createLoginLink } from '../../src/identity/login-link-store.ts';
import { startTestService, type TestService } from '../throwaway/test-service.ts';
import { type OpenapiDocument, operationsOf } from './openapi-document.ts';
import type { SampleRequest } from './request-samples.ts';

const northwind = 2;

/** Whose {id} a sample names: what the story world holds, or what an earlier step has made. */
const ids: Readonly<Record<string, number>> = {
  accounts: northwind,
  orders: 2_000_000_001,
  customers: 2_000_000_001,
  packages: 5,
  events: 2_000_000_001,
};
/** That of the story's clock. */
const month = '2026-01';
const reference = 'ada@example.com';

/** A value of a body that a sample reads from the environment: it is different each time. */
export const loginCode = { environment: 'LOGIN_CODE' } as const;

const exchanges: readonly string[] = ['exchangeLoginCode', 'exchangeCodeForCustomer'];

export function storyOf(document: OpenapiDocument): readonly SampleRequest[] {
  return operationsOf(document).map(({ method, path, operation }): SampleRequest => {
    const { operationId, parameters = [], requestBody } = operation;
    const [, collection] = /\/([a-z-]+)\/\{id\}/.exec(path) ?? [];
    const id = collection === undefined ? undefined : ids[collection];
    assert.ok(
      collection === undefined || id !== undefined,
      `"ids" says which of the ${collection} samples name`,
    );
    const query = parameters.flatMap(({ in: place, name, example }) =>
      place === 'query' && example !== undefined ? [[name, example]] : [],
    );
    const { idempotency_key: idempotencyKey, ...body } = exchanges.includes(operationId)
      ? { code: loginCode }
      : (requestBody?.content['application/json'].example ?? {});
    const hasBody = Object.keys(body).length > 0;
    const needsBody = requestBody !== undefined && requestBody.required !== false;
    assert.ok(hasBody || !needsBody, `the body of ${operationId} has an example in its schema`);
    const takesKey = parameters.some(({ in: place }) => place === 'header');
    return {
      operationId,
      method,
      path: path.replace('{id}', String(id)).replace('{month}', month).replace('{reference}', reference),
      client: clientOf(path),
      ...(id === undefined ? {} : { id }),
      ...(path.includes('{month}') ? { id: month } : {}),
      ...(path.includes('{reference}') ? { id: reference } : {}),
      ...(query.length === 0 ? {} : { query: Object.fromEntries(query) }),
      ...(hasBody ? { body } : {}),
      ...(takesKey ? { idempotencyKey: String(idempotencyKey ?? `${operationId}-1`) } : {}),
    };
  });
}

function clientOf(path: string): SampleRequest['client'] {
  if (path.startsWith('/api/admin/')) return 'client.admin';
  return path.startsWith('/api/product/') ? 'client.product' : 'client';
}

export interface StoryWorld {
  readonly service: TestService;
  readonly resellerKey: string;
  readonly adminKey: string;
  /** What the sample of an operation reads from the environment, besides address and key. */
  environmentOf(operationId: string): Promise<Readonly<Record<string, string>>>;
}

/** A service on which the story can be told once. */
export async function startStoryWorld(): Promise<StoryWorld> {
  const service = await startTestService({
    environment: {
      PUBLIC_URL: 'https://sell.example.com',
      PRODUCT_URL: 'https://product.example.com/welcome',
    },
  });
  const { admin } = service;
  const created = await admin.post('/api/admin/v1/accounts', {
    username: 'northwind',
    display_name: 'Northwind Media',
    group: 'reseller',
  });
  assert.equal(created.body?.account?.id, northwind, created.text);
  const resellerKey: string = created.body.api_key;
  // From now on northwind's events are written.
  const feed = await fetch(`${service.address}/api/v1/events`, {
    headers: { authorization: `Bearer ${resellerKey}` },
  });
  assert.equal(feed.status, 200);
  const opening = { amount: '500.00', memo: 'Bank transfer 2026-001' };
  const credited = await admin.post(`/api/admin/v1/accounts/${northwind}/credit`, opening);
  assert.equal(credited.status, 201, credited.text);
  return {
    service,
    resellerKey,
    adminKey: admin.key,
    environmentOf: async (operationId) =>
      exchanges.includes(operationId) ? { LOGIN_CODE: await codeOfLogin(service) } : {},
  };
}

/** What the product is opened with when northwind's first customer uses a login link. */
async function codeOfLogin({ address, admin, database, clock }: TestService): Promise<string> {
  // A suspended customer is not let in.
  await admin.patch(`/api/admin/v1/customers/${northwind}000000001`, { status: 'active' });
  const order = { accountId: northwind, customerNumber: 1, number: 1 };
  const token = await createLoginLink(database, order, 60, clock.seconds);
  const opened = await fetch(`${address}/login/${token}`, { method: 'POST', redirect: 'manual' });
  const code = new URL(opened.headers.get('location') ?? '', 'https://nowhere.example').searchParams.get(
    'code',
  );
  assert.ok(code, 'the login link leads to the product with a code');
  return code;
}
