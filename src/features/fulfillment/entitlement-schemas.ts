import Type, { type Static } from 'typebox';
import { customerReference, id, packageName, text, time, word } from '../../shared/schema-parts.ts';
import { featureList, limitsSchema } from '../packages/package-schemas.ts';

export const entitlementSchema = Type.Object(
  {
    reference: customerReference('The e-mail address or username by which orders name the customer.'),
    former_references: Type.Optional(
      Type.Array(customerReference('A former reference.'), {
        description: 'The references that the customer had before, where the reference was changed.',
        maxItems: 10,
      }),
    ),
    customer_id: id('The customer.'),
    active: Type.Boolean({
      description: 'Whether the customer may use the product now: the plan runs, and no hold stands.',
    }),
    status: word('active, suspended, cancelled or expired. Tolerate new values.', 'active'),
    package: Type.Object({ id: id('The package.'), name: packageName }),
    limits: limitsSchema,
    features: featureList,
    starts_at: time('When the unbroken run on this package began.'),
    expires_at: time('When the plan ends: from then on it is not active, even if no call says so.'),
    account: Type.Object({ id: id('Whose customer it is.'), name: text('The account’s name.', 500) }),
  },
  { $id: 'Entitlement' },
);

export const entitlementFeedSchema = Type.Object({
  data: Type.Array(Type.Ref('Entitlement'), { maxItems: 1_000 }),
  next_after: Type.String({
    description: 'Send it as after to get the next events. Keep it with your copy.',
    pattern: '^[0-9a-z.]+$',
    maxLength: 64,
  }),
  has_more: Type.Boolean({ description: 'Whether there is more already.' }),
  packages_version: Type.Integer({
    description:
      'Moves when a package is changed. Where it is not the one that your copy was made with, read from the beginning: limits and features may be others.',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
});

export const entitlementFeedQuerySchema = Type.Object({
  after: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      pattern: '^[0-9a-z.]*$',
      maxLength: 64,
      description:
        'next_after of the answer before. Without it: every customer there is, and behind them what changes from then on.',
    }),
  ),
  limit: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 100,
      description: 'Changes per answer. Clamped, never refused.',
    }),
  ),
  wait: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 0,
      maximum: 20,
      default: 0,
      description:
        'Seconds to wait where there is nothing yet: the answer comes with the first change. Clamped, never refused.',
    }),
  ),
});

export type EntitlementView = Static<typeof entitlementSchema>;
