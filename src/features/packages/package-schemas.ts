// GET /balance and GET /packages. One object is serializer, type and document.

import Type, { type Static } from 'typebox';
import {
  amount,
  currency,
  databaseIntegerMax,
  durationDays,
  groupSchema,
  id,
  months,
  packageName,
  period,
  text,
  time,
} from '../../shared/schema-parts.ts';

const setting = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: databaseIntegerMax });
export const featureList = Type.Array(text('One feature.', 1_000), {
  description: 'Short display strings.',
  maxItems: 100,
});

export const balanceSchema = Type.Object(
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

export const packageSchema = Type.Object(
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

export type PackageView = Static<typeof packageSchema>;
