import Type, { type Static } from 'typebox';
import { refusalFilterSchema } from '../../shared/list-schemas.ts';
import { amount, nullable, oneOf, signedAmount, time } from '../../shared/schema-parts.ts';

export const seriesSchema = Type.Array(
  Type.Object({
    date: Type.String({ description: 'A UTC day or month.', examples: ['2026-11-21', '2026-11'] }),
    orders: Type.Integer(),
    charged: amount('Prices of the orders.'),
    refunded: amount('Given back: for plans that were replaced or cancelled, and for orders that failed.'),
    spent: signedAmount('charged − refunded.'),
    running: Type.Boolean({ description: 'It is not over: more may come to it.' }),
  }),
);

const figures = {
  orders: Type.Integer(),
  charged: amount('Prices of the orders.'),
  refunded: amount('Given back.'),
  spent: signedAmount('charged − refunded.'),
};

export const spanSchema = Type.Object({
  from: time('The first second of the first day.'),
  to: time('The last second of today.'),
  previous_from: time('The first second of the days or months before, as many as these.'),
  previous_to: time('Their last second.'),
});

export const totalsSchema = Type.Object({ ...figures, previous: Type.Object(figures) });

export const spendingSchema = nullable(
  Type.Array(
    Type.Object({
      package: Type.Object({ id: Type.Integer(), name: Type.String() }),
      kind: oneOf(
        ['activate', 'renew', 'change', 'cancel'] as const,
        'The kind of the orders; cancel: refunds of cancelled plans, which are not orders.',
      ),
      ...figures,
      previous: Type.Object(figures),
    }),
    {
      description:
        'By package and kind of order, what cost most first. null: it is being summed up, which a database of before takes a while for.',
    },
  ),
);

export const accountSpendingFilterSchema = Type.Object({
  ...refusalFilterSchema.properties,
  package_id: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1 })),
  kind: Type.Optional(Type.String({ description: 'activate, renew, change or cancel.' })),
  sort: Type.Optional(
    Type.String({ description: 'spent, orders or refunded: of what there is most first.' }),
  ),
  format: Type.Optional(Type.String({ description: 'json (the default) or csv, which has all accounts.' })),
});

export const accountSpendingSchema = Type.Object({
  from: Type.String(),
  to: Type.String(),
  count_of_accounts: Type.Integer({ description: 'Of all accounts, also of those that are not listed.' }),
  totals: nullable(Type.Object(figures, { description: 'Of all accounts together.' })),
  data: nullable(
    Type.Array(
      Type.Object({
        account: Type.Object({ id: Type.Integer(), username: Type.String(), display_name: Type.String() }),
        ...figures,
      }),
      { description: 'The first 100. null: it is being summed up.' },
    ),
  ),
});

export type SeriesPointView = Static<typeof seriesSchema>[number];

export type SpanView = Static<typeof spanSchema>;

export type TotalsView = Static<typeof totalsSchema>;

export type SpendingView = Static<typeof spendingSchema>;
