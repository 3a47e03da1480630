// Who makes a change, as the audit log names them and as the change's own transaction asks after them again.

import type { Scope } from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';

/** Who changes something; null while the service itself sets up its first administrator. */
export interface Actor {
  readonly actorId: number | null;
  /** Its key or person, where one of them asked for it. */
  readonly by?: ActingParty | null;
  /** What they still have to be allowed when it is done; absent: to be there. */
  readonly takes?: readonly Scope[];
  readonly now: EpochSeconds;
}

/** Who acted for the account. */
export interface ActingParty {
  readonly type: 'key' | 'person';
  readonly id: number;
  /** Which secret of the key was sent; absent: its first. Not entered. */
  readonly secretId?: number;
}

/** Who is refused at sign-in is not known: no account has this id. */
export const nobody = 0;

export interface AuditAuthor {
  /** The administrator's account, or that of whoever changed something of their own; or `nobody`. */
  readonly actorId: number;
  /** Its key or person; absent or null where the service itself acted, or its command line without a key. */
  readonly by?: ActingParty | null;
}
