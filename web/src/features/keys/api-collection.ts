// A Postman collection (2.1, which Bruno imports too) of every request of the reseller's API, from its OpenAPI document.

interface Operation {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
  };
}

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
}

export interface Document {
  readonly info?: { readonly title?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const prefix = '/api/v1';

export function collectionOf(document: Document, baseUrl: string): object {
  const items = Object.entries(document.paths ?? {})
    .filter(([path]) => path.startsWith(`${prefix}/`) || path === prefix)
    .flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => methods.includes(method))
        .map(([method, operation]) => itemOf(document, path.slice(prefix.length), method, operation)),
    );
  return {
    info: {
      name: document.info?.title ?? '',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: baseUrl },
      { key: 'api_key', value: '' },
    ],
    item: items,
  };
}

function itemOf(document: Document, path: string, method: string, operation: Operation): object {
  const { summary = path, parameters = [], requestBody } = operation;
  const plain = path.replace(/\{(\w+)\}/g, ':$1');
  const body = exampleOf(document, requestBody);
  const query = parameters
    .filter((one) => one.in === 'query')
    .map(({ name = '' }) => ({ key: name, value: '', disabled: true }));
  const variable = [...path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => ({ key, value: '' }));
  const takesKey = parameters.some(({ name = '' }) => name.toLowerCase() === 'idempotency-key');
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      header: [
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...(takesKey ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
      ],
      url: {
        raw: `{{base_url}}${plain}`,
        host: ['{{base_url}}'],
        path: plain.split('/').filter((part) => part !== ''),
        ...(query.length > 0 && { query }),
        ...(variable.length > 0 && { variable }),
      },
      ...(body !== undefined && { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
    },
  };
}

function exampleOf({ components }: Document, requestBody: Operation['requestBody']): unknown {
  const content = requestBody?.content?.['application/json'];
  if (content === undefined) return undefined;
  const { schema = {} } = content;
  const named =
    schema.$ref === undefined ? schema : (components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  return content.example ?? named.example ?? named.examples?.[0] ?? {};
}
