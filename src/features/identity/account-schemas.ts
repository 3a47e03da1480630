import Type, { type Static } from 'typebox';
import { mailAddressLengthMax } from '../../shared/mail-addresses.ts';
import { amount, count, currency, groupSchema, id, text, time } from '../../shared/schema-parts.ts';

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
    closed_at: Type.Optional(time('When the account was closed for good; absent if it was not.')),
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

export const apiKey = (description: string) =>
  Type.String({ description, pattern: '^sk_(live|test)_[0-9A-Za-z]{46}$', maxLength: 54 });

export const username = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$',
  maxLength: 64,
  description: '3 to 64 characters: a-z, 0-9, dot, underscore, hyphen.',
});

export const emailOrNone = Type.String({
  maxLength: mailAddressLengthMax,
  pattern: '^[!-~]*$',
  description: 'Where its people are written to; empty: nowhere.',
});

export const password = Type.String({
  minLength: 12,
  maxLength: 200,
  description: 'Not one of the most common passwords, and without the name of the account.',
});

export const rateLimit = Type.Integer({ minimum: 1, maximum: 1_000_000 });

export const allowedIps = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 });

export type AccountView = Static<typeof accountSchema>;
