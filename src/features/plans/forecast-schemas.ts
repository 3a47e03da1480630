import Type from 'typebox';
import { amount, count, currency } from '../../shared/schema-parts.ts';

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
export const forecastSchema = Type.Object(
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
