// Compares lines of bank statements with the payments and reversals that they made, in both directions. The ledger itself is
// not wrong if they differ, so no account is halted.
// Invariant: no false alarms. A line is stored before its payment, and marked after it.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import type { Findings } from './verification-findings.ts';
import type { AuditLimits } from './verification-limits.ts';

const rowsPerRange = 500;

const readLines: SqlStatement = {
  name: 'verify_bank_lines',
  text: `select b.id, b.status, b.account_id, b.topup_number, b.amount_cents, 'bank:' || b.line_key as name
    from bank_lines b where b.id > $1::int order by b.id limit ${rowsPerRange}`,
};

const findUnbooked: SqlStatement = {
  name: 'verify_bookings_of_bank_lines',
  text: `select w.account_id, w.id
    from unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::bigint[]) w (account_id, topup_number, id, name, cents)
    where not exists (select from payments p where p.account_id = w.account_id and p.topup_number = w.topup_number
        and p.payment_ref = w.name and p.amount_cents = w.cents)
      and not exists (select from reversals r where r.account_id = w.account_id and r.topup_number = w.topup_number
        and r.cause = w.name and r.amount_cents = -w.cents)`,
};

const readPayments: SqlStatement = {
  name: 'verify_payments_by_bank',
  text: `select p.account_id, p.topup_number, p.payment_ref from payments p
    where (p.account_id, p.topup_number) > ($1::int, $2::int)
    order by p.account_id, p.topup_number limit ${rowsPerRange}`,
};

const findLines: SqlStatement = {
  name: 'verify_lines_of_payments',
  text: `select w.account_id, w.topup_number
    from unnest($1::int[], $2::int[], $3::text[]) w (account_id, topup_number, line_key)
    where not exists (select from bank_lines b where b.line_key = w.line_key and b.account_id = w.account_id
      and b.topup_number = w.topup_number and b.amount_cents > 0)`,
};

export async function checkBankLines(
  database: Database,
  findings: Findings,
  { signal }: AuditLimits,
): Promise<void> {
  for (let after = 0; ; ) {
    signal.throwIfAborted();
    const rows = await database.query(readLines, [after]);
    const settled = rows.flatMap((row) =>
      row['status'] === 'credited' || row['status'] === 'returned'
        ? [
            {
              accountId: Number(row['account_id']),
              topupNumber: Number(row['topup_number']),
              id: Number(row['id']),
              name: String(row['name']),
              cents: String(row['amount_cents']),
            },
          ]
        : [],
    );
    const unbooked = await queryShards(database, findUnbooked, [], {
      of: settled,
      accountOf: ({ accountId }) => accountId,
      columns: (lines) => [
        numberArray(lines.map(({ accountId }) => accountId)),
        numberArray(lines.map(({ topupNumber }) => topupNumber)),
        numberArray(lines.map(({ id }) => id)),
        textArray(lines.map(({ name }) => name)),
        textArray(lines.map(({ cents }) => cents)),
      ],
    });
    for (const row of unbooked)
      await findings.add(
        'log',
        Number(row['account_id']),
        `bank line ${row['id']}`,
        'the ledger has no payment or reversal of it',
      );
    if (rows.length < rowsPerRange) break;
    after = Number(rows.at(-1)?.['id']);
  }
  for (const group of database.accountGroups()) await checkPaymentsByBank(database, group, findings, signal);
}

async function checkPaymentsByBank(
  database: Database,
  group: Queryable,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  for (let after = [0, 0]; ; ) {
    signal.throwIfAborted();
    const rows = await group.query(readPayments, after);
    const byBank = rows.flatMap((row) => {
      const [, lineKey] = /^bank:(.*)$/.exec(String(row['payment_ref'])) ?? [];
      return lineKey === undefined
        ? []
        : [{ accountId: Number(row['account_id']), number: Number(row['topup_number']), lineKey }];
    });
    const without =
      byBank.length === 0
        ? []
        : await database.query(findLines, [
            numberArray(byBank.map(({ accountId }) => accountId)),
            numberArray(byBank.map(({ number }) => number)),
            textArray(byBank.map(({ lineKey }) => lineKey)),
          ]);
    for (const row of without)
      await findings.add(
        'log',
        Number(row['account_id']),
        `top-up ${row['topup_number']}`,
        'it was paid by a bank line that does not exist, or is of another top-up',
      );
    if (rows.length < rowsPerRange) return;
    const last = rows.at(-1);
    after = [Number(last?.['account_id']), Number(last?.['topup_number'])];
  }
}
