// Checks an account's payments, reversals and receivable against its ledger. Part of account-books.ts.
// For each top-up: credits - reversals - settlements + reinstatements = paid - refunded - disputed + won + what is still
// owed or written off. One check for each payment and one for each reversal imply it.
// The statement reads one snapshot, so orders cause no false alarm.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import type { Findings } from './verification-findings.ts';

const problemsMax = 20;

const readPayments: SqlStatement = {
  name: 'verify_payments',
  text: `with moved as materialized (
      select p.topup_number, p.reversal_number, p.entry_number, e.kind, e.amount_cents
      from payment_entries p
      left join ledger_entries e on e.account_id = p.account_id and e.number = p.entry_number
      where p.account_id = $1::int),
    credited as (
      select topup_number, count(*) as entries, min(entry_number) as entry_number, sum(amount_cents) as cents,
        bool_and(kind = 'credit') as is_credit
      from moved where reversal_number is null group by topup_number),
    taken as (
      select reversal_number, min(topup_number) as topup_number,
        coalesce(-sum(amount_cents) filter (where kind = 'reversal'), 0) as taken_cents,
        coalesce(-sum(amount_cents) filter (where kind = 'settlement'), 0) as settled_cents,
        coalesce(sum(amount_cents) filter (where kind = 'reinstatement'), 0) as back_cents
      from moved where reversal_number is not null group by reversal_number),
    forgiven as (
      select reversal_number, sum(amount_cents) as cents from write_offs where account_id = $1::int group by reversal_number),
    standing as (
      select topup_number, sum(amount_cents) as cents from reversals
      where account_id = $1::int and kind = 'refund' and reinstated_at is null group by topup_number)
    (select 'top-up ' || coalesce(p.topup_number, c.topup_number) as subject, case
          when p.topup_number is null then 'the ledger credits it, but no payment does'
          when t.number is null then 'it was paid, but does not exist'
          when t.amount_cents <> p.amount_cents
            then format('it is %s cents, its payment %s', t.amount_cents, p.amount_cents)
          when c.entries is distinct from 1 or not c.is_credit or c.entry_number <> p.entry_number
            then 'its payment has ' || coalesce(c.entries, 0) || ' entries, or another one than it names'
          when c.cents <> p.amount_cents then format('%s cents were paid, %s credited', p.amount_cents, c.cents)
          else format('%s cents were paid, but %s refunded', p.amount_cents, s.cents) end as problem
      from (select * from payments where account_id = $1::int) p
      full join credited c on c.topup_number = p.topup_number
      left join topups t on t.account_id = $1::int and t.number = coalesce(p.topup_number, c.topup_number)
      left join standing s on s.topup_number = p.topup_number
      where p.topup_number is null or t.number is null or t.amount_cents <> p.amount_cents
        or c.entries is distinct from 1 or not c.is_credit or c.entry_number <> p.entry_number
        or c.cents <> p.amount_cents or s.cents > p.amount_cents
      order by coalesce(p.topup_number, c.topup_number) limit ${problemsMax})
    union all
    (select 'reversal ' || coalesce(r.number, k.reversal_number), case
          when r.number is null then 'the ledger names it, but it does not exist'
          when p.topup_number is null then 'it takes back a payment that does not exist'
          when k.topup_number <> r.topup_number then 'its entries belong to another top-up'
          when r.taken_cents <> coalesce(k.taken_cents, 0)
            then format('it took %s cents, its entries say %s', r.taken_cents, coalesce(k.taken_cents, 0))
          when r.settled_cents <> coalesce(k.settled_cents, 0)
            then format('%s cents of it are settled, its entries say %s', r.settled_cents, coalesce(k.settled_cents, 0))
          when r.written_off_cents <> coalesce(w.cents, 0)
            then format('%s cents of it are written off, its write-offs say %s', r.written_off_cents, coalesce(w.cents, 0))
          else format('it gave back %s cents, and %s were taken', coalesce(k.back_cents, 0),
            r.taken_cents + r.settled_cents) end
      from (select * from reversals where account_id = $1::int) r
      full join taken k on k.reversal_number = r.number
      left join payments p on p.account_id = $1::int and p.topup_number = r.topup_number
      left join forgiven w on w.reversal_number = r.number
      where r.number is null or p.topup_number is null or k.topup_number <> r.topup_number
        or r.taken_cents <> coalesce(k.taken_cents, 0) or r.settled_cents <> coalesce(k.settled_cents, 0)
        or r.written_off_cents <> coalesce(w.cents, 0)
        or coalesce(k.back_cents, 0) <> case when r.reinstated_at is null then 0 else r.taken_cents + r.settled_cents end
      order by coalesce(r.number, k.reversal_number) limit ${problemsMax})
    union all
    (select 'ledger entry ' || entry_number, case when kind is null then 'a payment has it, but it does not exist'
          else 'the kind ' || kind || ' does not fit its payment' end
      from moved
      where kind is null or (reversal_number is null) <> (kind = 'credit')
        or kind not in ('credit', 'reversal', 'settlement', 'reinstatement')
      order by entry_number limit ${problemsMax})
    union all
    (select 'reversal ' || w.reversal_number, 'a write-off names it, but it does not exist'
      from forgiven w
      where not exists (select from reversals r where r.account_id = $1::int and r.number = w.reversal_number)
      order by w.reversal_number limit ${problemsMax})
    union all
    select 'account ' || a.id, case
        when a.receivable_cents <> o.cents
          then format('its receivable is %s cents, its reversals say %s', a.receivable_cents, o.cents)
        else format('it has %s reversals, and counted %s up to number %s', o.count, a.reversal_count, o.last) end
      from accounts a, (select coalesce(sum(open_cents), 0) as cents, count(*) as count, coalesce(max(number), 0) as last
        from reversals where account_id = $1::int) o
      where a.id = $1::int and (a.receivable_cents <> o.cents or a.reversal_count <> o.count or o.last <> o.count)`,
};

export async function checkPayments(
  database: Database,
  accountId: number,
  findings: Findings,
): Promise<void> {
  for (const row of await database.ofAccount(accountId).query(readPayments, [accountId]))
    await findings.add('payments', accountId, String(row['subject']), String(row['problem']));
}
