// Writes the schemas of openapi.json as Markdown: nested lists of fields with types, limits and descriptions. Pure.

import type { Schema } from './openapi-document.ts';

export type LinkOf = (name: string) => string;

export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** What a body is made of: the fields of an object; of everything else its type and what it holds. */
export function schemaText(schema: Schema, linkOf: LinkOf): string {
  const { nonNull } = splitNull(schema);
  const head = nonNull.properties === undefined ? headOf(schema, linkOf) : '';
  return [...(head === '' ? [] : [head]), ...partsOf(schema, linkOf)].join('\n\n');
}

/** Required fields first, and by name. */
function fieldsOf({ properties = {}, required = [] }: Schema): readonly Field[] {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    ...{ name, schema },
    isRequired: required.includes(name),
  }));
  return fields.sort(
    (one, other) =>
      Number(other.isRequired) - Number(one.isRequired) || one.name.localeCompare(other.name, 'en'),
  );
}

export function listOf(fields: readonly Field[], linkOf: LinkOf): string {
  return fields
    .map(({ name, isRequired, schema }) => {
      const head = headOf(schema, linkOf);
      const label = `**\`${name}\`${isRequired ? ' (required)' : ''}**`;
      return itemOf(head === '' ? label : `${label}: ${head}`, schema, linkOf);
    })
    .join('\n');
}

function itemOf(head: string, schema: Schema, linkOf: LinkOf): string {
  const parts = partsOf(schema, linkOf);
  // A list that directly follows its item is part of it; text needs an empty line.
  const gap = parts[0]?.startsWith('- ') ? '\n' : '\n\n';
  const text = parts.length === 0 ? head : `${head}${gap}${parts.join('\n\n')}`;
  return `- ${text.replaceAll(/\n(?!\n)/g, '\n  ')}`;
}

/** The description and what is inside, in paragraphs. */
function partsOf(schema: Schema, linkOf: LinkOf): readonly string[] {
  const { nonNull } = splitNull(schema);
  const { properties, items, additionalProperties, anyOf } = nonNull;
  const parts = schema.description === undefined ? [] : [proseOf(schema.description)];
  if (properties !== undefined) parts.push(listOf(fieldsOf(nonNull), linkOf));
  if (items !== undefined && referencesIn(items, linkOf) === undefined)
    parts.push(labeled('Items', items, linkOf));
  if (additionalProperties !== undefined) parts.push(labeled('Each value', additionalProperties, linkOf));
  if (anyOf !== undefined && referencesIn(nonNull, linkOf) === undefined)
    parts.push(`**One of:**\n${anyOf.map((each) => itemOf(headOf(each, linkOf), each, linkOf)).join('\n')}`);
  return parts;
}

function labeled(label: string, schema: Schema, linkOf: LinkOf): string {
  const text = schemaText(schema, linkOf);
  return `**${label}:**${text.startsWith('- ') ? '\n' : '\n\n'}${text}`;
}

/** The type with its limits, or links to the named objects; empty for a choice of types, which partsOf lists. */
function headOf(schema: Schema, linkOf: LinkOf): string {
  const { nonNull, isNullable } = splitNull(schema);
  const references = referencesIn(nonNull, linkOf);
  if (references !== undefined) return references.join(' | ') + (isNullable ? ' | `null`' : '');
  if (nonNull.anyOf !== undefined) return '';
  const named = nonNull.items && referencesIn(nonNull.items, linkOf);
  const [first = '', ...others] = named ?? [];
  const type = `\`${nonNull.type ?? 'any'}${isNullable ? ' | null' : ''}\``;
  const array = `array of ${others.length === 0 ? first : `(${[first, ...others].join(' | ')})`}`;
  const values = nonNull.enum?.map((value) => JSON.stringify(value)).join(', ');
  const limits = limitNames.flatMap((name) => {
    const limit = nonNull[name];
    // JavaScript's largest safe integer is no limit of the API.
    return limit === undefined || limit === Number.MAX_SAFE_INTEGER ? [] : [`${name}: \`${limit}\``];
  });
  return [
    named === undefined ? type : array,
    ...limits,
    ...(values === undefined ? [] : [`possible values: \`${values}\``]),
  ].join(', ');
}

const limitNames = [
  ...(['format', 'default', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const),
  'pattern',
] as const;

/** Links, if the schema is a named object or a choice of named objects. */
function referencesIn({ $ref, anyOf }: Schema, linkOf: LinkOf): readonly string[] | undefined {
  if ($ref !== undefined) return [linkOf($ref.replace('#/components/schemas/', ''))];
  const names = anyOf?.flatMap((each) => (each.$ref === undefined ? [] : (referencesIn(each, linkOf) ?? [])));
  return names === undefined || names.length < (anyOf?.length ?? 0) ? undefined : names;
}

/** VitePress would take "<id>" for an element. */
export function proseOf(text: string): string {
  return text.replaceAll('<', '&lt;');
}

/** A choice between null and one other type is written as one type. */
function splitNull(schema: Schema): { readonly nonNull: Schema; readonly isNullable: boolean } {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  const [only] = others ?? [];
  if (only === undefined || others?.length !== 1) return { nonNull: schema, isNullable: false };
  return { nonNull: only, isNullable: true };
}
