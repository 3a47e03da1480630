// What keeps an account from being closed. Reads only; called under the account's lock, so that nothing new begins meanwhile.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { NotClosable } from './closing-schemas.ts';

const findOpen: SqlStatement = {
  name: 'find_open_business',
  text: `select a.halted_at is not null as is_halted,
      exists (select 1 from customers c where c.account_id = a.id and not c.cancelled
        and c.expires_at > to_timestamp($2::bigint)) as has_plan,
      exists (select 1 from customers c where c.account_id = a.id and c.pending_order is not null) as has_order,
      exists (select 1 from product_calls p where p.account_id = a.id and p.status in ('waiting', 'attention')) as has_call,
      exists (select 1 from topups t where t.account_id = a.id and t.status in ('open', 'processing')
        and not exists (select 1 from payments p where p.account_id = t.account_id and p.topup_number = t.number))
      or exists (select 1 from topup_refunds r where r.account_id = a.id and r.status in ('new', 'sent'))
      or exists (select 1 from auto_topups u where u.account_id = a.id and u.in_flight is not null) as has_payment
    from accounts a where a.id = $1::int`,
};

const findOpenPayments: SqlStatement = {
  name: 'find_open_payments_elsewhere',
  text: `select exists (select 1 from bank_lines l where l.account_id = $1::int and l.status = 'waiting')
      or exists (select 1 from payment_problems p where p.account_id = $1::int and p.resolved_at is null) as has_payment`,
};

/** Returns the first reason, or null. */
export async function openBusiness(
  transaction: Queryable,
  accountId: number,
  now: EpochSeconds,
): Promise<NotClosable | null> {
  const [open = {}] = await transaction.ofAccount(accountId).query(findOpen, [accountId, now]);
  if (open['is_halted'] === true) return 'account_halted';
  if (open['has_order'] === true) return 'order_pending';
  if (open['has_plan'] === true) return 'plan_running';
  if (open['has_call'] === true) return 'product_call_open';
  if (open['has_payment'] === true) return 'payment_open';
  const [elsewhere] = await transaction.query(findOpenPayments, [accountId]);
  return elsewhere?.['has_payment'] === true ? 'payment_open' : null;
}
