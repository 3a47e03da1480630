// Collects in memory when each key was last used, to the minute.
// Invariant: if a write fails, its uses are written with the next one.

import type { EpochSeconds } from '../../shared/times.ts';

export type UsedKeys = ReadonlyMap<number, EpochSeconds>;

export interface KeyUses {
  note(keyId: number, at: EpochSeconds): void;
  write(): Promise<void>;
  size(): number;
}

const keysRememberedMax = 100_000;

export function createKeyUses(write: (uses: UsedKeys) => Promise<void>, keysPerWriteMax: number): KeyUses {
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
          unwritten = new Map([...uses.slice(from), ...unwritten]);
          break;
        }
      }
    },
    size: () => unwritten.size,
  };
}
