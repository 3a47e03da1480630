import type { Database } from '../../platform/database/database.ts';
import { coalesce } from './coalesce.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import type { Attempt } from './delivery-log.ts';
import {
  type EndedRetry,
  type Fence,
  type Progress,
  type Retry,
  writeProgress,
} from './delivery-progress.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import type { Endpoint } from './endpoint-roster.ts';

export interface Unwritten {
  readonly endpoint: Endpoint;
  readonly queue: EndpointQueue;
  readonly attempt: Omit<Attempt, 'number'>;
  readonly setAside: readonly Retry[];
  readonly ended: readonly EndedRetry[];
}

export interface ProgressWriter {
  add(attempted: Unwritten): void;
  addEnded(retries: readonly EndedRetry[]): void;
  /** Call when the cursor moved without a request. */
  noteMoved(endpoint: Endpoint): void;
  forget(endpoint: Endpoint): void;
  hasRoom(): boolean;
  write(): Promise<void>;
  /** Call occasionally, for cursors that only moved over events of other types. */
  writeMoved(): void;
  stop(): void;
}

export interface ProgressWriterOptions {
  readonly database: Database;
  readonly fence: Fence;
  readonly limits: DeliveryLimits;
  readonly monotonicNow: () => number;
  readonly onWritten: () => void;
  /** Called if the endpoint's row was moved or deleted meanwhile. */
  readonly onVoid: (webhookId: number) => void;
  readonly onProblem: (error: unknown) => void;
}

export function createProgressWriter(options: ProgressWriterOptions): ProgressWriter {
  const { database, fence, limits, monotonicNow, onWritten, onVoid, onProblem } = options;
  const moved = new Set<Endpoint>();
  const endedRetries: EndedRetry[] = [];
  const unwritten: Unwritten[] = [];
  const writing = coalesce(writeAll, onProblem);
  let movedWrittenAt = monotonicNow();
  let timer: NodeJS.Timeout | undefined;

  async function writeAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const done = unwritten.splice(0);
    const gone = endedRetries.splice(0);
    if (done.length + gone.length + moved.size === 0) return;
    const touched = new Map<Endpoint, EndpointQueue>(
      [...moved].map((endpoint) => [endpoint, endpoint.queue]),
    );
    moved.clear();
    for (const { endpoint, queue } of done) touched.set(endpoint, queue);
    const attempts = done.map(({ endpoint, attempt }) => {
      endpoint.attemptCount += 1;
      return { ...attempt, number: endpoint.attemptCount };
    });
    const written = await writeProgress(database, fence, {
      progress: [...touched].map(([endpoint, queue]) => progressOf(endpoint, queue)),
      attempts,
      setAside: done.flatMap(({ setAside }) => setAside),
      ended: [...done.flatMap(({ ended: over }) => over), ...gone],
    });
    for (const [endpoint] of touched) {
      if (!written.has(endpoint.id) && !endpoint.isGone) onVoid(endpoint.id);
    }
    onWritten();
  }

  return {
    add(attempted) {
      unwritten.push(attempted);
      if (unwritten.length >= limits.writtenAtOnce) writing.ask();
      else timer ??= setTimeout(() => writing.ask(), limits.writeMilliseconds);
    },
    addEnded: (retries) => endedRetries.push(...retries),
    noteMoved: (endpoint) => moved.add(endpoint),
    forget: (endpoint) => moved.delete(endpoint),
    hasRoom: () => unwritten.length < limits.unwrittenMax,
    write: writing.ask,
    writeMoved() {
      if (monotonicNow() - movedWrittenAt < limits.skipMilliseconds || moved.size === 0) return;
      movedWrittenAt = monotonicNow();
      writing.ask();
    },
    stop: () => clearTimeout(timer),
  };
}

function progressOf({ id, attemptCount }: Endpoint, queue: EndpointQueue): Progress {
  const { settings, cursor, headStep, dueAt, failures } = queue;
  return { id, queueVersion: settings.queueVersion, cursor, attemptCount, headStep, dueAt, ...failures };
}
