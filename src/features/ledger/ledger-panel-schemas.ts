// Ledger entries and statements as the pages list them.

import Type from 'typebox';
import { before, cursorPageOf, spanOfTime } from '../../shared/list-schemas.ts';
import { amount, nullable } from '../../shared/schema-parts.ts';
import { ledgerEntrySchema } from './ledger-schemas.ts';

const month = Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-11'] }));

export const ledgerExportSchema = Type.Object({
  month,
  kind: Type.Optional(Type.String({ description: 'credit, debit, charge or refund.' })),
  order_id: Type.Optional(Type.Unsafe<string>({ type: 'integer', description: 'Entries of this order.' })),
  ...spanOfTime,
});

export const ledgerFilterSchema = Type.Object({ ...ledgerExportSchema.properties, before });

const statementSchema = Type.Object({
  month: Type.String({ examples: ['2026-11'] }),
  opening: amount('The balance before the month.'),
  credits: amount('Put in.'),
  debits: amount('Taken out by an administrator.'),
  charges: amount('For orders.'),
  refunds: amount('Given back by orders.'),
  closing: amount('opening + credits − debits − charges + refunds.'),
  entries: Type.Integer(),
});

export const statementListSchema = Type.Object({ data: Type.Array(statementSchema) });

export const panelEntrySchema = Type.Object({
  ...ledgerEntrySchema.properties,
  customer: nullable(Type.String({ description: 'The reference of the customer of its order.' })),
  customer_id: nullable(Type.Integer({ description: 'The customer’s id.' })),
});

export const ledgerPageSchema = Type.Object({
  ...cursorPageOf(panelEntrySchema).properties,
  totals: nullable(
    Type.Object(
      {
        credits: amount('Put in.'),
        debits: amount('Taken out by an administrator.'),
        charges: amount('For orders.'),
        refunds: amount('Given back by orders.'),
        entries: Type.Integer(),
      },
      {
        description:
          'Of the time that is asked for, whatever the kind; of one order its own. null: a day at its ends is not whole and has too many entries.',
      },
    ),
  ),
});
