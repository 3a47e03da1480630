// The requests of the API reference's story, one per operation, from the examples in the routes' schemas. Pure.

import assert from 'node:assert/strict';
import { type OpenapiDocument, operationsOf } from './openapi-document.ts';
import type { SampleRequest } from './request-samples.ts';

export const northwind = 2;
/** The story creates it. It owes money right before that is listed. */
export const contoso = 3;

/** The {id} in a sample's path. It exists at the start, or an earlier step creates it. */
export const ids: Readonly<Record<string, number | string>> = {
  accounts: northwind,
  orders: 2_000_000_001,
  customers: 2_000_000_001,
  topups: 2_000_000_002,
  'payment-problems': 1,
  packages: 5,
  events: 2_000_000_001,
  webhooks: 1,
  'bank-lines': 1,
  'product-calls': 'call_change_2000000011',
};
const invited = 10_000_001;
/** The operator erases the customer again, which changes nothing. */
export const idsOfSteps: Readonly<Record<string, number>> = {
  eraseCustomer: 2_000_000_003,
  eraseCustomerOfAccount: 2_000_000_003,
  deleteWebhook: 2,
  refundTopup: 2_000_000_001,
  deleteOperatorWebhook: 4,
  writeOffReceivable: contoso,
  closeAccount: 4,
  ignoreBankLine: 2,
};
const operatorWebhook = 3;
const innerIds: Readonly<Record<string, number>> = {
  event_id: 2_000_000_001,
  key_id: 7,
  list_id: 1,
  person_id: invited,
};
export const innerIdsOfSteps: Readonly<Record<string, number>> = { revokeAccountKey: 3 };
/** Orders that wait for the product. They are placed right before the first of these two steps. */
export const pendingOrders: Readonly<Record<string, number>> = {
  acceptOrder: 2_000_000_008,
  failOrder: 2_000_000_009,
};
const month = '2026-01';
const reference = 'ada@example.com';
const limitKey = 'storage_gb';

/** A value that the sample reads from the environment, because it differs in each run. */
export const loginCode = { environment: 'LOGIN_CODE' } as const;

export const exchanges: readonly string[] = ['exchangeLoginCode', 'exchangeCodeForCustomer'];

export function storyOf(document: OpenapiDocument): readonly SampleRequest[] {
  return operationsOf(document).map(({ method, path, operation }): SampleRequest => {
    const { operationId, parameters = [], requestBody } = operation;
    const [, collection] = /\/([a-z-]+)\/\{id\}/.exec(path) ?? [];
    const ofOperator = operationId.includes('OperatorWebhook') ? operatorWebhook : undefined;
    const id =
      collection === undefined
        ? undefined
        : (pendingOrders[operationId] ?? idsOfSteps[operationId] ?? ofOperator ?? ids[collection]);
    const [, innerName = ''] = /\{id\}.*\{(\w+)\}/.exec(path) ?? [];
    const inner = innerIdsOfSteps[operationId] ?? innerIds[innerName];
    assert.ok(
      (collection === undefined || id !== undefined) && (innerName === '' || inner !== undefined),
      `"ids" and "innerIds" say which ${collection} ${innerName} samples name`,
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
      path: path
        .replace('{id}', String(id))
        .replace(`{${innerName}}`, String(inner))
        .replace('{month}', month)
        .replace('{reference}', reference)
        .replace('{key}', limitKey),
      client: clientOf(path),
      ...(id === undefined ? {} : { id }),
      ...(inner === undefined ? {} : { inner }),
      ...(path.includes('{month}') ? { id: month } : {}),
      ...(path.includes('{reference}') ? { id: reference } : {}),
      ...(path.includes('{key}') ? { id: limitKey } : {}),
      ...(query.length === 0 ? {} : { query: Object.fromEntries(query) }),
      ...(hasBody ? { body } : {}),
      ...(takesKey ? { idempotencyKey: String(idempotencyKey ?? `${operationId}-1`) } : {}),
    };
  });
}

function clientOf(path: string): SampleRequest['client'] {
  if (path.startsWith('/api/admin/')) return 'client.admin';
  if (path.startsWith('/api/v1/test/')) return 'client.testMode';
  return path.startsWith('/api/product/') ? 'client.product' : 'client';
}
