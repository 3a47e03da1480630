// Customers as the pages list them.

import Type, { type Static } from 'typebox';
import { moment, ownerSchema, packageFilter, total } from '../../shared/list-schemas.ts';
import { customerSchema } from './customer-schemas.ts';

export const panelCustomerSchema = Type.Object({
  ...customerSchema.properties,
  days_left: Type.Integer({ minimum: 0 }),
  seconds_left: Type.Integer({
    minimum: 0,
    description: 'How long the plan still runs; 0 once it has ended.',
  }),
  order_pending: Type.Boolean({
    description:
      'An order of theirs waits for the operator’s product; the plan is as it was before the order.',
  }),
});

export const customerFilterSchema = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Words in any order, each part of a reference, name or external_ref, whatever case and accents; or an id of a customer, or of an order of theirs.',
    }),
  ),
  state: Type.Optional(Type.String({ description: 'active, suspended, cancelled or expired.' })),
  package_id: packageFilter,
  expires_from: moment('The plan ends then, or on that UTC day, or later.'),
  expires_to: moment('The plan ends then, or on that UTC day, or earlier.'),
  ends_within: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      description: 'Days: the plan runs now and ends within so many. In place of the two times.',
    }),
  ),
  sort: Type.Optional(
    Type.String({
      description:
        'expires_at: whose plan ends first comes first; -expires_at: whose ends last. Otherwise the newest.',
    }),
  ),
  limit: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum: 500, default: 50 })),
  before: Type.Optional(Type.String({ description: 'next_before of the previous page.' })),
});

export const customerPageSchema = Type.Object({
  data: Type.Array(panelCustomerSchema),
  next_before: Type.Union([Type.Integer(), Type.String(), Type.Null()], {
    description: 'Ask for the next page with it, even if this page is short. With sort it is a text.',
  }),
  total,
});

export const accountCustomerSchema = Type.Object({
  ...panelCustomerSchema.properties,
  account: ownerSchema,
});

export type PanelCustomerView = Static<typeof panelCustomerSchema>;
