// The administrator's API as JSON Schema. Bodies are checked against these by src/platform/http/body-reader.ts.

import Type, { type Static } from 'typebox';
import { pageQuerySchema } from '../../shared/list-schemas.ts';
import { mailAddressLengthMax } from '../../shared/mail-addresses.ts';
import {
  amount,
  count,
  currency,
  durationDays as durationDaysShown,
  example,
  groupSchema,
  id,
  keyInBody,
  oneOf,
  orNothing,
  packageName as packageNameShown,
  signedAmount,
  text,
  time,
  word,
} from '../../shared/schema-parts.ts';
import { featureList, limitsSchema } from './package-schemas.ts';

export const accountQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  q: Type.Optional(
    // No longer than what a request line holds.
    Type.String({
      description: 'Part of a username or display name.',
      maxLength: 16_384,
      examples: ['contoso'],
    }),
  ),
  group: Type.Optional(groupSchema),
  is_admin: Type.Optional(
    Type.Boolean({
      description: 'Only administrators, or everybody else. An administrator is of the group distributor.',
    }),
  ),
});

export const accountSchema = Type.Object(
  {
    id: id('The account.'),
    username: text('What the account signs in with.', 64),
    display_name: text('The name shown to people.', 500),
    email: Type.Optional(
      Type.String({
        description: 'Where its people are written to; absent if nowhere.',
        pattern: '^[!-~]+$',
        maxLength: mailAddressLengthMax,
      }),
    ),
    group: groupSchema,
    is_admin: Type.Boolean(),
    balance: amount('The remaining credit.'),
    currency,
    blocked: Type.Boolean(),
    api_enabled: Type.Boolean(),
    rate_limit_per_minute: Type.Integer({
      description: 'Requests allowed in any 60 seconds.',
      minimum: 1,
      maximum: 1_000_000,
    }),
    allowed_ips: Type.Array(Type.String({ pattern: '^[0-9A-Fa-f.:/]+$', maxLength: 64 }), {
      description: 'Addresses and CIDR ranges; empty allows all.',
      maxItems: 100,
    }),
    totp_enabled: Type.Boolean({ description: 'Whether signing in to the panel also takes a code.' }),
    order_count: count('Orders so far.'),
    customer_count: count('Customers so far.'),
    created_at: time('When the account was created.'),
  },
  { $id: 'Account' },
);

export const ledgerEntrySchema = Type.Object(
  {
    id: id('Unique in the service.'),
    number: count('Position in the account’s ledger: 1, 2, 3 …', 1),
    kind: word('charge, refund, credit or debit. Tolerate new values.', 'charge'),
    amount: signedAmount('Negative for charges and debits.'),
    balance_after: amount('The balance after this entry.'),
    currency,
    order_id: Type.Union([Type.Integer(), Type.Null()]),
    actor: Type.Union([Type.String(), Type.Null()], { description: 'The administrator who made the entry.' }),
    memo: Type.Union([Type.String(), Type.Null()]),
    created_at: time('When the entry was made.'),
  },
  { $id: 'LedgerEntry' },
);

const groupPrices = Type.Object({
  monthly: amount('1 month.'),
  quarterly: amount('3 months.'),
  yearly: amount('12 months.'),
});

const adminPackageSchema = Type.Object(
  {
    id: id('The package.'),
    name: packageNameShown,
    features: featureList,
    limits: limitsSchema,
    duration_days: durationDaysShown,
    trial: Type.Boolean(),
    retired: Type.Boolean(),
    currency,
    prices: Type.Object(
      { reseller: groupPrices, distributor: groupPrices },
      { description: 'What each group pays now.' },
    ),
    created_at: time('When it was created.'),
  },
  { $id: 'AdminPackage' },
);

const someGroupPrices = Type.Partial(groupPrices);

const scheduledPricesSchema = Type.Object(
  {
    from: time('The first second that they hold in.'),
    prices: Type.Partial(Type.Object({ reseller: someGroupPrices, distributor: someGroupPrices }), {
      description: 'What is not named stays what it is in that second.',
    }),
    begun: Type.Boolean({
      description: 'Whether that second has come: then they can no longer be deleted.',
    }),
  },
  { $id: 'ScheduledPrices' },
);

const auditEntrySchema = Type.Object(
  {
    number: count('Position in the log: 1, 2, 3 …', 1),
    at: time('When it was done.'),
    actor: Type.Object({
      id: count('The account that acted; 0 where nobody is known, as of a sign-in that was refused.'),
      username: text('Its username; empty where nobody is known.', 64),
    }),
    action: word('What was done.', 'account.update'),
    subject: text('What it was done to: "account 12".', 500),
    before: Type.Unsafe<unknown>({
      description:
        'What changed, as it was before, in the names and formats of this API. Entries stay as they were written: older ones have balance_cents, times in seconds, and limits as postsPerDay and aiImagesPerMonth.',
    }),
    after: Type.Unsafe<unknown>({ description: 'What changed, as it was afterwards.' }),
    by: orNothing(
      Type.Object({
        type: oneOf(['key', 'person'] as const, 'What acted for the account.'),
        id: id('The key, or the person.'),
        name: text('The name of the key, or the username of the person; empty where it has none.', 200),
      }),
      'Which key or person of the account it was; null: the service itself, its command line, or nobody that is known.',
    ),
  },
  { $id: 'AuditEntry' },
);

const verifyReportSchema = Type.Object(
  {
    ok: Type.Boolean(),
    accounts: count('Accounts that were checked.'),
    entries: count('Ledger entries that were added up.'),
    test_accounts: Type.Optional(
      count(
        'Tests of accounts that were checked as well, where there are any; the others do not count them.',
        1,
      ),
    ),
    problems: Type.Array(
      Type.Object({
        account_id: count('The account.'),
        subject: text('What is wrong: an entry, an order, a customer, a counter.', 1_000),
        problem: text('Why it does not add up.', 2_000),
      }),
    ),
  },
  { $id: 'VerifyReport' },
);

export const apiKey = (description: string) =>
  Type.String({ description, pattern: '^sk_(live|test)_[0-9A-Za-z]{46}$', maxLength: 54 });

export const username = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$',
  maxLength: 64,
  description: '3 to 64 characters: a-z, 0-9, dot, underscore, hyphen.',
});
const displayName = Type.String({ maxLength: 120 });
/** An e-mail address, or empty for none. */
export const emailOrNone = Type.String({
  maxLength: mailAddressLengthMax,
  pattern: '^[!-~]*$',
  description: 'Where its people are written to; empty: nowhere.',
});
export const password = Type.String({
  minLength: 12,
  maxLength: 200,
  description: 'None of the most used ones, and none that holds the name of the account.',
});
export const rateLimit = Type.Integer({ minimum: 1, maximum: 1_000_000 });
export const allowedIps = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 });

export const createAccountBodySchema = Type.Object(
  {
    username,
    group: groupSchema,
    display_name: Type.Optional(displayName),
    email: Type.Optional(emailOrNone),
    invite: Type.Optional(
      Type.Boolean({
        description:
          'true: a link to a first password, good for seven days, is mailed to email; password is left out then.',
      }),
    ),
    password: Type.Optional(password),
    rate_limit_per_minute: Type.Optional(rateLimit),
    allowed_ips: Type.Optional(allowedIps),
  },
  example({
    username: 'contoso',
    group: 'reseller',
    display_name: 'Contoso Web',
    rate_limit_per_minute: 120,
  }),
);

export const changeAccountBodySchema = Type.Partial(
  Type.Object({
    group: groupSchema,
    display_name: displayName,
    email: emailOrNone,
    blocked: Type.Boolean(),
    api_enabled: Type.Boolean(),
    rate_limit_per_minute: rateLimit,
    allowed_ips: allowedIps,
    password,
    confirm: Type.Boolean({
      description: 'true: set allowed_ips even if they leave out the address you are using.',
    }),
  }),
  example({ allowed_ips: ['203.0.113.0/24'] }),
);

export const endedSessionsSchema = Type.Object({ ended: count('How many there were.') });

export const creditBodySchema = Type.Object(
  {
    amount: Type.String({
      pattern: '^-?\\d{1,12}(\\.\\d{1,2})?$',
      maxLength: 16,
      description: 'A negative amount debits.',
      examples: ['100.00'],
    }),
    memo: Type.Optional(Type.String({ maxLength: 500 })),
    // Read before the body is checked against this schema, with a code of its own.
    idempotency_key: keyInBody,
  },
  example({ amount: '250.00', memo: 'Bank transfer 2026-017', idempotency_key: 'transfer-2026-017' }),
);

const price = Type.String({
  pattern: '^\\d{1,12}(\\.\\d{1,2})?$',
  maxLength: 15,
  examples: ['29.00'],
});
const newGroupPrices = Type.Object({ monthly: price, quarterly: price, yearly: price });
const someNewPrices = Type.Partial(
  Type.Object({ reseller: Type.Partial(newGroupPrices), distributor: Type.Partial(newGroupPrices) }),
);
const packageName = Type.String({ minLength: 1, maxLength: 120 });
const features = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 });
const limitNumber = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const newLimits = Type.Object({
  accounts: limitNumber,
  posts_per_day: limitNumber,
  ai_images_per_month: limitNumber,
});
const durationDays = Type.Integer({ minimum: 1, maximum: 3650 });

export const createPackageBodySchema = Type.Object(
  {
    name: packageName,
    features: Type.Optional(features),
    limits: newLimits,
    duration_days: Type.Optional(durationDays),
    trial: Type.Optional(Type.Boolean()),
    retired: Type.Optional(Type.Boolean()),
    prices: Type.Optional(Type.Object({ reseller: newGroupPrices, distributor: newGroupPrices })),
    idempotency_key: keyInBody,
  },
  example({
    name: 'Studio',
    features: ['5 connected accounts', 'Post scheduling'],
    limits: { accounts: 5, posts_per_day: 20, ai_images_per_month: 50 },
    prices: {
      reseller: { monthly: '15.00', quarterly: '42.00', yearly: '150.00' },
      distributor: { monthly: '12.00', quarterly: '33.00', yearly: '120.00' },
    },
  }),
);

export const changePackageBodySchema = Type.Partial(
  Type.Object({
    name: packageName,
    features,
    limits: Type.Partial(newLimits),
    duration_days: durationDays,
    trial: Type.Boolean({ description: 'Fixed at creation: only its present value is accepted.' }),
    retired: Type.Boolean(),
    prices: someNewPrices,
  }),
  example({ prices: { reseller: { monthly: '16.00' } } }),
);

const from = Type.String({
  description: 'A whole second in UTC, in the future.',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
  maxLength: 20,
  examples: ['2027-01-01T00:00:00Z'],
});

export const schedulePricesBodySchema = Type.Object(
  { from, prices: someNewPrices },
  example({
    from: '2027-01-01T00:00:00Z',
    prices: { reseller: { monthly: '17.00', yearly: '170.00' }, distributor: { monthly: '13.50' } },
  }),
);

export const unschedulePricesQuerySchema = Type.Object({ from });

export const changeCustomerBodySchema = Type.Object(
  { status: oneOf(['active', 'suspended'] as const, '') },
  example({ status: 'suspended' }),
);

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

export const exchangeCodeBodySchema = Type.Object({ code: Type.String({ maxLength: 100 }) });

export const accountAnswerSchema = Type.Object({ account: Type.Ref('Account') });
export const createdAccountSchema = Type.Object({
  account: Type.Ref('Account'),
  api_key: apiKey('Shown here; afterwards the account sees it in its panel.'),
  password: Type.Optional(text('The generated password; absent when one was chosen.', 200)),
});
export const newKeySchema = Type.Object({ api_key: apiKey('The new key.') });
export const creditedSchema = Type.Object({
  entry: Type.Ref('LedgerEntry'),
  balance: amount('The balance after this entry.'),
});
export const adminPackageAnswerSchema = Type.Object({ package: Type.Ref('AdminPackage') });
export const scheduledPricesAnswerSchema = Type.Object({ price: Type.Ref('ScheduledPrices') });
export const scheduledPricesListSchema = Type.Object({
  data: Type.Array(Type.Ref('ScheduledPrices'), { maxItems: 150 }),
});
export const adminPackageListSchema = Type.Object({ data: Type.Array(Type.Ref('AdminPackage')) });

export type AccountView = Static<typeof accountSchema>;
export type LedgerEntryView = Static<typeof ledgerEntrySchema>;
export type AdminPackageView = Static<typeof adminPackageSchema>;
export type ScheduledPricesView = Static<typeof scheduledPricesSchema>;
export type AuditEntryView = Static<typeof auditEntrySchema>;
export type VerifyReportView = Static<typeof verifyReportSchema>;

/** Schemas that answers refer to by name. */
export const namedAdminSchemas = [
  accountSchema,
  ledgerEntrySchema,
  adminPackageSchema,
  scheduledPricesSchema,
  auditEntrySchema,
  verifyReportSchema,
];
