// Reads and writes the payments of a batch (records/payment-tables.ts).

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { type Write, writeRows } from '../../platform/database/table.ts';
import type { CreditAccount, PaymentCommand } from './decisions/order-commands.ts';
import type { PaymentChanges } from './decisions/payment-state.ts';
import {
  type LoadedPayments,
  movedReversals,
  paymentEntries,
  payments,
  reversals,
  topups,
  writeOffs,
} from './records/payment-tables.ts';

const wantedTopups = 'unnest($1::int[], $2::int[]) wanted (account_id, number)';

const loadTopups: SqlStatement = {
  name: 'load_topups',
  text: `select ${topups.list('t')} from (select distinct account_id, number from ${wantedTopups}) wanted
    join topups t on t.account_id = wanted.account_id and t.number = wanted.number`,
};

const loadNamedPayments: SqlStatement = {
  name: 'load_payments',
  text: `select ${payments.list('p')} from (select distinct account_id, number from ${wantedTopups}) wanted
      join payments p on p.account_id = wanted.account_id and p.topup_number = wanted.number
    union
    select ${payments.list('p')} from unnest($3::int[], $4::text[]) wanted (account_id, payment_ref)
      join payments p on p.account_id = wanted.account_id and p.payment_ref = wanted.payment_ref`,
};

/** Reversals of the named top-ups, of the top-ups behind the named causes, and all with an open rest. */
const loadReversals: SqlStatement = {
  name: 'load_reversals',
  text: `select ${reversals.list('r')} from ${wantedTopups}
      join reversals r on r.account_id = wanted.account_id and r.topup_number = wanted.number
    union
    select ${reversals.list('r')} from unnest($3::int[], $4::text[]) wanted (account_id, cause)
      join reversals c on c.account_id = wanted.account_id and c.cause = wanted.cause
      join reversals r on r.account_id = c.account_id and r.topup_number = c.topup_number
    union
    select ${reversals.list('r')} from reversals r where r.account_id = any($5::int[]) and r.open_cents > 0`,
};

const writeOffKeys = writeOffs.pick('accountId', 'idempotencyKey');

const loadWriteOffs: SqlStatement = {
  name: 'load_write_offs',
  text: `select ${writeOffs.list('w')} from ${writeOffKeys.sent('wanted')}
    join write_offs w on w.account_id = wanted.account_id and w.idempotency_key = wanted.idempotency_key
    order by w.account_id, w.idempotency_key, w.reversal_number`,
};

/** A command that names a reversal by its cause emits an event with its top-up. */
const loadTopupsOfCauses: SqlStatement = {
  name: 'load_topups_of_causes',
  text: `select ${topups.list('t')} from unnest($1::int[], $2::text[]) wanted (account_id, cause)
    join reversals c on c.account_id = wanted.account_id and c.cause = wanted.cause
    join topups t on t.account_id = c.account_id and t.number = c.topup_number`,
};
const loadPaymentsOfCauses: SqlStatement = {
  name: 'load_payments_of_causes',
  text: `select ${payments.list('p')} from unnest($1::int[], $2::text[]) wanted (account_id, cause)
    join reversals c on c.account_id = wanted.account_id and c.cause = wanted.cause
    join payments p on p.account_id = c.account_id and p.topup_number = c.topup_number`,
};

export async function loadPayments(
  database: Queryable,
  commands: readonly (CreditAccount | PaymentCommand)[],
): Promise<LoadedPayments> {
  const ofTopups = commands.flatMap((one) => ('topupNumber' in one ? one : []));
  const received = commands.flatMap((one) => ('paymentRef' in one ? one : []));
  const keyed = commands.flatMap((one) => (one.type === 'write_off_receivable' ? one : []));
  const caused = commands.flatMap((one) => ('cause' in one ? one : []));
  const accountIds = numberArray([...new Set(commands.map(({ accountId }) => accountId))]);
  const idsOf = (those: readonly { readonly accountId: number }[]) =>
    numberArray(those.map(({ accountId }) => accountId));
  const wanted = [idsOf(ofTopups), numberArray(ofTopups.map(({ topupNumber }) => topupNumber))];
  const causes = [idsOf(caused), textArray(caused.map(({ cause }) => cause))];
  const refs = [idsOf(received), textArray(received.map(({ paymentRef }) => paymentRef))];
  const none = Promise.resolve([]);
  const [topupRows, paymentRows, reversalRows, writeOffRows, causeTopups, causePayments] = await Promise.all([
    ofTopups.length === 0 ? none : database.query(loadTopups, wanted),
    ofTopups.length === 0 ? none : database.query(loadNamedPayments, [...wanted, ...refs]),
    database.query(loadReversals, [...wanted, ...causes, accountIds]),
    keyed.length === 0 ? none : database.query(loadWriteOffs, writeOffKeys.values(keyed)),
    caused.length === 0 ? none : database.query(loadTopupsOfCauses, causes),
    caused.length === 0 ? none : database.query(loadPaymentsOfCauses, causes),
  ]);
  return {
    topups: [...topupRows, ...causeTopups].map((row) => topups.parse(row)),
    payments: [...paymentRows, ...causePayments].map((row) => payments.parse(row)),
    reversals: reversalRows.map((row) => reversals.parse(row)),
    writeOffs: writeOffRows.map((row) => writeOffs.parse(row)),
  };
}

const insertPayments = payments.insert('insert_payments');
const insertReversals = reversals.insert('insert_reversals');
const updateReversals = movedReversals.update('update_reversals', ['accountId', 'number']);
const insertPaymentEntries = paymentEntries.insert('insert_payment_entries');
const insertWriteOffs = writeOffs.insert('insert_write_offs');

export function writePayments(database: Queryable, changes: PaymentChanges): Promise<unknown>[] {
  const sent: Promise<unknown>[] = [];
  const send = <Item>(into: Write<Item>, rows: readonly Item[]) => {
    if (rows.length > 0) sent.push(writeRows(database, into, rows));
  };
  send(insertPayments, changes.payments);
  send(insertReversals, changes.newReversals);
  send(updateReversals, changes.changedReversals);
  send(insertPaymentEntries, changes.paymentEntries);
  send(insertWriteOffs, changes.writeOffs);
  return sent;
}
