// Closes an account for good. One transaction under the account's lock checks that nothing is open and shuts everyone out;
// settle-closing.ts then lets the engine take the balance.
// Invariant: from the first COMMIT on, nothing can be ordered or credited, so the balance can only fall until it is taken.
// `closing` says what is left to do: after a crash the same request or the job continues.

import type { Actor, AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import { accountChanged, changesChannel, notifyChange } from '../../platform/database/change-notices.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Done, runOnce } from '../../platform/database/idempotent-change.ts';
import { dropWaitingMails } from '../../platform/mail/mail-outbox.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { silenceAlerts } from '../alerts/alert-store.ts';
import { deleteSessionsOf } from '../auth/session-store.ts';
import { closeRow, lockAccountRow } from '../identity/account-row.ts';
import type { Account } from '../identity/account-table.ts';
import { revokeKeysOf } from '../identity/api-key-rows.ts';
import { endLinksOfAll, endSessionsOfAll } from '../identity/people-rows.ts';
import { recheckCaller } from '../identity/recheck-caller.ts';
import { copySettingsToTestAccount } from '../identity/test-account-settings.ts';
import { mintOrderKey } from '../order-engine/mint-order-key.ts';
import { forgetAutoTopup } from '../payments/auto-topup-store.ts';
import { disableWebhooksOf } from '../webhooks/webhook-store.ts';
import type { ClosingBalance } from './closing-schemas.ts';
import { openBusiness } from './open-business.ts';

export interface CloseAsked {
  readonly accountId: number;
  readonly balance: ClosingBalance;
  readonly memo: string;
  readonly idempotencyKey: string | null;
  readonly author: Omit<Actor, 'now'> & AuditAuthor;
  readonly now: EpochSeconds;
}

const findKeyUse: SqlStatement = {
  name: 'find_money_moved_with_key',
  text: `select exists (select 1 from ledger_entries e where e.account_id = $1::int and e.idempotency_key = $2::text)
    or exists (select 1 from write_offs w where w.account_id = $1::int and w.idempotency_key = $2::text) as is_used`,
};

/** Closing a closed account again changes nothing. */
export function shutAccount(database: Database, asked: CloseAsked): Promise<Done<true> | Refusal> {
  const { accountId, balance, memo, idempotencyKey, author, now } = asked;
  return database.transaction(async (transaction) => {
    const account = await lockAccountRow(transaction, accountId);
    if (account === null) return refusal('account_not_found');
    const gone = await recheckCaller(transaction, { ...author, now }, account);
    if (gone !== null) return gone;
    return runOnce<true>(
      transaction,
      { accountId, idempotencyKey, what: ['close account', balance, memo], now },
      async () => {
        if (account.closedAt === null) {
          const refused = await shut(transaction, account, asked);
          if (refused !== null) return refused;
        }
        return { id: accountId, result: true };
      },
      () => Promise.resolve(true as const),
    );
  });
}

async function shut(
  transaction: Queryable,
  account: Account,
  { balance, memo, idempotencyKey, author, now }: CloseAsked,
): Promise<Refusal | null> {
  const { id, balanceCents, receivableCents } = account;
  const group = transaction.ofAccount(id);
  if (idempotencyKey !== null) {
    const [use] = await group.query(findKeyUse, [id, idempotencyKey]);
    if (use?.['is_used'] === true) return refusal('idempotency_conflict');
  }
  const reason = account.isAdmin
    ? 'administrator'
    : ((await openBusiness(transaction, id, now)) ??
      (balance === 'paid_out' && receivableCents > 0n ? 'receivable_open' : null));
  if (reason !== null) return refusal('account_not_closable', { reason });
  const { actorId, by = null } = author;
  await closeRow(transaction, id, now, {
    ...{ balance, memo, key: idempotencyKey ?? mintOrderKey(), actor_id: actorId },
    by: by === null ? null : { type: by.type, id: by.id },
  });
  const testAccountId = await copySettingsToTestAccount(transaction, id);
  const ids = testAccountId === null ? [id] : [id, testAccountId];
  await revokeKeysOf(transaction, ids, now);
  await endSessionsOfAll(transaction, id);
  await deleteSessionsOf(transaction, id);
  await endLinksOfAll(transaction, id);
  await silenceAlerts(transaction, id);
  await dropWaitingMails(transaction, id);
  for (const each of ids) {
    await disableWebhooksOf(transaction, each);
    await forgetAutoTopup(transaction, each);
    await transaction.query(notifyChange, [changesChannel, accountChanged(each)]);
  }
  const entry = { actorId, by, action: 'account.close', subject: `account ${id}` };
  const before = { balance: formatAmount(balanceCents), receivable: formatAmount(receivableCents) };
  await appendAudit(transaction, { ...entry, before, after: { balance, memo } }, now);
  return null;
}
