import Type, { type Static } from 'typebox';
import {
  amount,
  count,
  example,
  groupSchema,
  id,
  months,
  orNothing,
  packageName,
  period,
  text,
  time,
} from '../../shared/schema-parts.ts';
import { priceRule } from './package-schemas.ts';

const pricePattern = '^\\d{1,12}(\\.\\d{1,2})?$';
const newPrice = Type.String({ pattern: pricePattern, maxLength: 15, examples: ['29.00'] });
const from = Type.String({
  description: 'When the list begins: a whole second in UTC, not in the past. Absent: now.',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
  maxLength: 20,
  examples: ['2027-01-01T00:00:00Z'],
});
const memo = Type.String({
  description: 'A note that only administrators see.',
  maxLength: 500,
  examples: ['Contract 2027'],
});

export const accountPricesBodySchema = Type.Object(
  {
    from: Type.Optional(from),
    until: Type.Optional(
      Type.String({
        ...from,
        description:
          'The first second in which the account pays its group’s prices again. Absent: the list applies until a later one begins.',
      }),
    ),
    prices: Type.Array(
      Type.Object({
        package_id: id('A package that can be ordered.'),
        monthly: Type.Optional(newPrice),
        quarterly: Type.Optional(newPrice),
        yearly: Type.Optional(newPrice),
      }),
      { description: 'Prices that the account pays in place of its group’s. May be empty.', maxItems: 200 },
    ),
    percent_off: Type.Optional(
      Type.String({
        description:
          'Percentage off the group’s price, for every package and period that `prices` does not name. The price is rounded half up to cents. At most 100.',
        pattern: '^\\d{1,3}(\\.\\d{1,2})?$',
        maxLength: 6,
        examples: ['12.50'],
      }),
    ),
    memo: Type.Optional(memo),
  },
  example({
    from: '2027-01-01T00:00:00Z',
    prices: [{ package_id: 2, yearly: '290.00' }],
    percent_off: '12.50',
    memo: 'Contract 2027',
  }),
);

const namedPrice = (description: string) => Type.Optional(amount(description));

export const accountPriceListSchema = Type.Object(
  {
    id: id('The list.'),
    from: time('The first second in which it applies.'),
    until: orNothing(
      time('The first second in which it no longer applies.'),
      'null: it applies until a later list begins.',
    ),
    percent_off: orNothing(
      amount('Percentage off the group’s price, for what the list does not name.'),
      'null: no discount.',
    ),
    prices: Type.Array(
      Type.Object({
        package_id: id('The package.'),
        monthly: namedPrice('1 month.'),
        quarterly: namedPrice('3 months.'),
        yearly: namedPrice('12 months.'),
      }),
      { maxItems: 200 },
    ),
    memo: orNothing(text('The administrator’s note.', 500), 'null: none.'),
    begun: Type.Boolean({ description: 'Whether the list has begun. Then it can no longer be deleted.' }),
    created_at: time('When it was set.'),
  },
  { $id: 'AccountPriceList' },
);

const comparedPrices = Type.Array(
  Type.Object({
    months,
    period,
    price: amount('What the account pays now.'),
    group_price: amount('What its group pays now.'),
    price_rule: priceRule,
  }),
  { maxItems: 3 },
);

export const accountPriceListsSchema = Type.Object({
  data: Type.Array(Type.Ref('AccountPriceList'), {
    description: 'The latest first: all that are still to come, and the last 100 that have begun.',
    maxItems: 150,
  }),
  group: groupSchema,
  now: Type.Array(
    Type.Object({
      package: Type.Object({ id: id('The package.'), name: packageName }),
      prices: comparedPrices,
    }),
    {
      description: 'What the account pays now for each package that can be ordered.',
      maxItems: 10_000,
    },
  ),
});

export const accountPriceListAnswerSchema = Type.Object({ price_list: Type.Ref('AccountPriceList') });

export const payingOtherwiseSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      account: Type.Object({
        id: id('The account.'),
        username: text('Its username.', 64),
        display_name: text('Its name.', 120),
        group: groupSchema,
      }),
      prices: comparedPrices,
    }),
    { description: 'Each account with only those prices that differ from its group’s now.', maxItems: 500 },
  ),
});

export const runningPlansSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      group: groupSchema,
      months,
      period,
      plans: count('Running plans that renew for this period.'),
      monthly_revenue: amount('The sum of what each plan last paid for a month.'),
    }),
    { description: 'By price group and period.', maxItems: 6 },
  ),
});

export type AccountPriceListView = Static<typeof accountPriceListSchema>;
export type ComparedPrices = Static<typeof comparedPrices>;
