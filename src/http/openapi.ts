// openapi.json, made from the schemas of the routes: what is served, committed and tested is one document. And
// panel-openapi.json, of the routes that only this service's own pages use.

import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { namedAdminSchemas } from '../contract/admin-schemas.ts';
import { type ErrorCode, errorCatalogue } from '../contract/error-catalogue.ts';
import { namedSchemas } from '../contract/schemas.ts';
import { statusOf } from './errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The document of the panel's routes. */
    panelSwagger: FastifyInstance['swagger'];
  }
}

const license = { name: 'MIT', identifier: 'MIT' };

export async function installOpenapi(app: FastifyInstance): Promise<void> {
  for (const schema of [...namedSchemas, ...namedAdminSchemas]) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sellthrough',
        version: '1.0.0',
        description:
          'Order subscription plans for your customers out of a prepaid balance. Amounts are decimal strings with two places, times are ISO 8601 in UTC. Every POST of an order is safe to retry with its idempotency key. Rate limit: a sliding window of 60 seconds for each account.',
        license,
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'v1', description: 'The reseller API.' },
        { name: 'admin', description: "The administrator's API: keys of administrators only." },
      ],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'sk_live_…, from the account panel.' },
        },
      },
      security: [{ apiKey: [] }],
    },
    transform: ({ schema, url }) => ({ schema: hiddenUnless(!url.startsWith('/panel/'), schema), url }),
    ...shared(commonCodes, codesOf),
  });
  await app.register(swagger, {
    decorator: 'panelSwagger',
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sellthrough: the panel',
        version: '1.0.0',
        description:
          'What the pages of the service ask for beside the API, whose routes are also at /panel/api/v1 and /panel/api/admin/v1. May change with any version: build on the API.',
        license,
      },
      servers: [{ url: '/' }],
      tags: [{ name: 'panel', description: 'Routes for who is signed in.' }],
      components: {
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-sellthrough',
            description: 'From POST /panel/api/sign-in; without https its name is "sellthrough".',
          },
        },
      },
      security: [{ session: [] }],
    },
    transform: ({ schema, url }) => ({
      schema: hiddenUnless(schema?.tags?.includes('panel') === true, schema),
      url,
    }),
    ...shared(panelCodes, panelCodesOf),
  } as Parameters<typeof swagger>[1]);
}

function hiddenUnless<Schema>(isShown: boolean, schema: Schema): Schema {
  return isShown ? schema : { ...schema, hide: true };
}

type CodesOf = Readonly<Record<string, readonly ErrorCode[]>>;

function shared(common: readonly ErrorCode[], codes: CodesOf) {
  return {
    refResolver: {
      buildLocalReference: (
        json: Readonly<Record<string, unknown>>,
        _baseUri: unknown,
        _fragment: string,
        index: number,
      ) => String(json['$id'] ?? `def-${index}`),
    },
    transformObject: <Document extends object>(document: Document) =>
      'openapiObject' in document ? withErrors(document.openapiObject as object, common, codes) : document,
  };
}

interface Operation {
  readonly operationId?: string;
  requestBody?: { required?: boolean };
  responses?: Record<string, Response>;
}

interface Response {
  description?: string;
  headers?: Record<string, unknown>;
}

type Paths = Record<string, Record<string, Operation>>;

/** Adds to every operation the headers of its answers and the errors it can answer with, each with its codes. */
function withErrors<Document extends object>(
  document: Document,
  common: readonly ErrorCode[],
  codesByOperation: CodesOf,
): Document {
  const { paths } = document as { paths?: Paths };
  for (const [path, operations] of Object.entries(paths ?? {})) {
    for (const operation of Object.values(operations)) {
      const { operationId = '' } = operation;
      const replays = ['placeOrder', 'renewOrder', 'creditAccount'].includes(operationId);
      for (const [status, answer] of Object.entries(operation.responses ?? {})) {
        answer.description = status === '201' ? 'Done.' : 'The answer.';
        answer.headers = { ...commonHeaders, ...(replays ? replayHeader : {}) };
      }
      if (operation.requestBody !== undefined && operationId === 'renewOrder')
        operation.requestBody.required = false;
      const codes = [...common, ...(codesByOperation[operationId] ?? [])];
      operation.responses = {
        ...operation.responses,
        ...errorResponses(codes, path.startsWith('/api/admin/')),
      };
    }
  }
  return document;
}

const header = (description: string, type: 'string' | 'integer' = 'string') => ({
  description,
  schema: { type },
});

const commonHeaders = {
  'X-Request-Id': header('The id that was sent, or a new one: quote it when you report a problem.'),
  'RateLimit-Policy': header('The limit: q requests in any window of w seconds.'),
  RateLimit: header('r requests are left; in t seconds at least one more.'),
};

const replayHeader = {
  'Idempotent-Replayed': header('true: this is the first answer again, and nothing was charged.'),
};
const retryHeader = { 'Retry-After': header('Seconds to wait.', 'integer') };

const commonCodes: readonly ErrorCode[] = [
  'invalid_json',
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'account_blocked',
  'api_disabled',
  'ip_not_allowed',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];

const body: readonly ErrorCode[] = ['payload_too_large'];
const ordering: readonly ErrorCode[] = [
  ...body,
  'invalid_idempotency_key',
  'invalid_months',
  'idempotency_conflict',
  'package_unavailable',
  'order_failed',
  'insufficient_credit',
];
const administering: readonly ErrorCode[] = [...body, 'forbidden', 'validation_failed'];

/** By operationId: what it can answer with beyond the common codes. */
const codesOf: CodesOf = {
  placeOrder: [...ordering, 'invalid_package', 'invalid_customer', 'customer_not_yours'],
  renewOrder: [...ordering, 'order_not_found'],
  getOrder: ['order_not_found'],
  getCustomer: ['customer_not_found'],
  createAccount: [...administering, 'username_taken'],
  listAccounts: ['forbidden', 'validation_failed'],
  getAccount: ['forbidden', 'account_not_found'],
  changeAccount: [...administering, 'account_not_found', 'last_administrator'],
  creditAccount: [
    ...administering,
    'account_not_found',
    'invalid_idempotency_key',
    'idempotency_conflict',
    'insufficient_credit',
    'order_failed',
  ],
  resetApiKey: [...body, 'forbidden', 'account_not_found'],
  grantTrial: [
    ...administering,
    'account_not_found',
    'invalid_package',
    'package_unavailable',
    'invalid_customer',
    'customer_not_yours',
    'order_failed',
  ],
  listAccountLedger: ['forbidden', 'account_not_found'],
  listAccountOrders: ['forbidden', 'account_not_found'],
  listAccountCustomers: ['forbidden', 'account_not_found'],
  listAllPackages: ['forbidden'],
  createPackage: administering,
  getPackage: ['forbidden', 'package_not_found'],
  changePackage: [...administering, 'package_not_found'],
  changeCustomer: [...administering, 'customer_not_found'],
  listAudit: ['forbidden'],
  verify: ['forbidden'],
  exchangeLoginCode: [...administering, 'customer_not_found'],
};

const panelCodes: readonly ErrorCode[] = [
  'invalid_json',
  'not_signed_in',
  'account_blocked',
  'forbidden_origin',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];
const withBody: readonly ErrorCode[] = [...body, 'validation_failed'];
const withPassword: readonly ErrorCode[] = [...withBody, 'wrong_password'];

/** The same for the panel's own routes. */
const panelCodesOf: CodesOf = {
  signIn: [...withBody, 'invalid_credentials', 'code_required', 'invalid_code'],
  signOut: body,
  endSession: [...body, 'session_not_found'],
  endOtherSessions: body,
  changePassword: withPassword,
  beginTotp: [...withPassword, 'totp_enabled'],
  confirmTotp: [...withBody, 'invalid_code', 'totp_enabled', 'totp_not_enabled'],
  disableTotp: [...withPassword, 'invalid_code', 'totp_not_enabled'],
  revealApiKey: withPassword,
  resetOwnApiKey: withPassword,
  setAllowList: [...withBody, 'address_locked_out'],
  findOrders: ['validation_failed'],
  getOrderWithEntries: ['order_not_found'],
  previewOrder: [
    ...withBody,
    'invalid_package',
    'package_unavailable',
    'invalid_customer',
    'invalid_months',
    'invalid_idempotency_key',
    'order_not_found',
    'customer_not_yours',
    'order_failed',
    'insufficient_credit',
  ],
  findCustomers: ['validation_failed'],
  getCustomerWithOrders: ['customer_not_found'],
  createLoginLink: [...body, 'customer_not_found'],
  findLedgerEntries: ['validation_failed'],
  exportLedger: ['validation_failed'],
  listRequests: ['validation_failed'],
  getServiceOverview: ['forbidden'],
  getHealth: ['forbidden'],
  findAllCustomers: ['forbidden', 'validation_failed'],
  getOrderOfAnyAccount: ['forbidden', 'order_not_found'],
  disableTotpOf: [...body, 'forbidden', 'account_not_found', 'totp_not_enabled'],
};

function errorResponses(codes: readonly ErrorCode[], isAdminApi: boolean): Record<string, Response> {
  const byStatus = Map.groupBy(codes, (code) => statusOf(code, isAdminApi));
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        ...(status === 429 || status === 503 ? { headers: retryHeader } : {}),
        description: ofStatus.map((code) => `${code}: ${errorCatalogue[code].message}`).join(' '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}
