// When each key was last used, to the minute: noted in memory with each request, written by request-log.ts with its
// lines. Always true: a use that could not be written is written the next time.

import type { EpochSeconds } from '../../shared/times.ts';

/** Ids of keys to the minutes in which they were used. */
export type UsedKeys = ReadonlyMap<number, EpochSeconds>;

export interface KeyUses {
  note(keyId: number, at: EpochSeconds): void;
  /** Never fails. */
  write(): Promise<void>;
  /** Those that are not written. */
  size(): number;
}

const keysRememberedMax = 100_000;

export function createKeyUses(write: (uses: UsedKeys) => Promise<void>, keysPerWriteMax: number): KeyUses {
  /** To the last minute that was noted. */
  const notedMinutes = new Map<number, EpochSeconds>();
  let unwritten = new Map<number, EpochSeconds>();

  return {
    note(keyId, at) {
      const minute = at - (at % 60);
      if ((notedMinutes.get(keyId) ?? Number.NEGATIVE_INFINITY) >= minute) return;
      if (unwritten.size >= keysRememberedMax) return;
      if (notedMinutes.size >= keysRememberedMax) notedMinutes.clear();
      notedMinutes.set(keyId, minute);
      unwritten.set(keyId, minute);
    },
    async write() {
      const uses = [...unwritten];
      unwritten = new Map();
      for (let from = 0; from < uses.length; from += keysPerWriteMax) {
        try {
          await write(new Map(uses.slice(from, from + keysPerWriteMax)));
        } catch {
          // What came meanwhile is later.
          unwritten = new Map([...uses.slice(from), ...unwritten]);
          break;
        }
      }
    },
    size: () => unwritten.size,
  };
}
