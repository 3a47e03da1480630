import { isTestAccount } from '../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { type KeySecret, keyIdOf } from '../identity/api-key-rows.ts';
import { keyScopeNames } from '../identity/principal.ts';
import type { KeyView } from './key-schemas.ts';
import type { AccountKey } from './manage-keys.ts';

export interface CreatorNames {
  /** Administrators also see names of other accounts. */
  readonly showsForeign: boolean;
  readonly usernames: ReadonlyMap<number, string>;
  readonly keyNames: ReadonlyMap<number, string>;
  readonly peopleNames: ReadonlyMap<number, string>;
}

export function keyView(
  key: AccountKey,
  account: { readonly id: number; readonly isAdmin: boolean },
  names: CreatorNames,
  now: EpochSeconds,
): KeyView {
  return {
    id: keyIdOf(key),
    name: key.name,
    mode: isTestAccount(key.accountId) ? 'test' : 'live',
    first: key.isFirst,
    status: key.expiresAt !== null && now >= key.expiresAt ? 'expired' : 'active',
    scopes: keyScopeNames(isTestAccount(key.accountId) ? 'test' : 'live', account.isAdmin, key.scopes),
    all_scopes: key.scopes === null,
    allowed_ips: [...key.allowedIps],
    rate_limit_per_minute: key.rateLimitPerMinute,
    last_four: key.lastFour,
    created_at: formatTime(key.keyCreatedAt),
    secret_created_at: formatTime(key.createdAt),
    created_by: creatorView(key, account, names),
    last_used_at: timeOrNull(key.lastUsedAt),
    expires_at: timeOrNull(key.expiresAt),
    ending: key.ending.map(({ lastFour, endsAt, lastUsedAt }) => ({
      last_four: lastFour,
      ends_at: formatTime(endsAt ?? now),
      last_used_at: timeOrNull(lastUsedAt),
    })),
  };
}

function creatorView(
  { createdBy, createdByKey, createdByPerson }: KeySecret,
  { id: ownId }: { readonly id: number },
  { showsForeign, usernames, keyNames, peopleNames }: CreatorNames,
): KeyView['created_by'] {
  const account = createdBy === null ? undefined : usernames.get(createdBy);
  if (account === undefined) return null;
  // Resellers see that the operator created the key, but not which person.
  if (!showsForeign && createdBy !== ownId) {
    const type = createdByKey !== null ? 'key' : 'person';
    return createdByKey === null && createdByPerson === null ? null : { account, type };
  }
  if (createdByKey !== null) {
    return { account, type: 'key', id: createdByKey, name: keyNames.get(createdByKey) ?? '' };
  }
  if (createdByPerson === null) return null;
  return { account, type: 'person', id: createdByPerson, name: peopleNames.get(createdByPerson) ?? '' };
}

function timeOrNull(at: EpochSeconds | null): string | null {
  return at === null ? null : formatTime(at);
}
