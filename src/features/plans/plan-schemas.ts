import Type, { type Static } from 'typebox';
import { cursorParameter, pageQuerySchema } from '../../shared/list-schemas.ts';
import {
  amount,
  example,
  keyInBody,
  monthsOf,
  oneOf,
  orNothing,
  period,
  text,
  time,
  word,
} from '../../shared/schema-parts.ts';
import { autoRenewSettings } from '../customers/customer-schemas.ts';
import { maxCharge, placeOrderBodySchema } from '../orders/order-schemas.ts';

export const grantTrialBodySchema = Type.Object(
  {
    package_id: Type.Integer({ description: 'A package that is a free trial.' }),
    customer: Type.String({ maxLength: 254 }),
    customer_name: Type.Optional(Type.String({ maxLength: 120 })),
    again: Type.Optional(
      Type.Boolean({ description: 'true: give it to a customer who has had this trial before.' }),
    ),
    idempotency_key: keyInBody,
  },
  example({ package_id: 4, customer: 'grace@example.com' }),
);

export const cancelPlanBodySchema = Type.Object(
  {
    at: oneOf(
      ['now', 'period_end'] as const,
      'now: at once, with a refund. period_end: when the paid time is over.',
    ),
    idempotency_key: keyInBody,
  },
  example({ at: 'period_end', idempotency_key: 'cancel-1001-1' }),
);

export const cancelPlanOfCustomerBodySchema = Type.Object(
  cancelPlanBodySchema.properties,
  example({ at: 'period_end', idempotency_key: 'ticket-4711' }),
);

const { package_id, months, period: ofMonths, max_charge } = placeOrderBodySchema.properties;
export const changePackageOfCustomerBodySchema = Type.Object(
  { package_id, months, period: ofMonths, max_charge, idempotency_key: keyInBody },
  example({ package_id: 2, months: 3, idempotency_key: 'ticket-4712' }),
);

export const cancelledPlanSchema = Type.Object({
  customer: Type.Ref('Customer'),
  refund: amount('The refund for the unused time.'),
  balance: amount('The balance right after it.'),
});

export const suspendPlanBodySchema = Type.Object(
  {
    reason: Type.Optional(text('Why, for your own history.', 200)),
    idempotency_key: keyInBody,
  },
  example({ reason: 'Invoice 2026-118 is unpaid', idempotency_key: 'suspend-1001-1' }),
);

export const autoRenewBodySchema = Type.Object(
  {
    months: Type.Optional(
      monthsOf('The months of each renewal. This or period is required; if both are sent, they must agree.'),
    ),
    period: Type.Optional(period),
    max_charge: Type.Optional(
      Type.Union([maxCharge, Type.Null()], {
        description: 'The most that a renewal may be charged; null or absent: no limit.',
      }),
    ),
    hours_before: Type.Optional(
      Type.Integer({
        description: 'How many hours before its end; 24 if it is not sent.',
        minimum: 1,
        maximum: 720,
      }),
    ),
    idempotency_key: keyInBody,
  },
  example({ months: 1, max_charge: '12.50', hours_before: 48, idempotency_key: 'auto-renew-1001-1' }),
);

const planState = Type.Object({
  status: word('As the status of a plan.', 'active'),
  package: text("The package's name.", 500),
  expires_at: time('When the plan ends.'),
});

const historyItemSchema = Type.Object(
  {
    type: word(
      'activated, renewed, changed: an order. trial_started, suspended, resumed, cancelled, cancelled_at_period_end, auto_renew_set, auto_renew_removed, renewal_failed. order_placed: an order that waited for the operator’s product; order_completed, order_failed: its outcome. Tolerate new values.',
      'renewed',
    ),
    at: time('When it happened.'),
    by: word(
      'account: you. operator: an administrator. service: a plan that renews itself. product: the operator’s product.',
      'account',
    ),
    from: orNothing(planState, 'The plan right before; null: there was none.'),
    to: planState,
    order: Type.Optional(Type.Ref('Order')),
    refund: Type.Optional(amount('The refund.')),
    reason: Type.Optional(text('Of a suspension, or of an order that failed: why.', 200)),
    code: Type.Optional(word('Of a renewal that failed: the error code.', 'insufficient_credit')),
    auto_renew: Type.Optional(
      Type.Object(autoRenewSettings, { description: 'How the plan is to renew itself.' }),
    ),
  },
  { $id: 'PlanHistoryItem' },
);

export type PlanHistoryItemView = Static<typeof historyItemSchema>;

export const planHistoryQuerySchema = Type.Object({
  cursor: cursorParameter,
  limit: { ...pageQuerySchema.properties.limit, examples: [25] },
});

export const planHistorySchema = Type.Object({
  data: Type.Array(Type.Ref('PlanHistoryItem'), { maxItems: 100 }),
  next_cursor: orNothing(
    Type.String({ description: 'Send it as cursor for the next page.', maxLength: 200 }),
    'null: there is nothing older.',
  ),
});

export const planNamedSchemas = [historyItemSchema];
