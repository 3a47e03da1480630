import Type, { type Static } from 'typebox';
import { oneOfParameter } from '../../shared/list-schemas.ts';
import { amount, count, currency } from '../../shared/schema-parts.ts';

const monthPattern = '^\\d{4}-(0[1-9]|1[0-2])$';
export const monthParameterSchema = Type.Object({
  month: Type.String({
    description: 'Year and month.',
    pattern: monthPattern,
    maxLength: 7,
    examples: ['2026-01'],
  }),
});
export const statementFormatSchema = Type.Object({
  format: oneOfParameter(['json', 'csv', 'pdf'] as const, 'In place of the Accept header.'),
});

export const statementSchema = Type.Object(
  {
    month: Type.String({ description: 'The UTC month.', pattern: monthPattern, maxLength: 7 }),
    final: Type.Boolean({ description: 'Whether the month is over.' }),
    currency,
    opening: amount('The balance before the month.'),
    credits: amount('Put in: credits, top-ups and reinstatements.'),
    debits: amount('Taken out: debits by an administrator, reversals and settlements.'),
    charges: amount('For orders.'),
    refunds: amount('Given back by orders.'),
    closing: amount('opening + credits − debits − charges + refunds.'),
    entry_count: count('Ledger entries of the month.'),
  },
  { $id: 'Statement' },
);
export type StatementView = Static<typeof statementSchema>;
export const statementsAnswerSchema = Type.Object({
  data: Type.Array(Type.Ref('Statement'), { maxItems: 12_000 }),
});
export const statementAnswerSchema = Type.Object({
  statement: Type.Object({
    ...statementSchema.properties,
    entries: Type.Array(Type.Ref('LedgerEntry'), { maxItems: 900_000_000 }),
  }),
});
