import Type from 'typebox';
import { boundedCount } from '../../shared/list-schemas.ts';
import { nullable, time } from '../../shared/schema-parts.ts';

export const failingSchema = Type.Object(
  {
    ...boundedCount.properties,
    since: nullable(time('The first attempt of the one that failed first; null: none fails.')),
  },
  { description: 'Calls that the product did not take at their last attempt, and that are sent again.' },
);

export const attentionCountSchema = Type.Object(
  {
    ...boundedCount.properties,
    failing: failingSchema,
    payments: Type.Object(boundedCount.properties, { description: 'Payments that could not be booked.' }),
  },
  { description: 'Calls of all accounts that ran out of attempts.' },
);

export const waitingCallsSchema = Type.Object({
  waiting: boundedCount,
  attention: boundedCount,
  failing: failingSchema,
  data: Type.Array(Type.Ref('ProductCall'), { description: 'The first 20.' }),
});

export const productFiguresSchema = Type.Object({
  days: Type.Integer(),
  accepted: Type.Integer(),
  refused: Type.Integer({ description: 'Orders that the product refused.' }),
  failed: Type.Integer({ description: 'Calls that ran out of attempts and were given up.' }),
  median_milliseconds: nullable(Type.Integer({ description: 'null: none was accepted.' })),
  accepted_at: nullable(time('When the product last accepted a call.')),
  more: Type.Boolean({ description: 'There are more calls than were counted.' }),
});

export const heldOrdersSchema = Type.Object({
  total: Type.String({ description: 'What the accounts were charged.' }),
  count: Type.Integer(),
  more: Type.Boolean({ description: 'There are more than the 1,000 that are listed.' }),
  data: Type.Array(Type.Object({ order_id: Type.Integer(), amount: Type.String() })),
});
