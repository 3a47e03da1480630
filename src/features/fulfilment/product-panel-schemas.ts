// Calls to the product as the console lists them.

import Type from 'typebox';
import { boundedCount } from '../../shared/list-schemas.ts';
import { failingSchema } from '../overview/overview-schemas.ts';

export const attentionCountSchema = Type.Object(
  {
    ...boundedCount.properties,
    failing: failingSchema,
  },
  { description: 'Calls of all accounts that ran out of attempts.' },
);

export const waitingCallsSchema = Type.Object({
  waiting: boundedCount,
  attention: boundedCount,
  failing: failingSchema,
  data: Type.Array(Type.Ref('ProductCall'), { description: 'The first 20.' }),
});
