// Sign-ins in the audit log: who came in, and under which name somebody was refused; and wrong passwords of whoever is
// signed in. Used by the sign-in route and by the confirmation of sensitive actions; read with the rest of the audit log. Each
// entry says how many of its kind there were within the hour.
// Always true: the log is bounded, whoever knocks. Of one person, and of all names that nobody has together, the first
// `enteredMax` within `windowSeconds` are entered one by one, then one each time their number has doubled: refusals, actions and
// sign-ins apart, as this process counts them: no colleague's hide another's. And no refused sign-in waits for its entry: how
// long it takes tells nothing of the name.

import { nobody } from '../../platform/audit-log/actor.ts';
import { type AuditEntry, appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export interface SignInLogLimits {
  readonly enteredMax: number;
  readonly windowSeconds: number;
  /** Entries on their way to the database; beyond it they are only counted. */
  readonly pendingMax: number;
}

export type SignInRefusal = 'wrong_password' | 'unknown_username' | 'wrong_code' | 'account_blocked';

export interface SignInLog {
  /**
   * What belongs into the log for a sign-in that succeeded, in the transaction that begins its session; or null. `username`
   * is the person's, who is the account's own login unless named.
   */
  entryOf(
    account: { readonly id: number; readonly username: string },
    address: string,
    personId?: number,
  ): AuditEntry | null;
  /** `accountId`: null where nobody has this name. `personId`: the account's own login unless named. */
  refused(sent: RefusedSignIn, now: EpochSeconds): void;
  /** A wrong password of whoever is signed in; settles when it is entered, or counted. */
  refusedAction(sent: RefusedAction, now: EpochSeconds): Promise<void>;
  /** Once everything that was refused so far is in the log. */
  settled(): Promise<void>;
}

export interface RefusedSignIn {
  readonly accountId: number | null;
  readonly username: string;
  readonly address: string;
  readonly reason: SignInRefusal;
  readonly personId?: number | null;
}

/** `operation`: the operationId of the request that held the password. */
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
  // In the order in which their hours began: never more than there are people, three times, and one.
  const counts = new Map<string, { readonly since: number; count: number }>();
  const pending = new Set<Promise<void>>();

  /** How many there were within the hour; null where this one is not entered. */
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
        actorId: nobody,
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

/** The first ones, and then as often as their number has doubled. */
function isEntered(count: number, enteredMax: number): boolean {
  let next = enteredMax;
  while (next < count) next *= 2;
  return count <= enteredMax || next === count;
}

function subjectOf(accountId: number | null): string {
  return accountId === null ? 'sign-in' : `sign-in of account ${accountId}`;
}

/** People type passwords and keys where the name belongs, and the log keeps what it has: only names of accounts stand in it. */
const nobodysName = '(no account)';
