import Type, { type Static } from 'typebox';
import type { LimitValue, LimitValues } from '../../shared/limits.ts';
import {
  amount,
  currency,
  durationDays,
  groupSchema,
  id,
  months,
  packageDescription,
  packageName,
  period,
  periodsSold,
  text,
  time,
  word,
} from '../../shared/schema-parts.ts';

export const featureList = Type.Array(text('One feature.', 1_000), {
  description: 'Short display strings.',
  maxItems: 100,
});

export const balanceSchema = Type.Object(
  {
    balance: amount('The remaining credit.'),
    currency,
    group: groupSchema,
    receivable: amount(
      'What you owe because a payment was returned after it was spent. The next credit pays it first.',
    ),
  },
  { $id: 'Balance' },
);

export const limitValue = Type.Unsafe<LimitValue>({
  anyOf: [
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'boolean' },
    { type: 'string', maxLength: 80 },
    { type: 'null' },
  ],
  description: 'A count: an integer from 0, or null for unlimited. A switch: true or false. A text.',
});

export const limitsSchema = Type.Unsafe<LimitValues>({
  type: 'object',
  additionalProperties: limitValue,
  description:
    'What the package grants, by the key of each limit that the operator defines, in the defined order. GET /limits names them.',
  examples: [{ accounts: 5, posts_per_day: 20, ai_images_per_month: 50 }],
});

export const priceRule = word(
  'What set the price. group: the prices of the account’s group. account: the account’s own price list. held: the plan keeps an earlier price. Tolerate new values.',
  'group',
);

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
    price_rule: priceRule,
  }),
  { description: 'Of the periods that the package is sold for, the shortest first.', maxItems: 3 },
);

export const packageSchema = Type.Object(
  {
    id: id('What POST /orders takes as package_id.'),
    name: packageName,
    description: packageDescription,
    currency,
    price: amount('The monthly price for the caller, also if the package is not sold monthly.'),
    periods: periodsSold,
    prices: priceEntries,
    duration_days: durationDays,
    limits: limitsSchema,
    features: featureList,
    upcoming: Type.Array(
      Type.Object({ from: time('The first second in which they apply.'), prices: priceEntries }),
      {
        description:
          'Later prices for the caller, soonest first. Each entry has the prices of all sold periods from that second on. An order pays the prices of its own second.',
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

export type PackageView = Static<typeof packageSchema>;
