import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import type { NewEvent } from '../events/event-log.ts';
import { lastFour } from '../identity/api-key.ts';

interface NamedKey {
  readonly id: number;
  /** If `id` is that of a later secret, the key's own id; otherwise null (api-key-rows.ts). */
  readonly keyId?: number | null;
  readonly name: string;
}

export function keyCreated(apiKey: string, key: NamedKey): NewEvent {
  return { type: 'key.created', data: { key: { ...keyData(key), last_four: lastFour(apiKey) } } };
}

/** `endsAt` is null if the secret was revoked. */
export function keyRevoked(last_four: string, key: NamedKey, endsAt: EpochSeconds | null = null): NewEvent {
  const ends = endsAt === null ? {} : { ends_at: formatTime(endsAt) };
  return { type: 'key.revoked', data: { key: { ...keyData(key), last_four, ...ends } } };
}

function keyData({ id, keyId = null, name }: NamedKey) {
  return { id: keyId ?? id, name };
}
