// Limits simultaneous calls to one origin. Further calls wait in line.
// Invariant: an aborted call holds no turn and no place in line, and idle origins take no memory.

import { OutboundProblem } from './outbound-problem.ts';

export interface PerOriginConcurrency {
  take(origin: string, signal: AbortSignal): Promise<void>;
  end(origin: string): void;
}

export function createPerOriginConcurrency(atOnceMax: number): PerOriginConcurrency {
  const lines = new Map<string, { underWay: number; readonly waiting: Set<() => void> }>();
  return {
    async take(origin, signal) {
      const line = lines.get(origin) ?? { underWay: 0, waiting: new Set() };
      lines.set(origin, line);
      if (line.underWay < atOnceMax) {
        line.underWay += 1;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          line.waiting.delete(comeUp);
          signal.removeEventListener('abort', giveUp);
        };
        const comeUp = () => {
          leave();
          resolve();
        };
        const giveUp = () => {
          leave();
          reject(OutboundProblem.of(signal.reason));
        };
        line.waiting.add(comeUp);
        signal.addEventListener('abort', giveUp);
      });
    },
    end(origin) {
      const line = lines.get(origin);
      if (line === undefined) return;
      const [next] = line.waiting;
      if (next !== undefined) next();
      else if (line.underWay > 1) line.underWay -= 1;
      else lines.delete(origin);
    },
  };
}
