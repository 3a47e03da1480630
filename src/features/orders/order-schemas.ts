// Schemas of orders and previews. For order bodies they only document: parse-order-request.ts reads those, because its
// checks have their own order and error codes.

import Type, { type Static } from 'typebox';
import {
  amount,
  currency,
  customerEmail,
  customerReference,
  databaseIntegerMax,
  example,
  id,
  keyInBody,
  months,
  monthsOf,
  orNothing,
  packageName,
  period,
  signedAmount,
  text,
  time,
  word,
} from '../../shared/schema-parts.ts';
import { priceRule } from '../packages/package-schemas.ts';

const priceRuleDetails = {
  price_from: Type.Optional(
    time(
      'account: when the account’s price list began. held: when the price change began from which the plan is exempt.',
    ),
  ),
  percent_off: Type.Optional(amount('account: the percentage that the list takes off the group’s price.')),
};

export const orderSchema = Type.Object(
  {
    id: id('Unique in the service.'),
    kind: word(
      'activate: the customer had no running plan. renew: the running plan was extended, or an order was renewed. change: another running plan was replaced. Tolerate new values.',
      'activate',
    ),
    status: word(
      'completed; pending: it waits for the operator’s product; failed: the product did not accept it, and the charge was refunded. Tolerate new values.',
      'completed',
    ),
    package: Type.Object({ id: id('The package.'), name: packageName }),
    months,
    period,
    customer: Type.Object({
      id: id('The customer.'),
      reference: customerReference('The e-mail address or username the order was for, normalized.'),
      email: customerEmail,
    }),
    price: amount('The full price that was charged.'),
    price_rule: priceRule,
    ...priceRuleDetails,
    refund: amount('The refund for the unused time of the plan that this order replaced.'),
    currency,
    expires_at: time('When the plan ends after this order.'),
    created_at: time('When the order was placed.'),
    idempotency_key: Type.String({
      description: 'The key that was sent, or the one that was minted.',
      pattern: '^[!-~]{1,80}$',
      maxLength: 80,
    }),
    failure: Type.Optional(
      Type.Object(
        {
          reason: orNothing(
            text('Why it failed, in the words of the product or of the operator.', 200),
            'null: no reason was given.',
          ),
          at: time('When it failed.'),
          refunded: amount('The net refund because the order failed.'),
        },
        { description: 'Present only if the order has failed.' },
      ),
    ),
  },
  { $id: 'Order' },
);

export const listedOrderSchema = Type.Object(
  {
    ...orderSchema.properties,
    account: Type.Object({ id: id('The account.'), username: text('Its name for signing in.', 64) }),
  },
  { $id: 'ListedOrder' },
);

export const allOrdersSchema = Type.Object({
  data: Type.Array(Type.Ref('ListedOrder'), { maxItems: 100 }),
  next_cursor: orNothing(
    Type.String({
      description: 'Ask for the next page with it, even if this page is short or empty.',
      pattern: '^[A-Za-z0-9_.-]+$',
      maxLength: 1_300,
    }),
    'null: this is the last page.',
  ),
});

export const placedOrderSchema = Type.Object({
  order: Type.Ref('Order'),
  balance: amount('The balance right after this order.'),
  login_url: Type.Optional(
    Type.String({
      description: 'Single-use login link for the customer; present when return_login was true.',
      format: 'uri',
      maxLength: 2_048,
    }),
  ),
});
export const renewedOrderSchema = Type.Object({
  order: Type.Ref('Order'),
  balance: amount('The balance right after this order.'),
});
export const orderAnswerSchema = Type.Object({ order: Type.Ref('Order') });

// No field has a default, because generated clients would send it even if another field contradicts it.
export const maxCharge = Type.String({
  description:
    'The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: the least that must come back. Two requests that differ only in max_charge count as the same request.',
  pattern: '^-?\\d{1,12}(\\.\\d{1,2})?$',
  maxLength: 16,
  examples: ['12.50'],
});

export const placeOrderBodySchema = Type.Object(
  {
    package_id: Type.Integer({
      description: 'An id from GET /packages.',
      minimum: 1,
      maximum: databaseIntegerMax,
    }),
    customer: Type.String({
      description: 'An e-mail address, or a username of letters, digits, dot, underscore, hyphen.',
      maxLength: 254,
      examples: ['ada@example.com'],
    }),
    months: Type.Optional(
      monthsOf(
        'The length of the period in months; 1 if neither months nor period is sent. If both are, they must agree.',
      ),
    ),
    period: Type.Optional(period),
    customer_name: Type.Optional(
      Type.String({ description: 'Display name for a new customer.', maxLength: 120 }),
    ),
    max_charge: Type.Optional(maxCharge),
    return_login: Type.Optional(
      Type.Boolean({ description: 'true: the answer carries login_url. Otherwise it has none.' }),
    ),
    idempotency_key: keyInBody,
  },
  example({
    package_id: 1,
    customer: 'ada@example.com',
    customer_name: 'Ada Lovelace',
    return_login: true,
    idempotency_key: 'signup-1001',
  }),
);

export const renewOrderBodySchema = Type.Object(
  {
    months: Type.Optional(
      monthsOf(
        'If neither months nor period is sent: the months of the renewed order. If both are, they must agree.',
      ),
    ),
    period: Type.Optional(period),
    max_charge: Type.Optional(maxCharge),
    idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  },
  example({ months: 3, idempotency_key: 'renewal-1001-1' }),
);

const { package_id, customer, ...ofAnyOrder } = placeOrderBodySchema.properties;
export const orderPreviewBodySchema = Type.Object(
  {
    package_id: Type.Optional(package_id),
    customer: Type.Optional(customer),
    ...ofAnyOrder,
    order_id: Type.Optional(id('In place of package_id and customer: the order to renew.')),
    renew_customer: Type.Optional(
      Type.Union(
        [id('Its id.'), Type.String({ description: 'Its reference.', pattern: '^[!-~]+$', maxLength: 254 })],
        {
          description: 'In place of those: the customer whose present plan is renewed.',
        },
      ),
    ),
  },
  example({ package_id: 1, customer: 'ada@example.com', months: 3 }),
);

export const orderPreviewSchema = Type.Object(
  {
    kind: word('activate, renew or change, as in an order. Tolerate new values.', 'change'),
    package: Type.Object({ id: id('The package.'), name: packageName }),
    months,
    period,
    price: amount('The full price.'),
    price_rule: priceRule,
    ...priceRuleDetails,
    refund: amount('The refund for the unused time of the plan that would be replaced.'),
    charge: signedAmount('price − refund: what would be taken from the balance. Negative: given back.'),
    currency,
    balance: amount('The balance before the order.'),
    balance_after: amount('The balance after it.'),
    starts_at: time('When the plan began, or would begin: as starts_at of the customer’s plan.'),
    expires_at: time('When the plan would end.'),
  },
  { $id: 'OrderPreview' },
);
export const orderPreviewAnswerSchema = Type.Object({ preview: Type.Ref('OrderPreview') });
export type OrderPreviewView = Static<typeof orderPreviewSchema>;

export type ListedOrderView = Static<typeof listedOrderSchema>;
export type OrderView = Static<typeof orderSchema>;

export const orderCodes = [
  'invalid_idempotency_key',
  'invalid_months',
  'invalid_max_charge',
  'idempotency_conflict',
  'package_unavailable',
  'customer_erased',
  'order_failed',
  'test_full',
  'price_changed',
  'insufficient_credit',
] as const;
