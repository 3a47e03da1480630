// The API reference lists the fields of a schema with their types and limits (scripts/docs/schema-text.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schema } from '../../scripts/docs/openapi-document.ts';
import { schemaText } from '../../scripts/docs/schema-text.ts';

const linkOf = (name: string) => `[${name}](${name}.md)`;
const textOf = (schema: Schema) => schemaText(schema, linkOf);

test('required fields come first, each kind by name, with limits and descriptions', () => {
  const schema: Schema = {
    ...{ type: 'object', required: ['size', 'id'] },
    properties: {
      note: { type: 'string', maxLength: 80, pattern: '^a$', description: 'Of <id>.' },
      size: { type: 'string', enum: ['s', 'm'] },
      id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
  };
  assert.equal(
    textOf(schema),
    [
      '- **`id` (required)**: `integer`, minimum: `1`',
      '- **`size` (required)**: `string`, possible values: `"s", "m"`',
      '- **`note`**: `string`, maxLength: `80`, pattern: `^a$`',
      '',
      '  Of &lt;id>.',
    ].join('\n'),
  );
});

test('objects in objects are indented, and what may be null says so', () => {
  const inner: Schema = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } };
  const by: Schema = { description: 'null: unknown.', anyOf: [inner, { type: 'null' }] };
  assert.equal(
    textOf({ type: 'object', properties: { by, of: inner } }),
    [
      '- **`by`**: `object | null`',
      '',
      '  null: unknown.',
      '',
      '  - **`at`**: `string`, format: `date-time`',
      '- **`of`**: `object`',
      '  - **`at`**: `string`, format: `date-time`',
    ].join('\n'),
  );
});

test('named objects are linked, alone, in a list and to choose from', () => {
  const one: Schema = { $ref: '#/components/schemas/One' };
  const two: Schema = { $ref: '#/components/schemas/Two' };
  assert.equal(
    textOf({
      type: 'object',
      properties: {
        a: one,
        b: { type: 'array', items: one, maxItems: 3 },
        c: { type: 'array', items: { anyOf: [one, two] } },
      },
    }),
    [
      '- **`a`**: [One](One.md)',
      '- **`b`**: array of [One](One.md), maxItems: `3`',
      '- **`c`**: array of ([One](One.md) | [Two](Two.md))',
    ].join('\n'),
  );
});

test('lists, values and choices show what is in them', () => {
  assert.equal(
    textOf({
      type: 'object',
      properties: {
        limits: {
          type: 'object',
          additionalProperties: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
        },
        tags: { type: 'array', items: { type: 'string', description: 'One tag.' } },
      },
    }),
    [
      '- **`limits`**: `object`',
      '',
      '  **Each value:**',
      '',
      '  **One of:**',
      '  - `integer`',
      '  - `boolean`',
      '- **`tags`**: `array`',
      '',
      '  **Items:**',
      '',
      '  `string`',
      '',
      '  One tag.',
    ].join('\n'),
  );
});
