// The public API as JSON Schema: one object is serializer, type and document. Field for field the
// tables of the specification and the decisions. Bodies of orders are read by order-request.ts, because
// their checks have an order and codes of their own; their schemas here are for the document.

import Type, { type Static } from 'typebox';
import { groups } from './periods.ts';

const amount = (description: string) =>
  Type.String({ description, pattern: '^\\d+\\.\\d{2}$', examples: ['12.50'] });
const signedAmount = (description: string) => Type.String({ description, pattern: '^-?\\d+\\.\\d{2}$' });
const time = (description: string) =>
  Type.String({ description, format: 'date-time', examples: ['2026-01-31T12:00:00Z'] });
const id = (description: string) =>
  Type.Integer({ description, minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const oneOf = <Values extends readonly string[]>(values: Values, description: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], description });

export const groupSchema = oneOf(groups, 'The price group of the account.');
const currency = Type.String({ description: 'ISO 4217 code.', examples: ['USD'] });
const months = Type.Unsafe<1 | 3 | 12>({
  type: 'integer',
  enum: [1, 3, 12],
  description: 'Months of the period.',
});
const period = oneOf(
  ['monthly', 'quarterly', 'yearly'] as const,
  'The same period by name: 1, 3 and 12 months.',
);

export const balanceSchema = Type.Object(
  { balance: amount('Credit that is left.'), currency, group: groupSchema },
  { $id: 'Balance' },
);

export const limitsSchema = Type.Object({
  accounts: Type.Integer(),
  posts_per_day: Type.Integer(),
  ai_images_per_month: Type.Integer(),
});

export const packageSchema = Type.Object(
  {
    id: id('What POST /orders takes as package_id.'),
    name: Type.String(),
    currency,
    price: amount("The monthly price for the caller's group."),
    prices: Type.Array(
      Type.Object({
        months,
        period,
        price: amount('The price for the whole period.'),
        saving_percent: Type.Integer({
          description: 'Discount relative to the monthly price, rounded down.',
          minimum: 0,
        }),
      }),
      { description: 'Monthly, quarterly, yearly.' },
    ),
    duration_days: Type.Integer({ description: 'The nominal length of a month shown to people.' }),
    limits: limitsSchema,
    features: Type.Array(Type.String(), { description: 'Short display strings.' }),
  },
  { $id: 'Package' },
);

export const packageListSchema = Type.Object({
  group: groupSchema,
  data: Type.Array(Type.Ref('Package')),
});

export const orderSchema = Type.Object(
  {
    id: id('Unique in the service.'),
    kind: Type.String({
      description:
        'activate: the customer had no running plan. renew: the running plan was extended, or an order was renewed. change: another running plan was replaced. Tolerate new values.',
      examples: ['activate'],
    }),
    status: Type.String({ description: 'completed. Tolerate new values.', examples: ['completed'] }),
    package: Type.Object({ id: id('The package.'), name: Type.String() }),
    months,
    period,
    customer: Type.Object({
      id: id('The customer.'),
      reference: Type.String({
        description: 'The e-mail address or username that was ordered for, normalised.',
      }),
      email: Type.String({ description: 'The reference where it is an e-mail address, else empty.' }),
    }),
    price: amount('The full price that was charged.'),
    refund: amount('What was given back for the unused time of a plan that this order replaced.'),
    currency,
    expires_at: time('When the plan ends after this order.'),
    created_at: time('When the order was placed.'),
    idempotency_key: Type.String({ description: 'The key that was sent, or the one that was minted.' }),
  },
  { $id: 'Order' },
);

export const placedOrderSchema = Type.Object({
  order: Type.Ref('Order'),
  balance: amount('The balance right after this order.'),
  login_url: Type.Optional(
    Type.String({
      description: 'Single-use login link for the customer; present when return_login was true.',
    }),
  ),
});
export const renewedOrderSchema = Type.Object({
  order: Type.Ref('Order'),
  balance: amount('The balance right after this order.'),
});
export const orderAnswerSchema = Type.Object({ order: Type.Ref('Order') });

export const customerSchema = Type.Object(
  {
    id: id('Unique in the service.'),
    name: Type.String(),
    email: Type.String({ description: 'The address the customer was ordered by, or empty.' }),
    status: Type.String({ description: 'active or suspended. Tolerate new values.', examples: ['active'] }),
    plan: Type.Object({
      package: Type.String({ description: "The package's name." }),
      active: Type.Boolean({ description: 'Whether the plan runs now.' }),
      starts_at: time('When the unbroken run on this package began.'),
      expires_at: time('When the plan ends.'),
      days_left: Type.Integer({ description: 'Rounded up; 0 once it has ended.', minimum: 0 }),
    }),
    created_at: time('When the customer was created.'),
  },
  { $id: 'Customer' },
);
export const customerAnswerSchema = Type.Object({ customer: Type.Ref('Customer') });

/** {data, page, per_page, total}: the shape of every list of pages. */
export const pageOf = (schemaId: string) =>
  Type.Object({
    data: Type.Array(Type.Ref(schemaId)),
    page: Type.Integer(),
    per_page: Type.Integer(),
    total: Type.Integer(),
  });

export const pageQuerySchema = Type.Object({
  page: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      default: 1,
      description: 'Starts at 1. Clamped, never refused.',
    }),
  ),
  limit: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 25,
      description: 'Items per page. Clamped, never refused.',
    }),
  ),
});

export const accountQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  q: Type.Optional(Type.String({ description: 'Part of a username or display name.' })),
  group: Type.Optional(groupSchema),
});

export const errorSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'Stable and machine-readable.' }),
      message: Type.String({ description: 'For people.' }),
      details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'More about this error; may be empty.',
      }),
    }),
  },
  { $id: 'Error' },
);

export const placeOrderBodySchema = Type.Object({
  package_id: Type.Integer({ description: 'An id from GET /packages.' }),
  customer: Type.String({
    description: 'An e-mail address, or a username of letters, digits, dot, underscore, hyphen.',
    maxLength: 254,
    examples: ['ada@example.com'],
  }),
  months: Type.Optional(Type.Unsafe<1 | 3 | 12>({ type: 'integer', enum: [1, 3, 12], default: 1 })),
  period: Type.Optional(period),
  customer_name: Type.Optional(
    Type.String({ description: 'Display name for a new customer.', maxLength: 120 }),
  ),
  return_login: Type.Optional(
    Type.Boolean({ description: 'true: the answer carries login_url.', default: false }),
  ),
  idempotency_key: Type.Optional(
    Type.String({ description: 'The same as the Idempotency-Key header.', minLength: 1, maxLength: 80 }),
  ),
});

export const renewOrderBodySchema = Type.Object({
  months: Type.Optional(
    Type.Unsafe<1 | 3 | 12>({
      type: 'integer',
      enum: [1, 3, 12],
      description: 'Default: those of the renewed order.',
    }),
  ),
  period: Type.Optional(period),
  idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
});

export const idempotencyHeaderSchema = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description: '1 to 80 visible ASCII characters. A request repeated with its key never charges twice.',
      maxLength: 80,
    }),
  ),
});

// ------------------------------------------------------------------------ the administrator's API

export const accountSchema = Type.Object(
  {
    id: id('The account.'),
    username: Type.String(),
    display_name: Type.String(),
    group: groupSchema,
    is_admin: Type.Boolean(),
    balance: amount('Credit that is left.'),
    currency,
    blocked: Type.Boolean(),
    api_enabled: Type.Boolean(),
    rate_limit_per_minute: Type.Integer(),
    allowed_ips: Type.Array(Type.String(), { description: 'Addresses and CIDR ranges; empty allows all.' }),
    order_count: Type.Integer(),
    customer_count: Type.Integer(),
    created_at: time('When the account was created.'),
  },
  { $id: 'Account' },
);

export const ledgerEntrySchema = Type.Object(
  {
    id: id('Unique in the service.'),
    number: Type.Integer({ description: 'Place in the account’s ledger: 1, 2, 3 …' }),
    kind: Type.String({ description: 'charge, refund, credit or debit.' }),
    amount: signedAmount('Negative for charges and debits.'),
    balance_after: amount('The balance after this entry.'),
    currency,
    order_id: Type.Union([Type.Integer(), Type.Null()]),
    actor: Type.Union([Type.String(), Type.Null()], { description: 'The administrator who made it.' }),
    memo: Type.Union([Type.String(), Type.Null()]),
    created_at: time('When it was made.'),
  },
  { $id: 'LedgerEntry' },
);

const groupPrices = Type.Object({
  monthly: amount('1 month.'),
  quarterly: amount('3 months.'),
  yearly: amount('12 months.'),
});

export const adminPackageSchema = Type.Object(
  {
    id: id('The package.'),
    name: Type.String(),
    features: Type.Array(Type.String()),
    limits: limitsSchema,
    duration_days: Type.Integer(),
    trial: Type.Boolean(),
    retired: Type.Boolean(),
    currency,
    prices: Type.Object({ reseller: groupPrices, distributor: groupPrices }),
    created_at: time('When it was created.'),
  },
  { $id: 'AdminPackage' },
);

export const auditEntrySchema = Type.Object(
  {
    number: Type.Integer(),
    at: time('When.'),
    actor: Type.Object({ id: Type.Integer(), username: Type.String() }),
    action: Type.String({ examples: ['account.update'] }),
    subject: Type.String({ examples: ['account 12'] }),
    before: Type.Unsafe<unknown>({ description: 'What changed, as it was.' }),
    after: Type.Unsafe<unknown>({ description: 'What changed, as it is.' }),
  },
  { $id: 'AuditEntry' },
);

export const verifyReportSchema = Type.Object(
  {
    ok: Type.Boolean(),
    accounts: Type.Integer({ description: 'Accounts that were checked.' }),
    entries: Type.Integer({ description: 'Ledger entries that were added up.' }),
    problems: Type.Array(
      Type.Object({
        account_id: Type.Integer(),
        subject: Type.String({ description: 'What is wrong: an entry, an order, a customer, a counter.' }),
        problem: Type.String(),
      }),
    ),
  },
  { $id: 'VerifyReport' },
);

const username = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$',
  description: '3 to 64 of a-z, 0-9, dot, underscore, hyphen.',
});
const displayName = Type.String({ maxLength: 120 });
const password = Type.String({ minLength: 12, maxLength: 200 });
const rateLimit = Type.Integer({ minimum: 1, maximum: 1_000_000 });
const allowedIps = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 });

export const createAccountBodySchema = Type.Object({
  username,
  group: groupSchema,
  display_name: Type.Optional(displayName),
  password: Type.Optional(password),
  rate_limit_per_minute: Type.Optional(rateLimit),
  allowed_ips: Type.Optional(allowedIps),
});

export const changeAccountBodySchema = Type.Partial(
  Type.Object({
    group: groupSchema,
    display_name: displayName,
    blocked: Type.Boolean(),
    api_enabled: Type.Boolean(),
    rate_limit_per_minute: rateLimit,
    allowed_ips: allowedIps,
    password,
  }),
);

export const creditBodySchema = Type.Object({
  amount: Type.String({
    pattern: '^-?\\d{1,12}(\\.\\d{1,2})?$',
    description: 'Negative debits.',
    examples: ['100.00'],
  }),
  memo: Type.Optional(Type.String({ maxLength: 500 })),
  idempotency_key: Type.Optional(Type.String()),
});

const price = Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,2})?$', examples: ['29.00'] });
const newGroupPrices = Type.Object({ monthly: price, quarterly: price, yearly: price });
const packageName = Type.String({ minLength: 1, maxLength: 120 });
const features = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 });
const limitNumber = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const newLimits = Type.Object({
  accounts: limitNumber,
  posts_per_day: limitNumber,
  ai_images_per_month: limitNumber,
});
const durationDays = Type.Integer({ minimum: 1, maximum: 3650 });

export const createPackageBodySchema = Type.Object({
  name: packageName,
  features: Type.Optional(features),
  limits: newLimits,
  duration_days: Type.Optional(durationDays),
  trial: Type.Optional(Type.Boolean()),
  retired: Type.Optional(Type.Boolean()),
  prices: Type.Optional(Type.Object({ reseller: newGroupPrices, distributor: newGroupPrices })),
});

export const changePackageBodySchema = Type.Partial(
  Type.Object({
    name: packageName,
    features,
    limits: Type.Partial(newLimits),
    duration_days: durationDays,
    trial: Type.Boolean({ description: 'Decided once: only the value it has is taken.' }),
    retired: Type.Boolean(),
    prices: Type.Partial(
      Type.Object({ reseller: Type.Partial(newGroupPrices), distributor: Type.Partial(newGroupPrices) }),
    ),
  }),
);

export const changeCustomerBodySchema = Type.Object({ status: oneOf(['active', 'suspended'] as const, '') });

export const grantTrialBodySchema = Type.Object({
  package_id: Type.Integer({ description: 'A package that is a free trial.' }),
  customer: Type.String({ maxLength: 254 }),
  customer_name: Type.Optional(Type.String({ maxLength: 120 })),
});

export const exchangeCodeBodySchema = Type.Object({ code: Type.String({ maxLength: 100 }) });

export type OrderView = Static<typeof orderSchema>;
export type PackageView = Static<typeof packageSchema>;
export type CustomerView = Static<typeof customerSchema>;
export type AccountView = Static<typeof accountSchema>;
export type LedgerEntryView = Static<typeof ledgerEntrySchema>;
export type AdminPackageView = Static<typeof adminPackageSchema>;
export type AuditEntryView = Static<typeof auditEntrySchema>;
export type VerifyReportView = Static<typeof verifyReportSchema>;

export const accountAnswerSchema = Type.Object({ account: Type.Ref('Account') });
export const createdAccountSchema = Type.Object({
  account: Type.Ref('Account'),
  api_key: Type.String({ description: 'Shown here; later the account sees it in its panel.' }),
  password: Type.Optional(
    Type.String({ description: 'The generated password; absent when one was chosen.' }),
  ),
});
export const newKeySchema = Type.Object({ api_key: Type.String() });
export const creditedSchema = Type.Object({
  entry: Type.Ref('LedgerEntry'),
  balance: amount('The balance after it.'),
});
export const adminPackageAnswerSchema = Type.Object({ package: Type.Ref('AdminPackage') });
export const adminPackageListSchema = Type.Object({ data: Type.Array(Type.Ref('AdminPackage')) });

/** Schemas that answers refer to by name. */
export const namedSchemas = [
  balanceSchema,
  packageSchema,
  orderSchema,
  customerSchema,
  errorSchema,
  accountSchema,
  ledgerEntrySchema,
  adminPackageSchema,
  auditEntrySchema,
  verifyReportSchema,
];
