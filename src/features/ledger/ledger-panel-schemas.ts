import Type from 'typebox';
import { amount, nullable } from '../../shared/schema-parts.ts';
import { ledgerEntrySchema } from './ledger-schemas.ts';

export const panelEntrySchema = Type.Object({
  ...ledgerEntrySchema.properties,
  customer: Type.Optional(
    nullable(Type.String({ description: 'The reference of the customer of its order.' })),
  ),
  customer_name: Type.Optional(nullable(Type.String({ description: 'The customer’s name.' }))),
  customer_id: Type.Optional(nullable(Type.Integer({ description: 'The customer’s id.' }))),
});

export const ledgerTotalsSchema = Type.Optional(
  nullable(
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
          'Of the requested time, entries of every kind; for one order, only its own. null: the first or last day is incomplete and has too many entries.',
      },
    ),
  ),
);
