// The public API as JSON Schema: one object is the serializer, the type and the document. Field for field the
// tables of the specification and the decisions. Bodies of orders are read by order-request.ts, because
// their checks have an order and codes of their own; their schemas here are for the document.

import Type, { type Static, type TSchema } from 'typebox';
import { groups } from './periods.ts';

export const amount = (description: string) =>
  Type.String({ description, pattern: '^\\d+\\.\\d{2}$', maxLength: 20, examples: ['12.50'] });
export const signedAmount = (description: string) =>
  Type.String({ description, pattern: '^-?\\d+\\.\\d{2}$', maxLength: 21 });
export const time = (description: string) =>
  Type.String({ description, format: 'date-time', maxLength: 20, examples: ['2026-01-31T12:00:00Z'] });
export const id = (description: string) =>
  Type.Integer({ description, minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** Of an answer: a text of ours or one that was accepted, never longer than this. */
export const text = (description: string, maxLength: number) => Type.String({ description, maxLength });
/** A word of ours, from a list that may grow. */
export const word = (description: string, example: string) =>
  Type.String({ description, pattern: '^[a-z_.]+$', maxLength: 64, examples: [example] });
export const count = (description: string, minimum = 0) =>
  Type.Integer({ description, minimum, maximum: Number.MAX_SAFE_INTEGER });
/** A whole body, which the samples of the reference send; they put its idempotency key into the header. */
export const example = <const Body extends object>(body: Body) => ({ examples: [body] });
const databaseIntegerMax = 2_147_483_647;
const setting = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: databaseIntegerMax });
export const durationDays = Type.Integer({
  description: 'The nominal length of a month, as shown to people; for a trial, its real length.',
  minimum: 1,
  maximum: 3650,
});
export const packageName = text('The name shown to people.', 500);
export const featureList = Type.Array(text('One feature.', 1_000), {
  description: 'Short display strings.',
  maxItems: 100,
});

export const oneOf = <Values extends readonly string[]>(values: Values, description: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], description });

export const groupSchema = oneOf(groups, 'The price group of the account.');
export const currency = Type.String({
  description: 'ISO 4217 code.',
  pattern: '^[A-Z]{3}$',
  maxLength: 3,
  examples: ['USD'],
});
/** The list alone: limits beside it make orval write code that does not run. */
export const monthsOf = (description: string) =>
  Type.Unsafe<1 | 3 | 12>({ type: 'integer', enum: [1, 3, 12], description });
const months = monthsOf('The length of the period in months.');
export const period = oneOf(
  ['monthly', 'quarterly', 'yearly'] as const,
  'The same period by name: 1, 3 and 12 months.',
);

const balanceSchema = Type.Object(
  { balance: amount('The remaining credit.'), currency, group: groupSchema },
  { $id: 'Balance' },
);

export const limitsSchema = Type.Object({
  accounts: setting('Accounts that the customer may connect.'),
  posts_per_day: setting('Posts each day.'),
  ai_images_per_month: setting('Images made by AI each month.'),
});

const priceEntries = Type.Array(
  Type.Object({
    months,
    period,
    price: amount('The price for the whole period.'),
    saving_percent: Type.Integer({
      description: 'Discount relative to the monthly price, rounded down.',
      minimum: 0,
      maximum: 100,
    }),
  }),
  { description: 'Monthly, quarterly, yearly.', maxItems: 3 },
);

const packageSchema = Type.Object(
  {
    id: id('What POST /orders takes as package_id.'),
    name: packageName,
    currency,
    price: amount("The monthly price for the caller's group."),
    prices: priceEntries,
    duration_days: durationDays,
    limits: limitsSchema,
    features: featureList,
    upcoming: Type.Array(
      Type.Object({ from: time('The first second that they hold in.'), prices: priceEntries }),
      {
        description:
          'Prices for the caller’s group that begin later, soonest first: all three, as they will be from that second on. An order pays the prices of its own second.',
        maxItems: 100,
      },
    ),
  },
  { $id: 'PlanPackage' },
);

export const packageListSchema = Type.Object({
  group: groupSchema,
  data: Type.Array(Type.Ref('PlanPackage')),
});

const orderSchema = Type.Object(
  {
    id: id('Unique in the service.'),
    kind: word(
      'activate: the customer had no running plan. renew: the running plan was extended, or an order was renewed. change: another running plan was replaced. Tolerate new values.',
      'activate',
    ),
    status: word('completed. Tolerate new values.', 'completed'),
    package: Type.Object({ id: id('The package.'), name: packageName }),
    months,
    period,
    customer: Type.Object({
      id: id('The customer.'),
      reference: Type.String({
        description: 'The e-mail address or username the order was for, normalised.',
        pattern: '^[!-~]+$',
        maxLength: 254,
      }),
      email: Type.String({
        description: 'The reference if it is an e-mail address, else empty.',
        pattern: '^[!-~]*$',
        maxLength: 254,
      }),
    }),
    price: amount('The full price that was charged.'),
    refund: amount('What was given back for the unused time of a plan that this order replaced.'),
    currency,
    expires_at: time('When the plan ends after this order.'),
    created_at: time('When the order was placed.'),
    idempotency_key: Type.String({
      description: 'The key that was sent, or the one that was minted.',
      pattern: '^[!-~]{1,80}$',
      maxLength: 80,
    }),
  },
  { $id: 'Order' },
);

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

/** The schema, or null. */
export const orNothing = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const autoRenewSettings = {
  months,
  period,
  max_charge: Type.Union([signedAmount('The most that a renewal is charged.'), Type.Null()], {
    description: 'The most that a renewal may be charged; null: whatever the price is.',
  }),
  hours_before: Type.Integer({
    description: 'How many hours before its end the plan is renewed.',
    minimum: 1,
    maximum: 720,
  }),
};
const autoRenewSchema = Type.Object({
  ...autoRenewSettings,
  next_at: orNothing(time('When it is renewed, or tried again.'), 'null: not before the plan’s end moves.'),
  failure: orNothing(
    word('An error code.', 'insufficient_credit'),
    'Why the last try for this end was refused.',
  ),
});

export const customerSchema = Type.Object(
  {
    id: id('Unique in the service.'),
    name: text('The display name; the reference if none was given.', 254),
    reference: Type.String({
      description: 'The e-mail address or username that orders name the customer by, normalised.',
      pattern: '^[!-~]+$',
      maxLength: 254,
    }),
    email: Type.String({
      description: 'The reference if it is an e-mail address, else empty.',
      pattern: '^[!-~]*$',
      maxLength: 254,
    }),
    status: word('active or suspended. Tolerate new values.', 'active'),
    plan: Type.Object({
      package: text("The package's name.", 500),
      status: word(
        'active, suspended (by you or by the operator), cancelled (ended before its time) or expired. Tolerate new values.',
        'active',
      ),
      active: Type.Boolean({
        description: 'Whether the customer may use the plan: it is running, and you have not suspended it.',
      }),
      starts_at: time('When the unbroken run on this package began.'),
      expires_at: time('When the plan ends.'),
      days_left: count('Rounded up; 0 once it has ended.'),
      ends_at_period_end: Type.Boolean({
        description: 'It was cancelled at the period’s end: it does not renew itself.',
      }),
      auto_renew: orNothing(autoRenewSchema, 'How the plan renews itself; null: it does not.'),
    }),
    external_ref: Type.Optional(text('Your own id of the customer; absent where none was set.', 80)),
    created_at: time('When the customer was created.'),
  },
  { $id: 'Customer' },
);
export const editCustomerBodySchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'The display name.', maxLength: 240 })),
    external_ref: Type.Optional(
      Type.Union([Type.String({ pattern: '^[!-~]{1,80}$', maxLength: 80 }), Type.Null()], {
        description: 'Your own id of the customer; null: none.',
      }),
    ),
    idempotency_key: Type.Optional(
      Type.String({ description: 'The same as the Idempotency-Key header.', minLength: 1, maxLength: 80 }),
    ),
  },
  example({ name: 'Ada King', external_ref: 'crm-1001', idempotency_key: 'rename-1001' }),
);

export const customerAnswerSchema = Type.Object({ customer: Type.Ref('Customer') });

/** {data, page, per_page, total}: the shape of every list of pages. */
export const pageOf = (schemaId: string) =>
  Type.Object({
    data: Type.Array(Type.Ref(schemaId), { maxItems: 100 }),
    page: count('The page that was asked for.', 1),
    per_page: Type.Integer({ description: 'Items per page.', minimum: 1, maximum: 100 }),
    total: count('Items on all pages.'),
  });

export const pageQuerySchema = Type.Object({
  page: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      examples: [1],
      description: 'Starts at 1. Clamped, never refused.',
    }),
  ),
  limit: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 25,
      examples: [2],
      description: 'Items per page. Clamped, never refused.',
    }),
  ),
});

/** A list that may be filtered: pages by number without a filter, by cursor with one. */
export const filteredPageOf = (schemaId: string) => {
  const { data, page, per_page, total } = pageOf(schemaId).properties;
  return Type.Object({
    data,
    page: Type.Optional(page),
    per_page: Type.Optional(per_page),
    total: Type.Optional(total),
    next_cursor: Type.Optional(
      Type.Union(
        [
          Type.String({
            description:
              'Of a filtered list, in place of page, per_page and total: send it as cursor, with the same filters, for the next page. A page may be short, or empty, and go on.',
          }),
          Type.Null(),
        ],
        { description: 'null: there is no more.' },
      ),
    ),
  });
};

const parameter = <Value extends string>(description: string, more: object = {}) =>
  Type.Optional(Type.Unsafe<Value>({ type: 'string', maxLength: 254, description, ...more }));
const idParameter = (description: string) =>
  Type.Optional(
    Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }),
  );
const momentParameter = (description: string) =>
  parameter(`${description} A time, or a whole UTC day: 2026-01-31T12:00:00Z or 2026-01-31.`, {
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}Z)?$',
    maxLength: 20,
  });
export const cursorParameter = parameter('next_cursor of the page before; empty for the first page.', {
  pattern: '^[A-Za-z0-9_.-]*$',
  maxLength: 1_300,
});
const createdParameters = {
  created_from: momentParameter('Made at this time or later.'),
  created_to: momentParameter('Made at this time or earlier.'),
};
const oneOfParameter = <Values extends readonly string[]>(values: Values, description: string) =>
  Type.Optional(oneOf(values, description));

const listFormatParameter = oneOfParameter(
  ['json', 'csv'] as const,
  'csv, or Accept: text/csv: all that fit, not only a page, as CSV. Cells that a spreadsheet would take for a formula begin with an apostrophe.',
);

export const orderListQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  customer: parameter('A reference, or the id of a customer.'),
  kind: oneOfParameter(['activate', 'renew', 'change'] as const, 'Orders of this kind.'),
  status: oneOfParameter(['completed'] as const, 'Orders of this status.'),
  package_id: idParameter('Orders for this package.'),
  idempotency_key: parameter('The order of this key.', { maxLength: 80 }),
  ...createdParameters,
  cursor: cursorParameter,
  format: listFormatParameter,
});

export const customerListQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  q: parameter('The start of a reference, a name or an external_ref, in any case.'),
  status: oneOfParameter(['active', 'suspended'] as const, 'Customers of this status.'),
  active: Type.Optional(
    Type.Boolean({
      description:
        'true: the plan runs, also that of a customer whom you have suspended. false: it has ended.',
    }),
  ),
  package_id: idParameter('Customers whose last plan is of this package.'),
  external_ref: parameter('Customers of this external_ref.', { maxLength: 80 }),
  expires_from: momentParameter('The plan ends at this time or later.'),
  expires_to: momentParameter('The plan ends at this time or earlier.'),
  cursor: cursorParameter,
  format: listFormatParameter,
});

export const ledgerListQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  kind: oneOfParameter(['charge', 'refund', 'credit', 'debit'] as const, 'Entries of this kind.'),
  order_id: idParameter('Entries of this order.'),
  ...createdParameters,
  cursor: cursorParameter,
  format: listFormatParameter,
});

const monthPattern = '^\\d{4}-(0[1-9]|1[0-2])$';
export const monthParameterSchema = Type.Object({
  month: Type.String({
    description: 'Year and month.',
    pattern: monthPattern,
    maxLength: 7,
    examples: ['2026-01'],
  }),
});
export const statementFormatSchema = Type.Object({
  format: oneOfParameter(['json', 'csv', 'pdf'] as const, 'In place of the Accept header.'),
});

const statementSchema = Type.Object(
  {
    month: Type.String({ description: 'The UTC month.', pattern: monthPattern, maxLength: 7 }),
    final: Type.Boolean({ description: 'Whether the month is over.' }),
    currency,
    opening: amount('The balance before the month.'),
    credits: amount('Put in.'),
    debits: amount('Taken out by an administrator.'),
    charges: amount('For orders.'),
    refunds: amount('Given back by orders.'),
    closing: amount('opening + credits − debits − charges + refunds.'),
    entry_count: count('Ledger entries of the month.'),
  },
  { $id: 'Statement' },
);
export type StatementView = Static<typeof statementSchema>;
export const statementsAnswerSchema = Type.Object({
  data: Type.Array(Type.Ref('Statement'), { maxItems: 12_000 }),
});
export const statementAnswerSchema = Type.Object({
  statement: Type.Object({
    ...statementSchema.properties,
    entries: Type.Array(Type.Ref('LedgerEntry'), { maxItems: 900_000_000 }),
  }),
});

export const forecastDaysMax = 366;
export const forecastQuerySchema = Type.Object({
  days: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: forecastDaysMax,
      description: 'How far ahead, in days of 24 hours from now: 30 unless sent.',
    }),
  ),
});
const day = (description: string) =>
  Type.String({
    description,
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    maxLength: 10,
    examples: ['2026-01-31'],
  });
const forecastSchema = Type.Object(
  {
    days: Type.Array(
      Type.Object({
        date: day('The UTC day.'),
        plans: count('Plans that end on it.', 1),
        cost: amount('What renewing them costs.'),
      }),
      { description: 'Days on which a plan ends, soonest first.', maxItems: forecastDaysMax + 1 },
    ),
    plans: count('Plans of all days.'),
    total: amount('The costs of all days.'),
    balance: amount('The remaining credit.'),
    runs_out_on: Type.Union(
      [day('The first UTC day at whose end the costs so far are more than the balance.'), Type.Null()],
      { description: 'null: the balance covers them all.' },
    ),
    currency,
  },
  { $id: 'Forecast' },
);

const errorSchema = Type.Object(
  {
    error: Type.Object({
      code: word('Stable and machine-readable.', 'insufficient_credit'),
      message: text('For people.', 500),
      details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'More about this error; may be empty.',
      }),
    }),
  },
  { $id: 'ApiError' },
);

// No field of a body has a default: tools send it where another field says otherwise, and demand it of their users.
export const maxCharge = Type.String({
  description:
    'The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: what must come back at least. No part of what makes two requests the same.',
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
    idempotency_key: Type.Optional(
      Type.String({ description: 'The same as the Idempotency-Key header.', minLength: 1, maxLength: 80 }),
    ),
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
  },
  example({ package_id: 1, customer: 'ada@example.com', months: 3 }),
);

const orderPreviewSchema = Type.Object(
  {
    kind: word('activate, renew or change, as of an order. Tolerate new values.', 'change'),
    package: Type.Object({ id: id('The package.'), name: packageName }),
    months,
    period,
    price: amount('The full price.'),
    refund: amount('What would be given back for the unused time of the plan that is replaced.'),
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

/** A bulk of this many orders of a usual length fits into its body several times. */
export const bulkOrdersMax = 500;
export const bulkBytesMax = 524_288;

const keyInBulk = Type.String({
  description: 'Visible ASCII characters. Sent again with its key, an order is never charged twice.',
  minLength: 1,
  maxLength: 80,
});
const { idempotency_key: _minted, ...placeFields } = placeOrderBodySchema.properties;
const orderToPlaceSchema = Type.Object(
  { ...placeFields, idempotency_key: keyInBulk },
  { $id: 'OrderToPlace', description: 'The body of POST /orders, with its own idempotency key.' },
);
const orderToRenewSchema = Type.Object(
  {
    renew: id('The order to renew.'),
    months: renewOrderBodySchema.properties.months,
    period: renewOrderBodySchema.properties.period,
    max_charge: renewOrderBodySchema.properties.max_charge,
    idempotency_key: keyInBulk,
  },
  { $id: 'OrderToRenew', description: 'A renewal: the order, and the body of POST /orders/{id}/renew.' },
);

export const bulkBodySchema = Type.Object(
  {
    orders: Type.Array(Type.Union([Type.Ref('OrderToPlace'), Type.Ref('OrderToRenew')]), {
      description: 'Carried out in this order, as if they were sent one after another.',
      minItems: 1,
      maxItems: bulkOrdersMax,
    }),
  },
  example({
    orders: [
      { package_id: 2, customer: 'katherine@example.com', idempotency_key: 'bulk-1001' },
      { renew: 2_000_000_001, months: 12, idempotency_key: 'bulk-1002' },
    ],
  }),
);

const placedInBulkSchema = Type.Object(
  {
    status: Type.Integer({ description: 'As of the single request: 201.', minimum: 200, maximum: 299 }),
    order: Type.Ref('Order'),
    balance: amount('The balance right after this order.'),
    replayed: Type.Boolean({ description: 'true: this order stood already, and nothing was charged now.' }),
    login_url: placedOrderSchema.properties.login_url,
  },
  { $id: 'PlacedInBulk' },
);
const refusedInBulkSchema = Type.Object(
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

export const idempotencyHeaderSchema = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description: '1 to 80 visible ASCII characters. A request repeated with its key never charges twice.',
      maxLength: 80,
    }),
  ),
});

export type ApiError = Static<typeof errorSchema>['error'];
export type OrderView = Static<typeof orderSchema>;
export type PackageView = Static<typeof packageSchema>;
export type CustomerView = Static<typeof customerSchema>;

/** Schemas that answers refer to by name. */
export const namedSchemas = [
  balanceSchema,
  packageSchema,
  orderSchema,
  orderPreviewSchema,
  orderToPlaceSchema,
  orderToRenewSchema,
  placedInBulkSchema,
  refusedInBulkSchema,
  customerSchema,
  statementSchema,
  forecastSchema,
  errorSchema,
];
