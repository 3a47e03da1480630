// Event types and their data as JSON Schema, for the document, the feed, deliveries and the client's types.

import Type, { type Static, type TProperties } from 'typebox';
import {
  amount,
  count,
  currency,
  id,
  months,
  orNothing,
  packageName,
  period,
  signedAmount,
  text,
  time,
  word,
} from '../../shared/schema-parts.ts';

interface EventDescription {
  /** One sentence that says when the event occurs. */
  readonly summary: string;
  readonly data: TProperties;
}

const customer = Type.Ref('Customer');
const orderId = orNothing(id('The order that caused it.'), 'null: a free trial.');
const by = word('account or operator: who did it. Tolerate new values.', 'account');
const ofOrder = { customer, order_id: orderId };
const ofEntry = {
  entry_id: id('The ledger entry.'),
  amount: signedAmount('By how much the balance moved.'),
  memo: orNothing(text('What it was for.', 500), 'null: nothing was noted.'),
  balance: amount('The balance right after it.'),
  currency,
};
const ofUnpaidTopup = {
  topup: Type.Object({
    id: id('The top-up.'),
    method: word('card or bank_transfer. Tolerate new values.', 'card'),
    status: word('As in GET /topups, right after the event. Tolerate new values.', 'paid'),
    amount: amount('What is paid.'),
    refunded: amount('The part that was refunded or returned.'),
    disputed: amount('The part that was disputed and not won back.'),
    currency,
  }),
};
const ofTopup = {
  ...ofUnpaidTopup,
  balance: amount('The balance right after it.'),
  receivable: amount('What the account owes right after it, because the balance did not cover it.'),
};
const ofKey = {
  id: Type.Optional(id('The key; absent in events from before accounts could have several keys.')),
  name: Type.Optional(text('Its name; also absent in those events.', 80)),
  last_four: Type.String({
    description: 'The last four characters of the key.',
    pattern: '^[0-9A-Za-z]{4}$',
    maxLength: 4,
  }),
};
const createdKey = Type.Object(ofKey);
const revokedKey = Type.Object({
  ...ofKey,
  ends_at: Type.Optional(
    time('Until when it still works, because another secret replaced it; absent: it has stopped working.'),
  ),
});

export const eventDescriptions = {
  'order.completed': {
    summary:
      'An order was placed and charged, or a plan renewed itself. In the mode confirm, after the product accepted it.',
    data: { order: Type.Ref('Order'), balance: amount('The balance right after it.') },
  },
  'order.failed': {
    summary: 'The product refused a pending order. The charge was refunded and the plan is as before.',
    data: {
      order: Type.Ref('Order'),
      reason: orNothing(
        text('Why, in the words of the product or of the operator.', 500),
        'null: no reason was given.',
      ),
      balance: amount('The balance right after it.'),
    },
  },
  'plan.activated': { summary: 'A customer without a running plan got a plan.', data: ofOrder },
  'plan.renewed': {
    summary: 'A plan was extended, or renewed after its end, by an order or by auto-renewal.',
    data: ofOrder,
  },
  'plan.changed': {
    summary: 'A running plan was replaced by a plan of another package.',
    data: { ...ofOrder, by },
  },
  'plan.suspended': {
    summary: 'A hold was set on a customer: access stopped, but the plan’s time runs on.',
    data: { customer, by, reason: orNothing(text('The account’s note.', 500), 'null: nothing.') },
  },
  'plan.resumed': {
    summary: 'A hold was lifted, or a cancel at the end of the period was withdrawn.',
    data: { customer, by },
  },
  'plan.cancelled': {
    summary: 'A plan was ended early.',
    data: {
      customer,
      refund: amount('The refund for the unused time.'),
      balance: amount('The balance right after it.'),
      by,
    },
  },
  'plan.ending': {
    summary:
      'A plan ends soon. Occurs once 7 days before, once 1 day before, and when alerts ask for it; at once if less time is left.',
    data: { customer, days: count('How many days before the end this notice is given.', 1) },
  },
  'plan.expired': { summary: 'A plan ended.', data: { customer } },
  'customer.created': { summary: 'The first order or a free trial created a customer.', data: { customer } },
  'customer.updated': {
    summary: 'A customer’s name, external_ref or reference was changed.',
    data: { customer },
  },
  'customer.erased': {
    summary: 'A customer was erased. Earlier events no longer name them either.',
    data: { customer },
  },
  'balance.credited': {
    summary: 'Credit was added: by the operator, by a top-up, or because money came back.',
    data: ofEntry,
  },
  'balance.debited': {
    summary: 'Credit was deducted: by the operator, or because a top-up went back.',
    data: ofEntry,
  },
  'topup.paid': { summary: 'The money of a top-up came and was credited.', data: ofTopup },
  'topup.failed': { summary: 'The payment of a top-up failed.', data: ofUnpaidTopup },
  'topup.expired': { summary: 'A top-up was not paid in time.', data: ofUnpaidTopup },
  'auto_topup.paused': {
    summary:
      'The bank wants the card holder to confirm an automatic top-up. Nothing more is charged until the card is saved again.',
    data: { ...ofUnpaidTopup },
  },
  'auto_topup.disabled': {
    summary: 'Automatic top-up failed three times in a row and was switched off.',
    data: { ...ofUnpaidTopup },
  },
  'topup.refunded': {
    summary: 'The money of a top-up, or a part of it, was refunded or returned.',
    data: ofTopup,
  },
  'topup.disputed': { summary: 'A cardholder disputed a top-up.', data: ofTopup },
  'topup.reinstated': {
    summary: 'A dispute was won, or a refund failed: what was taken for it came back.',
    data: ofTopup,
  },
  'balance.low': {
    summary: 'The balance fell below balance_below of the account’s alerts. Occurs once each time.',
    data: {
      balance: amount('The balance.'),
      balance_below: amount('The limit that the alerts set.'),
      currency,
    },
  },
  'renewal.failed': {
    summary: 'An automatic renewal failed. It is retried every six hours until the plan ends.',
    data: { customer, code: word('The error code of the refusal.', 'insufficient_credit') },
  },
  'price.scheduled': {
    summary: 'New prices of a package were scheduled.',
    data: {
      package: Type.Object({ id: id('The package.'), name: packageName }),
      from: time('The first second in which they apply.'),
      prices: Type.Array(Type.Object({ months, period, price: amount('The price for the whole period.') }), {
        description: 'What you will pay for the periods whose price changes.',
        maxItems: 3,
      }),
      currency,
      existing_plans: Type.Optional(
        word(
          'held: running plans keep their price. Absent: they pay the new one. Tolerate new values.',
          'held',
        ),
      ),
    },
  },
  'key.created': {
    summary: 'An API key was created, or its secret was replaced.',
    data: { key: createdKey },
  },
  'key.revoked': {
    summary: 'An API key was revoked, or will be at the given time.',
    data: { key: revokedKey },
  },
  'webhook.disabled': {
    summary: 'An endpoint was disabled: it answered 410, or every delivery failed for five days.',
    data: {
      webhook: Type.Object({
        id: id('The endpoint.'),
        url: Type.String({ description: 'Where it was called.', format: 'uri', maxLength: 2_048 }),
      }),
      reason: word('gone or failing. Tolerate new values.', 'failing'),
    },
  },
} as const satisfies Readonly<Record<string, EventDescription>>;

export type EventType = keyof typeof eventDescriptions;

export const eventTypes = Object.keys(eventDescriptions) as readonly EventType[];

export type EventData<OfType extends EventType> = Static<
  ReturnType<typeof Type.Object<(typeof eventDescriptions)[OfType]['data']>>
>;

const envelope = {
  id: id('Unique in the service; those of an account ascend.'),
  created_at: time('When the event occurred.'),
  account_id: id('The account that it is about.'),
};

export const eventSchema = Type.Object(
  {
    ...envelope,
    type: word(
      'What happened: one of the webhooks of this document. Tolerate new values.',
      'order.completed',
    ),
    data: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      additionalProperties: true,
      description: 'As the webhook of this type has it.',
    }),
  },
  { $id: 'AccountEvent' },
);

export const feedSchema = Type.Object({
  data: Type.Array(Type.Ref('AccountEvent'), { maxItems: 100 }),
  next_after: orNothing(
    id('Send it as after to get the next events.'),
    'null: there are no events yet, and after was not sent.',
  ),
  has_more: Type.Boolean({ description: 'Whether there is more already.' }),
  last_id: orNothing(
    id('The newest event: send it as after to get only newer ones.'),
    'null: there is none yet.',
  ),
});

export const eventAnswerSchema = Type.Object({ event: Type.Ref('AccountEvent') });

export const eventSchemaName = (type: EventType) =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Event`;

export const eventSchemas = eventTypes.map((type) =>
  Type.Object(
    {
      ...envelope,
      type: Type.Unsafe<string>({ type: 'string', enum: [type], description: 'What happened.' }),
      data: Type.Object(eventDescriptions[type].data),
    },
    { $id: eventSchemaName(type), description: eventDescriptions[type].summary },
  ),
);

export const feedQuerySchema = Type.Object({
  after: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The id of the last event you have. Without it: from the oldest that is kept.',
    }),
  ),
  type: Type.Optional(
    Type.Unsafe<EventType>({
      type: 'string',
      enum: [...eventTypes],
      description: 'Events of this type alone.',
      examples: ['order.completed'],
    }),
  ),
  limit: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 25,
      description: 'Events per answer. Clamped, never refused.',
    }),
  ),
  wait: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 0,
      maximum: 20,
      default: 0,
      description:
        'Seconds to wait where there is nothing yet: the answer comes with the first event. Clamped, never refused.',
    }),
  ),
});

export type EventView = Static<typeof eventSchema>;
