// Orders as the pages list them.

import Type from 'typebox';
import {
  before,
  cursorPageOf,
  moment,
  ownerSchema,
  packageFilter,
  total,
} from '../../shared/list-schemas.ts';

export const orderFilterSchema = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Words of the customer, as in the list of customers; the id of the customer or of the order; an idempotency key.',
    }),
  ),
  customer: Type.Optional(
    Type.String({ description: 'A reference, or the id of a customer: this one alone.' }),
  ),
  kind: Type.Optional(Type.String({ description: 'activate, renew or change.' })),
  status: Type.Optional(Type.String({ description: 'pending, completed or failed.' })),
  package_id: packageFilter,
  idempotency_key: Type.Optional(Type.String()),
  from: moment('The first moment, or UTC day.'),
  to: moment('The last moment, or UTC day.'),
  before,
});

export const orderPageSchema = Type.Object({ ...cursorPageOf(Type.Ref('Order')).properties, total });

export const orderWithEntriesSchema = Type.Object({
  order: Type.Ref('Order'),
  entries: Type.Array(Type.Ref('LedgerEntry')),
});

export const accountOrderSchema = Type.Object({
  ...orderWithEntriesSchema.properties,
  account: ownerSchema,
});
