// The author of a change: recorded in the audit log, and re-checked inside the change's own transaction.

import type { Scope } from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export interface Actor {
  readonly actorId: number | null;
  readonly by?: ActingParty | null;
  /** Scopes the actor must still hold when the change commits; absent: the actor only has to exist. */
  readonly takes?: readonly Scope[];
  readonly now: EpochSeconds;
}

export interface ActingParty {
  readonly type: 'key' | 'person';
  readonly id: number;
  readonly secretId?: number;
}

/** Account id for refused sign-ins, whose account is unknown: no account has this id. */
export const unknownActor = 0;

export interface AuditAuthor {
  /** The account of the administrator, or of the person who changed their own data; or `unknownActor`. */
  readonly actorId: number;
  /** Absent or null when the service itself acted, or its command line without a key. */
  readonly by?: ActingParty | null;
}
