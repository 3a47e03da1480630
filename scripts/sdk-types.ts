// Makes sdk/src/api-types.ts from openapi.json: types for every schema, body, query and answer, a table of operations, and
// the error codes. Called by from-openapi.ts. Throws on JSON Schema features that the document does not use.

import { documentedCodes } from '../src/platform/http/openapi-errors.ts';
import { isShapeName } from '../src/platform/http/openapi-names.ts';
import { type ErrorCode, errorCatalog } from '../src/shared/error-catalog.ts';
import {
  type OpenapiDocument,
  type Operation,
  operationsOf,
  type Schema,
  successOf,
} from './docs/openapi-document.ts';

export function sdkTypes(document: OpenapiDocument): string {
  const operations = operationsOf(document);
  const things = Object.entries(document.components.schemas).filter(([name]) => !isShapeName(name));
  const parts = [
    '// Made from openapi.json by scripts/from-openapi.ts: do not edit. The shapes of requests and answers, field for field.',
    '// Amounts are decimal strings in the currency of the service, times are ISO 8601 in UTC with whole seconds.',
    ...things.map(([name, schema]) => declaration(clientName(name), schema)),
    eventUnion(things.map(([name]) => name)),
    ...operations.flatMap(({ operation }) => operationTypes(operation)),
    `/** Every operation: where it is, and whether the service takes an idempotency key for it, or for each of what its body lists. */\nexport const operations = {\n${operations
      .map(({ path, method, operation }) => {
        const keyed = (operation.parameters ?? []).some(
          (each) => each.in === 'header' && each.name === 'idempotency-key',
        );
        const holdsKeys = listsKeyed(operation, document);
        return `  ${operation.operationId}: { method: '${method}', path: '${path}', takesKey: ${keyed}, holdsKeys: ${holdsKeys} },`;
      })
      .join('\n')}\n} as const;`,
    mapOf(
      'Answers',
      'What each operation answers with.',
      operations,
      ({ operationId }) => `${capitalized(operationId)}Answer`,
    ),
    mapOf(
      'Bodies',
      'What each operation that takes a body takes.',
      operations,
      ({ operationId, requestBody }) =>
        requestBody === undefined ? null : `${capitalized(operationId)}Body`,
    ),
    mapOf('Queries', 'What each operation that takes a query takes.', operations, (operation) =>
      queryOf(operation).length === 0 ? null : `${capitalized(operation.operationId)}Query`,
    ),
    `/** Error codes of the API. New ones may be added: tolerate others. */\nexport type ErrorCode =\n${codesOf(
      operations.map(({ operation }) => operation),
      document,
    )
      .map((code) => `  | '${code}'`)
      .join('\n')};`,
  ];
  return `${parts.join('\n\n')}\n`.replace('\n\n//', '\n//');
}

function eventUnion(names: readonly string[]): string {
  const events = names.filter((name) => /.Event$/.test(name) && name !== 'AccountEvent');
  return `/** By \`type\`. New types may be added: tolerate others. */\nexport type KnownEvent =\n${events.map((name) => `  | ${name}`).join('\n')};`;
}

/** The client keeps its own public names; the names in the document are chosen for all languages. */
function clientName(name: string): string {
  return name === 'ApiError' ? 'ErrorEnvelope' : name === 'PlanPackage' ? 'Package' : name;
}

function listsKeyed({ requestBody }: Operation, { components }: OpenapiDocument): boolean {
  const lists = Object.values(requestBody?.content['application/json'].schema.properties ?? {});
  const things = lists.flatMap(({ items }) => items?.anyOf ?? items ?? []);
  const named = things.map(({ $ref = '' }) => components.schemas[$ref.replace('#/components/schemas/', '')]);
  return named.length > 0 && named.every((thing) => thing?.required?.includes('idempotency_key') === true);
}

function codesOf(operations: readonly Operation[], document: OpenapiDocument): readonly string[] {
  const codes = new Set<ErrorCode>([
    'not_found',
    'method_not_allowed',
    ...operations.flatMap((operation) => documentedCodes(operation, document)),
  ]);
  return Object.keys(errorCatalog).filter((code) => codes.has(code as ErrorCode));
}

function mapOf(
  name: string,
  comment: string,
  all: readonly { readonly operation: Operation }[],
  typeFor: (operation: Operation) => string | null,
): string {
  const lines = all.flatMap(({ operation }) => {
    const type = typeFor(operation);
    return type === null ? [] : [`  ${operation.operationId}: ${type};`];
  });
  return `/** ${comment} */\nexport interface ${name} {\n${lines.join('\n')}\n}`;
}

function queryOf({ parameters = [] }: Operation) {
  return parameters.filter((each) => each.in === 'query');
}

function operationTypes(operation: Operation): string[] {
  const { operationId, requestBody } = operation;
  const name = capitalized(operationId);
  const query = queryOf(operation);
  const types: string[] = [];
  if (query.length > 0) {
    const properties = Object.fromEntries(
      query.map(({ name: property, description, schema }) => [
        property,
        description === undefined ? schema : { ...schema, description },
      ]),
    );
    types.push(declaration(`${name}Query`, { type: 'object', properties }));
  }
  const body = requestBody?.content['application/json'].schema;
  if (body !== undefined) types.push(declaration(`${name}Body`, body));
  types.push(declaration(`${name}Answer`, successOf(operation).schema));
  return types;
}

function declaration(name: string, schema: Schema): string {
  return schema.type === 'object' && schema.properties !== undefined
    ? `export interface ${name} ${typeOf(schema, '')}`
    : `export type ${name} = ${typeOf(schema, '')};`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return clientName(schema.$ref.replace('#/components/schemas/', ''));
  if (schema.enum !== undefined)
    return schema.enum.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'null':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items ?? {}, indent);
      return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      if (schema.additionalProperties !== undefined)
        return `Record<string, ${typeOf(schema.additionalProperties, indent)}>`;
      return `{\n${Object.entries(schema.properties ?? {})
        .map(([name, property]) =>
          field(name, property, schema.required?.includes(name) === true, `${indent}  `),
        )
        .join('\n')}\n${indent}}`;
    case undefined:
      return 'unknown';
    default:
      throw new Error(`The type "${schema.type}" is not known here.`);
  }
}

function field(name: string, schema: Schema, isRequired: boolean, indent: string): string {
  const comment = commentOf(schema);
  const shown = comment === '' ? '' : `${indent}/** ${comment} */\n`;
  // "| undefined" helps programs that use exactOptionalPropertyTypes and pass values that may be undefined.
  const type = typeOf(schema, indent);
  return `${shown}${indent}${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`;
}

function commentOf({ description = '', minLength, maxLength, minimum, maximum, ...rest }: Schema): string {
  const sentences = [description];
  if (maxLength !== undefined)
    sentences.push(
      minLength === undefined
        ? `At most ${maxLength} characters.`
        : `${minLength} to ${maxLength} characters.`,
    );
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    sentences.push(`${minimum} to ${maximum}.`);
  if (rest.default !== undefined) sentences.push(`Default: ${rest.default}.`);
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function capitalized(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
