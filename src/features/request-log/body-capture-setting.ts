// Turns body capture on or off. Only the account's people do this, never the operator
// (docs/decisions/0050-bodies-of-requests.md).
// Invariant: once turning off is answered, nothing captured is left and nothing more is captured.

import type { Actor, AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import { accountChanged, changesChannel, notifyChange } from '../../platform/database/change-notices.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Refusal } from '../../shared/error-catalog.ts';
import { lockAccountRow, writeKeepsBodies } from '../identity/account-row.ts';
import { recheckCaller } from '../identity/recheck-caller.ts';
import { copySettingsToTestAccount } from '../identity/test-account-settings.ts';
import { deleteRequestBodies, endRequestBodies } from './request-bodies.ts';

const neverAborted = new AbortController().signal;

/** Returns the ids of the account and its tests, or null if there is no such account. */
export async function switchBodyCapture(
  database: Database,
  id: number,
  keeps: boolean,
  author: Actor & AuditAuthor,
): Promise<readonly number[] | Refusal | null> {
  const { actorId, by = null, now } = author;
  const done = await database.transaction(async (transaction) => {
    const account = await lockAccountRow(transaction, id);
    if (account === null) return null;
    const gone = await recheckCaller(transaction, author, account);
    if (gone !== null) return gone;
    await writeKeepsBodies(transaction, id, keeps);
    const testAccountId = await copySettingsToTestAccount(transaction, id);
    const ids = testAccountId === null ? [id] : [id, testAccountId];
    for (const each of ids) {
      await transaction.query(notifyChange, [changesChannel, accountChanged(each)]);
      if (!keeps) await endRequestBodies(transaction, each);
    }
    const view = (keeps_request_bodies: boolean) => ({ keeps_request_bodies });
    if (account.capturesBodies !== keeps) {
      const subject = `account ${id}`;
      const change = { before: view(!keeps), after: view(keeps) };
      await appendAudit(transaction, { actorId, by, action: 'account.update', subject, ...change }, now);
    }
    return ids;
  });
  if (done === null || 'code' in done) return done;
  // Also deletes bodies that an interrupted call left behind.
  for (const each of keeps ? [] : done) {
    await deleteRequestBodies(database, each, Number.MAX_SAFE_INTEGER, neverAborted);
  }
  return done;
}
