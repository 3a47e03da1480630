import Type, { type Static } from 'typebox';
import { oneOfParameter, ownerSchema, wordsParameter } from '../../shared/list-schemas.ts';
import { nullable, text } from '../../shared/schema-parts.ts';
import { changeCustomerBodySchema, customerSchema } from './customer-schemas.ts';

const panelFields = Type.Object({
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

export const panelCustomerSchema = Type.Object({ ...customerSchema.properties, ...panelFields.properties });

export const listedCustomerSchema = Type.Object({
  ...customerSchema.properties,
  ...Type.Partial(panelFields).properties,
});

export const customerPageFilters = {
  words: wordsParameter(
    'Words in any order, each part of a reference, name or external_ref, in any case and with or without accents; or an id of a customer, or of an order of theirs.',
  ),
  plan_status: oneOfParameter(
    ['active', 'suspended', 'cancelled', 'expired'] as const,
    'Customers whose plan has this status.',
  ),
  auto_renew: oneOfParameter(['on', 'off'] as const, 'Customers whose plan renews itself, or does not.'),
  ends_within: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      description: 'Days: the plan runs now and ends within so many. In place of the two times.',
    }),
  ),
  sort: oneOfParameter(
    ['expires_at', '-expires_at'] as const,
    'expires_at: the plan that ends first comes first; -expires_at: the one that ends last. Otherwise the newest.',
  ),
};

export const accountCustomerSchema = Type.Object({
  ...panelCustomerSchema.properties,
  account: ownerSchema,
});

export const pricedCustomerSchema = Type.Object({
  ...accountCustomerSchema.properties,
  price: nullable(
    Type.Object({ amount: Type.String(), months: Type.Integer() }, { description: 'Of the last order.' }),
  ),
});

export const panelChangeCustomerBodySchema = Type.Object({
  ...changeCustomerBodySchema.properties,
  reason: Type.Optional(text('Why, for the audit log.', 200)),
});

export type PanelCustomerView = Static<typeof panelCustomerSchema>;
export type PricedCustomerView = Static<typeof pricedCustomerSchema>;
