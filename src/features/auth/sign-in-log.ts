// Writes audit entries for sign-ins, refused sign-ins, and wrong passwords in sensitive actions. Refusals never wait for
// their entry, so that timing reveals no names.
// Invariant: the log is bounded. Per person, and for all unknown names together, the first `enteredMax` within
// `windowSeconds` are logged, then one each time the number doubles.

import { unknownActor } from '../../platform/audit-log/actor.ts';
import { type AuditEntry, appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export interface SignInLogLimits {
  readonly enteredMax: number;
  readonly windowSeconds: number;
  readonly pendingMax: number;
}

export type SignInRefusal = 'wrong_password' | 'unknown_username' | 'wrong_code' | 'account_blocked';

export interface SignInLog {
  /** The entry to write in the transaction that begins the session, or null. By default for the account's own login. */
  entryOf(
    account: { readonly id: number; readonly username: string },
    address: string,
    personId?: number,
  ): AuditEntry | null;
  /** `accountId` is null for an unknown name. By default for the account's own login. */
  refused(sent: RefusedSignIn, now: EpochSeconds): void;
  refusedAction(sent: RefusedAction, now: EpochSeconds): Promise<void>;
  settled(): Promise<void>;
}

export interface RefusedSignIn {
  readonly accountId: number | null;
  readonly username: string;
  readonly address: string;
  readonly reason: SignInRefusal;
  readonly personId?: number | null;
}

export interface RefusedAction {
  readonly accountId: number;
  readonly personId: number;
  readonly username: string;
  readonly address: string;
  readonly operation: string;
}

interface SignInLogDependencies {
  readonly database: Queryable;
  readonly monotonicNow: () => number;
  readonly limits: SignInLogLimits;
  readonly onProblem: (error: unknown) => void;
}

export function createSignInLog(dependencies: SignInLogDependencies): SignInLog {
  const { database, monotonicNow, limits, onProblem } = dependencies;
  // Ordered by when their hour began. There are at most three per person, and one for unknown names.
  const counts = new Map<string, { readonly since: number; count: number }>();
  const pending = new Set<Promise<void>>();

  function countOne(what: string): number | null {
    const at = monotonicNow();
    for (const [key, { since }] of counts) {
      if (since + limits.windowSeconds * 1000 > at) break;
      counts.delete(key);
    }
    const known = counts.get(what) ?? { since: at, count: 0 };
    known.count += 1;
    counts.set(what, known);
    return isEntered(known.count, limits.enteredMax) ? known.count : null;
  }

  function enter(entry: AuditEntry, now: EpochSeconds): Promise<void> {
    const written: Promise<void> = appendAudit(database, entry, now)
      .catch(onProblem)
      .finally(() => pending.delete(written));
    pending.add(written);
    return written;
  }

  return {
    entryOf({ id, username }, address, personId = id) {
      const count = countOne(`accepted ${personId}`);
      if (count === null) return null;
      return {
        actorId: id,
        by: { type: 'person', id: personId },
        action: 'sign_in.accept',
        subject: subjectOf(id),
        before: null,
        after: { username, address, within_the_hour: count },
      };
    },
    refused({ accountId, username, address, reason, personId = accountId }, now) {
      const count = countOne(`refused ${personId}`);
      if (count === null || pending.size >= limits.pendingMax) return;
      const entry = {
        actorId: unknownActor,
        action: 'sign_in.refuse',
        subject: subjectOf(accountId),
        before: null,
        after: {
          username: accountId === null ? nobodysName : username,
          address,
          reason,
          within_the_hour: count,
        },
      };
      void enter(entry, now);
    },
    async refusedAction({ accountId, personId, username, address, operation }, now) {
      const count = countOne(`action ${personId}`);
      if (count === null || pending.size >= limits.pendingMax) return;
      const entry = {
        actorId: accountId,
        by: { type: 'person', id: personId },
        action: 'deed.refuse',
        subject: subjectOf(accountId),
        before: null,
        after: { username, address, deed: operation, reason: 'wrong_password', within_the_hour: count },
      } as const;
      await enter(entry, now);
    },
    async settled() {
      await Promise.all(pending);
    },
  };
}

function isEntered(count: number, enteredMax: number): boolean {
  let next = enteredMax;
  while (next < count) next *= 2;
  return count <= enteredMax || next === count;
}

function subjectOf(accountId: number | null): string {
  return accountId === null ? 'sign-in' : `sign-in of account ${accountId}`;
}

/** Names that match no account are not logged, because people type passwords and keys into the name field. */
const nobodysName = '(no account)';
