// Builds openapi.json from the routes' schemas and declarations, and a second document for the panel's own routes.

import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from '../../shared/error-catalog.ts';
import { challenges, statusOf, statusText } from './error-responses.ts';
import { codesText, usualSentences } from './openapi-errors.ts';
import { nameIntegerFormats, nameShapes } from './openapi-names.ts';
import type { DeclaredRoute } from './route-declarations.ts';

declare module 'fastify' {
  interface FastifyInstance {
    panelSwagger: FastifyInstance['swagger'];
  }
}

// "x-internal" is required by OWASP's rules.
const servers = [
  {
    url: '/',
    description: 'The service that serves this document, in production or in testing.',
    'x-internal': false,
  },
];
const license = { name: 'MIT', identifier: 'MIT' };

export interface DocumentedParts {
  readonly namedSchemas: readonly object[];
  readonly documentEvents: (document: object) => void;
}

/** `declared`: every documented route. The list is complete once the app is ready. */
export async function installOpenapi(
  app: FastifyInstance,
  declared: readonly DeclaredRoute[],
  { namedSchemas, documentEvents }: DocumentedParts,
): Promise<void> {
  for (const schema of namedSchemas) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sellthrough',
        version: '1.0.0',
        description:
          'Order subscription plans for your customers out of a prepaid balance. Amounts are decimal strings with two places, times are ISO 8601 in UTC. In bodies, leave out what you do not set: null is refused. Every POST of an order is safe to retry with its idempotency key. Rate limit: a sliding window of 60 seconds for each account.',
        license,
      },
      servers,
      tags: [
        { name: 'v1', description: 'The reseller API.' },
        { name: 'admin', description: "The administrator's API: administrators' keys only." },
        { name: 'product', description: "The product's API: keys with the scope product only." },
        { name: 'events', description: 'What your endpoints receive.' },
      ],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'sk_live_…, from the account panel.' },
        },
      },
      security: [{ apiKey: [] }],
    },
    transform: ({ schema, url }) => ({ schema: hiddenUnless(!url.startsWith('/panel/'), schema), url }),
    ...shared(declared, documentEvents),
  });
  await app.register(swagger, {
    decorator: 'panelSwagger',
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sellthrough: the panel',
        version: '1.0.0',
        description:
          'Routes that only the pages of the service use. The API’s routes are also at /panel/api/v1 and /panel/api/admin/v1. All of this may change with any version: build on the API instead.',
        license,
      },
      servers,
      tags: [{ name: 'panel', description: 'Routes for signed-in users.' }],
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
    ...shared(declared, documentEvents),
  } as Parameters<typeof swagger>[1]);
}

function hiddenUnless<Schema>(isShown: boolean, schema: Schema): Schema {
  return isShown ? schema : { ...schema, hide: true };
}

function shared(declared: readonly DeclaredRoute[], documentEvents: DocumentedParts['documentEvents']) {
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
      'openapiObject' in document
        ? // A copy: changes must not reach the serializers' schemas.
          withDeclared(structuredClone(document.openapiObject as object), declared, documentEvents)
        : document,
  };
}

interface Operation {
  readonly parameters?: {
    readonly in: string;
    readonly name: string;
    description?: string;
    schema: object;
  }[];
  requestBody?: { required?: boolean };
  responses?: Record<string, Response>;
}

interface Response {
  /** Refers to the response that all errors with one status share. */
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
}

type Paths = Record<string, Record<string, Operation>>;

const answerDescriptions: Readonly<Record<string, string>> = { 201: 'Done.', 304: 'Nothing has changed.' };

function withDeclared<Document extends object>(
  document: Document,
  declared: readonly DeclaredRoute[],
  documentEvents: DocumentedParts['documentEvents'],
): Document {
  const { paths = {} } = document as { paths?: Paths };
  const codesByStatus = new Map<number, Set<ErrorCode>>();
  for (const { method, path, codes, isReplayable, isBodyOptional, bodyBytesMax } of declared) {
    const operation = paths[path]?.[method.toLowerCase()];
    if (operation === undefined) continue;
    for (const [status, answer] of Object.entries(operation.responses ?? {})) {
      answer.description = answerDescriptions[status] ?? 'The answer.';
      answer.headers = { ...commonHeaders, ...(isReplayable ? replayHeader : {}) };
    }
    if (operation.requestBody !== undefined && isBodyOptional) operation.requestBody.required = false;
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in !== 'path') continue;
      if (/^(?:event_|key_|list_|person_)?id$/.test(parameter.name)) Object.assign(parameter, pathId);
      if (parameter.name === 'reference') Object.assign(parameter, pathReference);
      if (parameter.name === 'key') Object.assign(parameter, pathKey);
    }
    for (const [status, ofStatus] of byStatus(codes, path.startsWith('/api/admin/'))) {
      const known = codesByStatus.get(status) ?? new Set();
      codesByStatus.set(status, new Set([...known, ...ofStatus]));
      operation.responses = {
        ...operation.responses,
        [status]: errorReference(status, ofStatus, bodyBytesMax),
      };
    }
  }
  addComponents(document, codesByStatus);
  documentEvents(document);
  nameShapes(document);
  nameIntegerFormats(document);
  return document;
}

function addComponents(document: object, codesByStatus: ReadonlyMap<number, ReadonlySet<ErrorCode>>): void {
  const { components = {} } = document as { components?: Record<string, unknown> };
  const responses = [...codesByStatus]
    .sort(([one], [other]) => one - other)
    .map(([status, codes]) => [errorName(status), errorResponse(status, [...codes])]);
  Object.assign(components, { headers: documentedHeaders, responses: Object.fromEntries(responses) });
  Object.assign(document, { components });
}

/** Routes parse ids themselves and treat an invalid id as not found. */
const pathId = {
  description: 'A decimal integer without sign or leading zero.',
  schema: { type: 'string', pattern: '^[1-9][0-9]{0,15}$', maxLength: 16 },
};

const pathReference = {
  description: 'The e-mail address or username by which orders name the customer, in any case.',
  schema: { type: 'string', pattern: '^[!-~]+$', maxLength: 254 },
};

const pathKey = {
  description: 'The key of the limit.',
  schema: { type: 'string', pattern: '^[a-z][a-z0-9_]*$', maxLength: 40 },
};

const header = (description: string, schema: object) => ({ description, schema });

const documentedHeaders = {
  'X-Request-Id': header('The id that was sent, or a new one: quote it when you report a problem.', {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    maxLength: 64,
  }),
  'RateLimit-Policy': header('The limit: q requests in any window of w seconds. Sent to known keys.', {
    type: 'string',
    pattern: '^"default";q=\\d+;w=\\d+$',
    maxLength: 64,
  }),
  RateLimit: header('r requests are left; at least one more in t seconds. Sent to known keys.', {
    type: 'string',
    pattern: '^"default";r=\\d+;t=\\d+$',
    maxLength: 64,
  }),
  'Idempotent-Replayed': header('true: this repeats the first answer, and nothing was charged.', {
    type: 'string',
    enum: ['true'],
  }),
  'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1, maximum: 3_600 }),
  'WWW-Authenticate': header('Asks for a key, and says whether one was sent.', {
    type: 'string',
    enum: [...new Set(challenges.values())],
  }),
};

const headersNamed = (...names: readonly (keyof typeof documentedHeaders)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const commonHeaders = headersNamed('X-Request-Id', 'RateLimit-Policy', 'RateLimit');
const replayHeader = headersNamed('Idempotent-Replayed');
const retryHeader = headersNamed('Retry-After');
const challengeHeader = headersNamed('WWW-Authenticate');

function byStatus(
  codes: readonly ErrorCode[],
  isAdminApi: boolean,
): ReadonlyMap<number, readonly ErrorCode[]> {
  return Map.groupBy(codes, (code) => statusOf(code, isAdminApi));
}

const errorName = (status: number) => statusText(status).replaceAll(' ', '');

/** OpenAPI 3.1 allows a description beside $ref. */
function errorReference(status: number, codes: readonly ErrorCode[], bodyBytesMax: number): Response {
  return {
    $ref: `#/components/responses/${errorName(status)}`,
    description: codesText(codes, bodyBytesMax),
  };
}

/** `codes`: all codes that routes of the document answer with this status. */
function errorResponse(status: number, codes: readonly ErrorCode[]): Response & { readonly content: object } {
  return {
    headers: {
      ...commonHeaders,
      ...(status === 429 || status === 503 ? retryHeader : {}),
      ...(codes.some((code) => challenges.has(code)) ? challengeHeader : {}),
    },
    description: usualSentences(codes),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' } } },
  };
}
