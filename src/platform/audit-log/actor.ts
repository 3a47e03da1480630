// Who makes a change. The audit log records this actor, and the change's own transaction checks the actor's scopes again.

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

/** The account id in the audit entry of a refused sign-in, whose account is unknown. No account has this id. */
export const unknownActor = 0;

export interface AuditAuthor {
  /** The account of the administrator, or of the person who changed their own data; `unknownActor` for a refused sign-in. */
  readonly actorId: number;
  /** Absent or null when the service itself acted, or a command line that used no API key. */
  readonly by?: ActingParty | null;
}
