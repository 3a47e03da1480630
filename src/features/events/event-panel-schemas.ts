// What the panel's pages of events and endpoints ask besides the API, as JSON Schema (docs/panel-api.md).

import Type, { type Static } from 'typebox';

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const latestEventsFilterSchema = Type.Object({
  type: Type.Optional(Type.String({ description: 'Events of this type alone.' })),
  before: Type.Optional(
    Type.Unsafe<string>({ type: 'integer', minimum: 1, description: 'next_before of the previous page.' }),
  ),
});

export const latestEventsSchema = Type.Object({
  data: Type.Array(Type.Ref('AccountEvent')),
  next_before: nullable(Type.Integer({ description: 'Ask for the next page with it.' })),
  written: Type.Boolean({
    description:
      'false: no event of this account is written, until it has an endpoint or alerts, or its feed is read through the API.',
  }),
});

export const eventAtWebhookSchema = Type.Object({
  event: nullable(Type.Ref('AccountEvent')),
  waiting: nullable(
    Type.Object(
      {
        due_at: nullable(Type.String({ description: 'null: at once, or as soon as it is its turn.' })),
      },
      { description: 'When the endpoint is sent it next; null: it is not, unless somebody asks for it.' },
    ),
  ),
});

export const sinceFilterSchema = Type.Object({
  from: Type.Optional(
    Type.String({
      description: 'The first second; absent: all that are kept.',
      examples: ['2026-01-31T12:00:00Z'],
    }),
  ),
});

export const sinceCountSchema = Type.Object({
  count: Type.Integer({ description: 'Events of the endpoint’s types.' }),
  more: Type.Boolean({ description: 'There are more than these.' }),
});

export type SinceCountView = Static<typeof sinceCountSchema>;
