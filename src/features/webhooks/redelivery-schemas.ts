import Type, { type Static } from 'typebox';
import { nullable } from '../../shared/schema-parts.ts';
import { deliverySchema } from './webhook-schemas.ts';

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

const counts = {
  delivered: Type.Integer({ description: 'Attempts that the endpoint took.' }),
  failed: Type.Integer({ description: 'All other attempts.' }),
};
const more = Type.Boolean({ description: 'Only the latest attempts are counted: there are too many.' });

export const deliveryCountsSchema = Type.Object({
  days: Type.Integer(),
  data: Type.Array(Type.Object({ webhook_id: Type.Integer(), ...counts, more })),
});

export const deliveryFiguresSchema = Type.Object({
  ...counts,
  more,
  median_milliseconds: nullable(Type.Integer({ description: 'null: there was no attempt.' })),
  p95_milliseconds: nullable(Type.Integer({ description: 'Of a hundred attempts, 95 were as fast.' })),
  days: Type.Array(Type.Object({ date: Type.String({ description: 'A UTC day.' }), ...counts })),
});

export const deliveriesOfEventSchema = Type.Object({
  data: Type.Array(Type.Object({ ...deliverySchema.properties, webhook_id: Type.Integer() })),
});

export type SinceCountView = Static<typeof sinceCountSchema>;
