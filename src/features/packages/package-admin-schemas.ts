import Type, { type Static } from 'typebox';
import type { JsonObject } from '../../shared/json.ts';
import { plansAtNewPrice } from '../../shared/periods.ts';
import {
  amount,
  currency,
  durationDays as durationDaysShown,
  example,
  id,
  keyInBody,
  oneOf,
  orNothing,
  packageDescription,
  packageName as packageNameShown,
  periodsSold,
  time,
  word,
} from '../../shared/schema-parts.ts';
import { featureList, limitsSchema, limitValue } from './package-schemas.ts';

const groupPrices = Type.Object({
  monthly: amount('1 month.'),
  quarterly: amount('3 months.'),
  yearly: amount('12 months.'),
});

export const adminPackageSchema = Type.Object(
  {
    id: id('The package.'),
    name: packageNameShown,
    description: packageDescription,
    features: featureList,
    limits: limitsSchema,
    duration_days: durationDaysShown,
    periods: periodsSold,
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

export const scheduledPricesSchema = Type.Object(
  {
    from: time('The first second in which they apply.'),
    prices: Type.Partial(Type.Object({ reseller: someGroupPrices, distributor: someGroupPrices }), {
      description: 'Prices that are not named stay as they are.',
    }),
    existing_plans: word(
      'new: running plans pay the new prices. held: they keep their old ones for as long as they are renewed without a gap.',
      'new',
    ),
    begun: Type.Boolean({
      description: 'Whether they have begun. Then they can no longer be deleted.',
    }),
  },
  { $id: 'ScheduledPrices' },
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

const description = orNothing(
  Type.String({ minLength: 1, maxLength: 500 }),
  'What the package is, for people: one paragraph. null: none.',
);

const newLimits = Type.Unsafe<JsonObject>({
  type: 'object',
  additionalProperties: limitValue,
  description:
    'Any of the limits that are defined (GET /limits). A package that sets accounts, posts_per_day or ai_images_per_month must set all of these three that are defined.',
});

const durationDays = Type.Integer({ minimum: 1, maximum: 3650 });

export const createPackageBodySchema = Type.Object(
  {
    name: packageName,
    description: Type.Optional(description),
    features: Type.Optional(features),
    limits: newLimits,
    duration_days: Type.Optional(durationDays),
    periods: Type.Optional(periodsSold),
    trial: Type.Optional(Type.Boolean()),
    retired: Type.Optional(Type.Boolean()),
    prices: Type.Optional(Type.Object({ reseller: newGroupPrices, distributor: newGroupPrices })),
    idempotency_key: keyInBody,
  },
  example({
    name: 'Studio',
    description: 'For agencies that post for several customers.',
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
    description,
    features,
    limits: Type.Unsafe<JsonObject>({
      type: 'object',
      additionalProperties: limitValue,
      description: 'What is not named stays as it is.',
    }),
    remove_limits: Type.Array(Type.String({ maxLength: 40 }), {
      description: 'Keys of limits that the package no longer has. One that it does not have is ignored.',
      maxItems: 50,
    }),
    duration_days: durationDays,
    periods: periodsSold,
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

const existingPlans = Type.Optional(
  oneOf(
    plansAtNewPrice,
    'What plans pay that are running when the prices begin. new (the default): the new price, from their next renewal on. held: the price that they last paid for the period, or the price before the change if they never bought that period. They keep it for as long as they are renewed without a gap. A change of package or a cancel gives it up.',
  ),
);

export const schedulePricesBodySchema = Type.Object(
  { from, prices: someNewPrices, existing_plans: existingPlans },
  example({
    from: '2027-01-01T00:00:00Z',
    prices: { reseller: { monthly: '17.00', yearly: '170.00' }, distributor: { monthly: '13.50' } },
  }),
);

export const unschedulePricesQuerySchema = Type.Object({ from });

export const adminPackageAnswerSchema = Type.Object({ package: Type.Ref('AdminPackage') });

export const scheduledPricesAnswerSchema = Type.Object({ price: Type.Ref('ScheduledPrices') });

export const scheduledPricesListSchema = Type.Object({
  data: Type.Array(Type.Ref('ScheduledPrices'), { maxItems: 150 }),
});

export const adminPackageListSchema = Type.Object({ data: Type.Array(Type.Ref('AdminPackage')) });

export type AdminPackageView = Static<typeof adminPackageSchema>;

export type ScheduledPricesView = Static<typeof scheduledPricesSchema>;
