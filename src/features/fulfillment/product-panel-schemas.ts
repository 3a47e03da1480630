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
