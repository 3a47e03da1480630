// The request log and the refusal counts. Logging a request pushes one small object; batches are written every second.
// Invariant: nothing waits for the log. Buffers and lines per account are bounded; lost lines are counted. A key's use is
// recorded even if its line is dropped.

import { byGroup, type Database, type Row } from '../../platform/database/database.ts';
import { createFairQueue } from '../../platform/limits/fair-queue.ts';
import type { ErrorCode } from '../../shared/error-catalog.ts';
import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import { createKeyUses, type UsedKeys } from './key-uses.ts';
import { createRefusalCounter, deleteOldRefusals } from './refusal-counts.ts';
import { type CapturedExchange, deleteForgottenBodies, deleteRequestBodies } from './request-bodies.ts';
import {
  insertRequests,
  insertRequestsWithBodies,
  type KeptLimits,
  type KnownLine,
  pruneRequests,
  pruneRequestsOf,
  type RequestLine,
} from './request-lines.ts';

interface NumberedLine {
  readonly line: KnownLine;
  readonly position: number;
}

export interface RequestLogLimits extends KeptLimits {
  /** Lines per flush: of accepted requests, and of those that the guard refused. */
  readonly linesMax: number;
  readonly refusedLinesMax: number;
  readonly linesPerStatement: number;
  readonly flushMilliseconds: number;
  /** Captured bodies per flush, and per account. */
  readonly exchangesMax: number;
  readonly exchangesPerAccountMax: number;
  readonly refusalsKeptDays: number;
}

export interface RequestLogDependencies {
  readonly database: Database;
  readonly limits: RequestLogLimits;
  readonly onKeysUsed: (uses: UsedKeys) => Promise<void>;
  readonly onDropped: (lines: number) => void;
}

export interface PruneTimes {
  readonly now: EpochSeconds;
  readonly before: EpochSeconds;
}

export interface RequestLog {
  /** `exchange` is set with body capture. Under load it is dropped before its line is. */
  note(line: RequestLine, exchange?: CapturedExchange | null): void;
  /** Never fails. Lines that cannot be written are dropped. */
  flush(): Promise<void>;
  /** Deletes lines from before `before`, and counts of refusals by their own limit. */
  prune(times: PruneTimes, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** Clients can repeat these refusals at will, so their lines must not displace others. */
const guardCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'revoked_api_key',
  'account_blocked',
  'api_disabled',
  'ip_not_allowed',
  'rate_limited',
]);

const accountsRememberedMax = 100_000;
const neverAborted = new AbortController().signal;

export function createRequestLog(dependencies: RequestLogDependencies): RequestLog {
  const { database, limits, onKeysUsed, onDropped } = dependencies;
  const letIn = createFairQueue<number, NumberedLine>(limits.linesMax);
  const refused = createFairQueue<number, NumberedLine>(limits.refusedLinesMax);
  const exchanges = createFairQueue<
    number,
    { readonly line: KnownLine; readonly exchange: CapturedExchange }
  >(limits.exchangesMax);
  let noted = 0;
  const refusals = createRefusalCounter(database);
  let flushing: Promise<void> | null = null;
  const keyUses = createKeyUses(onKeysUsed, limits.linesPerStatement);
  const pruneAt = new Map<number, number>();
  const pruneStep = Math.max(1, Math.floor(limits.keptPerAccountMax / 10));
  const bodiesStep = Math.max(1, Math.floor(limits.exchangesPerAccountMax / 10));

  function note(line: RequestLine, exchange: CapturedExchange | null = null): void {
    if (line.code !== null) refusals.note(line.code, line.at, line.accountId);
    if (line.accountId === null) return;
    if (line.secretId !== null && line.code !== 'revoked_api_key') keyUses.note(line.secretId, line.at);
    noted += 1;
    const lines = line.code !== null && guardCodes.has(line.code) ? refused : letIn;
    if (exchange !== null) exchanges.push(line.accountId, { line, exchange });
    if (lines.push(line.accountId, { line, position: noted }) !== null) onDropped(1);
  }

  function takeExchanges(): Map<KnownLine, CapturedExchange> {
    const taken = new Map<KnownLine, CapturedExchange>();
    for (let next = exchanges.shift(); next !== undefined; next = exchanges.shift()) {
      taken.set(next.line, next.exchange);
    }
    return taken;
  }

  function takeWaiting(): KnownLine[] {
    const taken: NumberedLine[] = [];
    for (const lines of [letIn, refused]) {
      for (let next = lines.shift(); next !== undefined; next = lines.shift()) taken.push(next);
    }
    return taken.sort((a, b) => a.position - b.position).map(({ line }) => line);
  }

  function flush(): Promise<void> {
    // Flushes run one at a time. Lines that arrive meanwhile go with the next one.
    const mine = (flushing ?? Promise.resolve()).then(writeWaiting).finally(() => {
      if (flushing === mine) flushing = null;
    });
    flushing = mine;
    return mine;
  }

  async function writeWaiting(): Promise<void> {
    await writeLines(takeWaiting(), takeExchanges());
    await refusals.write();
    await keyUses.write();
  }

  async function writeLines(
    lines: readonly KnownLine[],
    kept: ReadonlyMap<KnownLine, CapturedExchange>,
  ): Promise<void> {
    let written = 0;
    try {
      for (let from = 0; from < lines.length; from += limits.linesPerStatement) {
        const part = lines.slice(from, from + limits.linesPerStatement);
        for (const [accountId, ofGroup] of byGroup(database, part, (line) => line.accountId)) {
          const group = database.ofAccount(accountId);
          const counts = ofGroup.some((line) => kept.has(line))
            ? await writeWithBodies(group, ofGroup, kept)
            : await insertRequests(group, ofGroup);
          written += ofGroup.length;
          await pruneLong(counts);
        }
      }
    } catch {
      onDropped(lines.length - written);
    }
  }

  async function writeWithBodies(
    group: Database,
    lines: readonly KnownLine[],
    kept: ReadonlyMap<KnownLine, CapturedExchange>,
  ): Promise<readonly Row[]> {
    const written = await insertRequestsWithBodies(group, lines, kept);
    for (const { accountId, number } of written.bodies) {
      if (number % bodiesStep !== 0) continue;
      const upTo = number - limits.exchangesPerAccountMax;
      await deleteRequestBodies(database, accountId, upTo, neverAborted).catch(() => undefined);
    }
    return written.counts;
  }

  /** Only by number: a line may be as old as the operator's setting says, which the job reads. */
  async function pruneLong(counts: readonly Row[]): Promise<void> {
    for (const row of counts) {
      const accountId = Number(row['account_id']);
      const count = Number(row['request_count']);
      if (count < (pruneAt.get(accountId) ?? limits.keptPerAccountMax + pruneStep)) continue;
      if (pruneAt.size >= accountsRememberedMax) pruneAt.clear();
      pruneAt.set(accountId, count + pruneStep);
      // The lines themselves are written, so a failed prune is only tried again later.
      await pruneRequestsOf(database, limits, accountId, count, 0, neverAborted).catch(() =>
        pruneAt.delete(accountId),
      );
    }
  }

  const timer = setInterval(() => {
    const isEmpty = letIn.size() + refused.size() + refusals.size() + keyUses.size() === 0;
    if (flushing === null && !isEmpty) void flush();
  }, limits.flushMilliseconds);
  timer.unref();

  return {
    note,
    flush,
    async prune({ now, before }, signal = neverAborted) {
      const firstDay = dayOf(now - limits.refusalsKeptDays * 86_400);
      await deleteOldRefusals(database, firstDay, signal);
      await deleteForgottenBodies(database, signal);
      return pruneRequests(database, limits, before, signal);
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
