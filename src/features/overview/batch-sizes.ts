// This process's uptime and the sizes of its last batches, for the console.

import type { LimitServerState } from '../../platform/limits/limit-server.ts';
import type { RequestFigures } from './request-figures.ts';

export interface HealthFacts {
  readonly version: string;
  uptimeSeconds(): number;
  /** null if each process counts for itself. */
  sharedLimits(): LimitServerState | null;
  batchSizes(): { p50: number; p95: number; max: number };
  readonly requests: RequestFigures;
}

const batchesRemembered = 1_000;

export interface BatchSizes {
  note(orders: number): void;
  /** Quantiles of the last thousand batches; zeros before the first. */
  quantiles(): { p50: number; p95: number; max: number };
}

export function createBatchSizes(): BatchSizes {
  const ring = new Uint16Array(batchesRemembered);
  let count = 0;
  return {
    note(orders) {
      ring[count % batchesRemembered] = orders;
      count += 1;
    },
    quantiles() {
      const sorted = ring.slice(0, Math.min(count, batchesRemembered)).sort();
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return { p50: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0 };
    },
  };
}
