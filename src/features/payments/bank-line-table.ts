// The table bank_lines: lines of the operator's bank account, and what became of them.

import {
  boolean,
  cents,
  describeTable,
  int,
  nullableInt,
  nullableText,
  nullableTime,
  oneOf,
  type RowOf,
  text,
  time,
} from '../../platform/database/table.ts';
import { bankLineStatuses } from '../../shared/topup-words.ts';

export const bankLines = describeTable('bank_lines', {
  id: int('id'),
  lineKey: text('line_key'),
  wholeKey: nullableText('whole_key'),
  /** A calendar day: "2026-11-26". */
  bookedOn: text('booked_on'),
  amountCents: cents('amount_cents'),
  currency: text('currency'),
  payerName: nullableText('payer_name'),
  payerIban: nullableText('payer_iban'),
  remittance: text('remittance'),
  reference: nullableText('reference'),
  endToEndId: nullableText('end_to_end_id'),
  bankId: nullableText('bank_id'),
  isReturn: boolean('is_return'),
  status: oneOf('status', bankLineStatuses),
  reason: nullableText('reason'),
  accountId: nullableInt('account_id'),
  topupNumber: nullableInt('topup_number'),
  returnOf: nullableInt('return_of'),
  importedAt: time('imported_at'),
  settledAt: nullableTime('settled_at'),
});

export type BankLineRow = RowOf<typeof bankLines>;
