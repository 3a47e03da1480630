import Type, { type Static } from 'typebox';
import { errorSchema } from '../../shared/error-schema.ts';
import { amount, example, id, monthsOf } from '../../shared/schema-parts.ts';
import { placedOrderSchema, placeOrderBodySchema, renewOrderBodySchema } from './order-schemas.ts';

/** The body limit is several times what this many orders usually take. */
export const bulkOrdersMax = 500;
export const bulkBytesMax = 524_288;

const keyInBulk = Type.String({
  description: 'Visible ASCII characters. Sent again with its key, an order is never charged twice.',
  minLength: 1,
  maxLength: 80,
});
const { idempotency_key: _minted, ...placeFields } = placeOrderBodySchema.properties;
export const orderToPlaceSchema = Type.Object(
  { ...placeFields, idempotency_key: keyInBulk },
  { $id: 'OrderToPlace', description: 'The body of POST /orders, with its own idempotency key.' },
);
export const orderToRenewSchema = Type.Object(
  {
    renew: id('The order to renew.'),
    months: renewOrderBodySchema.properties.months,
    period: renewOrderBodySchema.properties.period,
    max_charge: renewOrderBodySchema.properties.max_charge,
    idempotency_key: keyInBulk,
  },
  { $id: 'OrderToRenew', description: 'A renewal: the order, and the body of POST /orders/{id}/renew.' },
);
export const customerToRenewSchema = Type.Object(
  {
    renew_customer: Type.Union(
      [
        id('The id of the customer.'),
        Type.String({ description: 'The reference of the customer.', pattern: '^[!-~]+$', maxLength: 254 }),
      ],
      { description: 'The customer whose present plan is renewed, by its last order: id or reference.' },
    ),
    months: Type.Optional(
      monthsOf(
        'If neither months nor period is sent: the months of the last order. If both are, they must agree.',
      ),
    ),
    period: renewOrderBodySchema.properties.period,
    max_charge: renewOrderBodySchema.properties.max_charge,
    idempotency_key: keyInBulk,
  },
  { $id: 'CustomerToRenew', description: 'A renewal that names the customer, not an order.' },
);

export const bulkBodySchema = Type.Object(
  {
    orders: Type.Array(
      Type.Union([Type.Ref('OrderToPlace'), Type.Ref('OrderToRenew'), Type.Ref('CustomerToRenew')]),
      {
        description: 'Carried out in this order, as if they were sent one after another.',
        minItems: 1,
        maxItems: bulkOrdersMax,
      },
    ),
  },
  example({
    orders: [
      { package_id: 2, customer: 'katherine@example.com', idempotency_key: 'bulk-1001' },
      { renew: 2_000_000_001, months: 12, idempotency_key: 'bulk-1002' },
      { renew_customer: 'ada@example.com', idempotency_key: 'bulk-1003' },
    ],
  }),
);

export const placedInBulkSchema = Type.Object(
  {
    status: Type.Integer({ description: 'As of the single request: 201.', minimum: 200, maximum: 299 }),
    order: Type.Ref('Order'),
    balance: amount('The balance right after this order.'),
    replayed: Type.Boolean({
      description: 'true: this order was placed before, and nothing was charged again.',
    }),
    login_url: placedOrderSchema.properties.login_url,
  },
  { $id: 'PlacedInBulk' },
);
export const refusedInBulkSchema = Type.Object(
  {
    status: Type.Integer({
      description:
        'What the single request would be answered with: 402, say. 5xx: send it again with the same key.',
      minimum: 400,
      maximum: 599,
    }),
    error: errorSchema.properties.error,
  },
  { $id: 'RefusedInBulk' },
);
export const bulkAnswerSchema = Type.Object({
  results: Type.Array(Type.Union([Type.Ref('PlacedInBulk'), Type.Ref('RefusedInBulk')]), {
    description:
      'One for each order, in the order sent. Those that were placed have order, the others error.',
    maxItems: bulkOrdersMax,
  }),
  balance: amount('The balance right after the last order that was placed; if none was, the present one.'),
});
export type BulkResult = Static<typeof placedInBulkSchema> | Static<typeof refusedInBulkSchema>;
