// The last requests of this process, for the console's health page: how many failed, and how long they took.

const requestsRemembered = 1_000;

export interface RequestFigures {
  note(status: number, milliseconds: number): void;
  /** Of the last thousand requests; zeros before the first. */
  read(): { count: number; failed: number; p50: number; p95: number };
}

export function createRequestFigures(): RequestFigures {
  const times = new Float32Array(requestsRemembered);
  const failures = new Uint8Array(requestsRemembered);
  let count = 0;
  return {
    note(status, milliseconds) {
      times[count % requestsRemembered] = milliseconds;
      failures[count % requestsRemembered] = status >= 500 ? 1 : 0;
      count += 1;
    },
    read() {
      const kept = Math.min(count, requestsRemembered);
      const sorted = times.slice(0, kept).sort();
      const at = (share: number) => Math.round(sorted[Math.min(kept - 1, Math.floor(kept * share))] ?? 0);
      const failed = failures.slice(0, kept).reduce((sum, one) => sum + one, 0);
      return { count: kept, failed, p50: at(0.5), p95: at(0.95) };
    },
  };
}
