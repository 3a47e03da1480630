// The operations of openapi.json as the PHP and Python clients offer them: names, parameters, walks and errors. Read by
// php-client.ts and python-client.ts.

import { documentedCodes } from '../../src/platform/http/openapi-errors.ts';
import { type ErrorCode, errorCatalog } from '../../src/shared/error-catalog.ts';
import {
  type OpenapiDocument,
  type Operation,
  operationsOf,
  type Schema,
  successOf,
} from '../docs/openapi-document.ts';

export const clientGroups = ['reseller', 'admin', 'product', 'testMode'] as const;
export type ClientGroup = (typeof clientGroups)[number];

export interface ClientOperation {
  readonly group: ClientGroup;
  /** The operationId, such as `placeOrder`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** One for each `{…}` of the path, such as `order_id`. */
  readonly ids: readonly ClientId[];
  readonly query: readonly ClientField[];
  readonly body: ClientBody | null;
  readonly takesKey: boolean;
  /** The items of the body have their own idempotency keys. */
  readonly holdsKeys: boolean;
  /** The service may take longer than the default timeout. */
  readonly isSlow: boolean;
  readonly answer: Schema;
  readonly codes: readonly string[];
  readonly walk: Walk | null;
}

export interface ClientId {
  readonly name: string;
  readonly type: 'integer' | 'string';
}

export interface ClientField {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

interface ClientBody {
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export interface Walk {
  /** Such as `eachOrder`. */
  readonly name: string;
  readonly kind: 'cursor' | 'number' | 'events';
  readonly item: Schema;
}

/** Any call may be refused with these, so methods do not list them. */
const everywhere: ReadonlySet<string> = new Set([
  'account_blocked',
  'api_disabled',
  'forbidden',
  'insufficient_scope',
  'internal_error',
  'invalid_api_key',
  'invalid_json',
  'ip_not_allowed',
  'missing_api_key',
  'payload_too_large',
  'rate_limited',
  'revoked_api_key',
  'service_unavailable',
]);

export function clientOperations(document: OpenapiDocument): readonly ClientOperation[] {
  return operationsOf(document).map(({ method, path, operation }): ClientOperation => {
    const { operationId: name, summary, description = '', parameters = [], requestBody } = operation;
    const body = requestBody?.content['application/json'].schema;
    const answer = successOf(operation).schema;
    const query = parameters
      // The clients read only JSON.
      .filter((each) => each.in === 'query' && each.name !== 'format')
      .map(({ name: field, description: text, required = false, schema }) => ({
        name: field,
        schema: text === undefined ? schema : { ...schema, description: text },
        isRequired: required,
      }));
    return {
      group: groupOf(path),
      name,
      method,
      path,
      summary,
      description,
      ids: idsOf(path, operation),
      query,
      body: body === undefined ? null : { schema: body, isRequired: requestBody?.required === true },
      takesKey: parameters.some((each) => each.in === 'header' && each.name === 'idempotency-key'),
      holdsKeys: listsKeyed(operation, document),
      isSlow: name === 'moveTestClock',
      answer,
      codes: documentedCodes(operation, document).filter((code) => !everywhere.has(code)),
      walk: walkOf(name, query, answer),
    };
  });
}

export function errorCodes(document: OpenapiDocument): readonly string[] {
  const codes = new Set<string>([
    ...(['not_found', 'method_not_allowed'] satisfies ErrorCode[]),
    ...operationsOf(document).flatMap(({ operation }) => documentedCodes(operation, document)),
  ]);
  return Object.keys(errorCatalog).filter((code) => codes.has(code));
}

/** The fields of an object, the required ones first. */
export function fieldsOf({ properties = {}, required = [] }: Schema): readonly ClientField[] {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }));
  return [
    ...fields.filter(({ isRequired }) => isRequired),
    ...fields.filter(({ isRequired }) => !isRequired),
  ];
}

/** The description of a field with its limits, as sentences. */
export function describe({ description = '', minLength, maxLength, minimum, maximum }: Schema): string {
  const sentences = [description];
  if (minLength !== undefined && maxLength !== undefined)
    sentences.push(`${minLength} to ${maxLength} characters.`);
  if (minimum !== undefined && maximum !== undefined && maximum < 2 ** 31 - 1)
    sentences.push(`${minimum} to ${maximum}.`);
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}

function groupOf(path: string): ClientGroup {
  if (path.startsWith('/api/admin/')) return 'admin';
  if (path.startsWith('/api/product/')) return 'product';
  return path.startsWith('/api/v1/test/') ? 'testMode' : 'reseller';
}

/** `/orders/{id}/renew` has `order_id`. */
function idsOf(path: string, { parameters = [] }: Operation): readonly ClientId[] {
  return [...path.matchAll(/\/([a-z-]+)\/\{(\w+)\}/g)].map(([, collection = '', name = '']) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const type = parameter?.schema.type === 'integer' ? 'integer' : 'string';
    return { name: name === 'id' ? `${collection.replace(/s$/, '').replaceAll('-', '_')}_id` : name, type };
  });
}

function listsKeyed({ requestBody }: Operation, { components }: OpenapiDocument): boolean {
  const lists = Object.values(requestBody?.content['application/json'].schema.properties ?? {});
  const items = lists.flatMap(({ items: each }) => each?.anyOf ?? each ?? []);
  const named = items.map(({ $ref = '' }) => components.schemas[$ref.replace('#/components/schemas/', '')]);
  return named.length > 0 && named.every((item) => item?.required?.includes('idempotency_key') === true);
}

const walkNames: Readonly<Record<string, string>> = {
  listAccountLedger: 'eachAccountLedgerEntry',
  listAllOrders: 'eachOfAllOrders',
  listAllTopups: 'eachOfAllTopups',
  listAudit: 'eachAuditEntry',
  listLedger: 'eachLedgerEntry',
  listOrdersNeedingAttention: 'eachOrderNeedingAttention',
  listPlanHistory: 'eachPlanHistoryItem',
  listOperatorWebhookDeliveries: 'eachOperatorWebhookDelivery',
  listWebhookDeliveries: 'eachWebhookDelivery',
  readAllEvents: 'followAllEvents',
  readEvents: 'followEvents',
};

function walkOf(operation: string, query: readonly ClientField[], answer: Schema): Walk | null {
  const has = (name: string) => query.some((each) => each.name === name);
  const kind = has('cursor')
    ? 'cursor'
    : has('page')
      ? 'number'
      : has('wait') && has('type')
        ? 'events'
        : null;
  if (kind === null) return null;
  const name = walkNames[operation] ?? operation.replace(/^list/, 'each').replace(/s$/, '');
  const item = answer.properties?.['data']?.items;
  if (item === undefined || !/^(?:each|follow)/.test(name)) throw new Error(`${operation} cannot be walked.`);
  return { name, kind, item };
}
