// Validates bodies against their schemas. Also refuses invalid Unicode and control characters, which schemas cannot express.

import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import { fieldRefusal, type Refusal, typeReason } from '../../shared/error-catalog.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { refuseIf } from './request-refused.ts';

/** @returns the problem, or null. It does not return the body, which could look like a refusal. Ignores unknown fields. */
export type BodyCheck = (body: unknown) => Refusal | null;

export function createBodyReader<const Schema extends TSchema>(
  schema: Schema,
): (body: unknown) => Static<Schema> {
  const check = createBodyCheck(schema);
  return (body) => {
    refuseIf(check(body));
    return body as Static<Schema>;
  };
}

export function createBodyCheck(schema: TSchema): BodyCheck {
  // Compiled on first use, to keep the start fast.
  let compiled: Validator<TSchema> | null = null;
  return (value) => {
    compiled ??= Compile(schema);
    const validator = compiled;
    if (!validator.Check(value)) {
      const [, [first]] = validator.Errors(value);
      const said = patternReason(schema, first) ?? first?.message ?? 'is not valid';
      const reason = typeReason(valueAt(value, first), said);
      return fieldRefusal('validation_failed', fieldOf(first), reason);
    }
    return textProblem(value, schema, '');
  };
}

interface SchemaError {
  readonly keyword?: string;
  readonly instancePath: string;
  readonly params?: unknown;
}

/** Explains the allowed form by the schema's example, never by the pattern. */
function patternReason(schema: TSchema, error: SchemaError | undefined): string | null {
  if (error?.keyword !== 'pattern') return null;
  let at: unknown = schema;
  for (const name of error.instancePath.split('/').slice(1)) {
    const inner = isJsonObject(at) ? (own(at, 'properties') ?? own(at, 'items')) : null;
    at = isJsonObject(inner) ? (own(inner, name) ?? inner) : null;
  }
  const examples = isJsonObject(at) ? own(at, 'examples') : null;
  const [example] = Array.isArray(examples) ? examples : [];
  return typeof example === 'string'
    ? `must be like "${example}"`
    : 'has characters or a form that are not allowed';
}

function fieldOf(error: SchemaError | undefined): string {
  if (error === undefined) return '';
  const path = error.instancePath.split('/').filter((part) => part !== '');
  const params = error.params as { requiredProperties?: string[] } | undefined;
  const missing = params?.requiredProperties?.[0];
  return [...path, ...(missing === undefined ? [] : [missing])].join('.');
}

function valueAt(body: unknown, error: SchemaError | undefined): unknown {
  const names = error?.instancePath.split('/').slice(1) ?? [];
  return names.reduce<unknown>(
    (value, name) =>
      Array.isArray(value) ? value[Number(name)] : isJsonObject(value) ? own(value, name) : undefined,
    body,
  );
}

/** Refuses texts that the database or a terminal could not reproduce. Checks only fields of the schema. */
function textProblem(value: unknown, schema: TSchema, path: string): Refusal | null {
  if (typeof value === 'string') {
    const isShowable = value.isWellFormed() && !/\p{Cc}/u.test(value);
    return isShowable
      ? null
      : fieldRefusal('validation_failed', path, 'must be valid Unicode without control characters');
  }
  const inner = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (Array.isArray(value)) {
    const items = 'items' in schema && isJsonObject(schema.items) ? schema.items : {};
    return firstProblem(value.map((item, index) => textProblem(item, items, inner(String(index)))));
  }
  const properties = 'properties' in schema && isJsonObject(schema.properties) ? schema.properties : {};
  if (!isJsonObject(value)) return null;
  return firstProblem(
    Object.entries(properties).map(([name, property]) =>
      textProblem(own(value, name), isJsonObject(property) ? property : {}, inner(name)),
    ),
  );
}

function firstProblem(problems: readonly (Refusal | null)[]): Refusal | null {
  return problems.find((problem) => problem !== null) ?? null;
}
