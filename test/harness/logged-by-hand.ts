// Writes by SQL what no route writes, together with the audit entry that verification expects.

import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { type AuditEntry, appendAudit } from '../../src/platform/audit-log/append-audit.ts';
import { sqlOf } from './group-sql.ts';

export async function makeAdministrator(
  service: TestService,
  account: { readonly id: number },
): Promise<void> {
  await sqlOf(service, account, `update accounts set is_admin = true where id = ${account.id}`);
  await log(service, {
    action: 'account.update',
    subject: `account ${account.id}`,
    after: { is_admin: true },
  });
}

/** Logs a credit as the first edition did, without naming the ledger entry. Earlier credits need no entry in the log. */
export function logCreditsUpTo(
  service: TestService,
  account: { readonly id: number },
  at: number,
): Promise<void> {
  const entry = { action: 'account.credit', subject: `account ${account.id}`, after: { balance: '1.00' } };
  return log(service, entry, at);
}

function log(
  { database, admin, clock }: TestService,
  entry: Pick<AuditEntry, 'action' | 'subject' | 'after'>,
  at = clock.seconds,
): Promise<void> {
  return database.transaction((transaction) =>
    appendAudit(transaction, { actorId: admin.id, before: null, ...entry }, at),
  );
}
