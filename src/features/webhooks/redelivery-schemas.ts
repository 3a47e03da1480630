import Type, { type Static } from 'typebox';
import { nullable } from '../../shared/schema-parts.ts';

export const eventAtWebhookSchema = Type.Object({
  event: nullable(Type.Ref('AccountEvent')),
  waiting: nullable(
    Type.Object(
      {
        due_at: nullable(Type.String({ description: 'null: at once, or as soon as it is its turn.' })),
      },
      { description: 'When it is sent to the endpoint next; null: only if someone asks for it.' },
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
