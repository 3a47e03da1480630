// Finds which of several hosts accepts writes, at the first connection and whenever one is lost
// (docs/decisions/0043-failover.md).
// Invariant: a process stays with its first cluster (system identifier) and the newest timeline seen. Other clusters and
// former primaries that still accept writes are skipped.

import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database.ts';
import { type DatabaseHost, hostText } from './database-hosts.ts';

export interface HostAnswer {
  readonly systemIdentifier: string;
  /** null if the host is a standby. */
  readonly timeline: number | null;
  readonly isReadOnly: boolean;
  readonly isEmpty: boolean;
}

export interface PrimaryFinder {
  find(): Promise<DatabaseHost>;
  accept(host: DatabaseHost, answer: HostAnswer): void;
  /** Reports a lost connection to this timeline: all hosts are asked before the next one. Ignored for a former primary. */
  doubt(timeline: number | null): void;
  close(): void;
}

export interface PrimaryFinderOptions {
  readonly hosts: readonly DatabaseHost[];
  readonly ask: (host: DatabaseHost) => Promise<HostAnswer>;
  /** How long to wait for the other hosts when a host accepts writes but has no newer timeline. */
  readonly patienceMilliseconds: number;
  readonly retryMilliseconds: number;
  /** Interval of routine checks, which find a primary that was cut off and can no longer close connections. */
  readonly lookMilliseconds: number;
  /** Called when a newer timeline is found. Sessions of an older timeline belong to a former primary. */
  readonly onMoved: (timeline: number) => void;
}

type Replies = ReadonlyMap<DatabaseHost, HostAnswer | Error>;

interface Cluster {
  systemIdentifier: string | null;
  timeline: number;
}

export function createPrimaryFinder({
  hosts,
  ask,
  patienceMilliseconds,
  retryMilliseconds,
  lookMilliseconds,
  onMoved,
}: PrimaryFinderOptions): PrimaryFinder {
  const cluster: Cluster = { systemIdentifier: null, timeline: 0 };
  let primary: DatabaseHost | null = null;
  let isCertain = false;
  let doubts = 0;
  let looking: Promise<DatabaseHost> | null = null;
  let failed: { readonly error: unknown; readonly at: number } | null = null;

  const looks = setInterval(() => {
    if (cluster.systemIdentifier !== null) look().catch(() => undefined);
  }, lookMilliseconds);
  looks.unref();

  function look(): Promise<DatabaseHost> {
    looking ??= lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  }

  async function lookOnce(): Promise<DatabaseHost> {
    const doubtsBefore = doubts;
    try {
      const found = choose(await askAll());
      [primary, failed] = [found, null];
      isCertain = doubts === doubtsBefore;
      return found;
    } catch (error) {
      // Keep the current primary unless a connection to it was lost: a busy server may only be slow to accept another one.
      failed = { error, at: performance.now() };
      throw error;
    }
  }

  /**
   * Asks all hosts at once. The first time, all answers are awaited. Later, a newer timeline decides alone, and any other
   * writable host waits a while for the rest. If none is writable, all are asked again, because a standby may be promoted
   * while its primary is silent.
   */
  function askAll(): Promise<Replies> {
    const isFirst = cluster.systemIdentifier === null;
    const replies = new Map<DatabaseHost, HostAnswer | Error>();
    return new Promise((resolve) => {
      let patience: NodeJS.Timeout | undefined;
      let isOver = false;
      const end = () => {
        isOver = true;
        clearTimeout(patience);
        resolve(new Map(replies));
      };
      const question = async (host: DatabaseHost) => {
        while (!isOver) {
          const answer = await ask(host).catch(errorOf);
          if (isOver) return;
          replies.set(host, answer);
          if (replies.size === hosts.length) return end();
          if (isFirst) return;
          if (!(answer instanceof Error) && problemOf(answer, cluster) === null) {
            if ((answer.timeline ?? 0) > cluster.timeline) end();
            else patience ??= setTimeout(end, patienceMilliseconds);
            return;
          }
          await pause(retryMilliseconds);
        }
      };
      for (const host of hosts) question(host);
    });
  }

  function choose(replies: Replies): DatabaseHost {
    if (cluster.systemIdentifier === null) begin(replies);
    for (const answer of replies.values()) noteTimeline(answer);
    const takers = hosts.filter((host) => problemOf(replies.get(host), cluster) === null);
    const found = takers.find((host) => host === primary) ?? takers[0];
    if (found !== undefined) return found;
    throw new DatabaseUnavailable(
      `No host of DATABASE_URL takes writes: ${described(hosts, replies, cluster)}.`,
    );
  }

  /** Decides which cluster this process uses from now on. @throws DatabaseUnavailable */
  function begin(replies: Replies): void {
    const answers = [...replies.values()].flatMap((answer) => (answer instanceof Error ? [] : [answer]));
    const identifiers = new Set(answers.map((answer) => answer.systemIdentifier));
    if (identifiers.size > 1) {
      const listed = [...replies].flatMap(([host, answer]) =>
        answer instanceof Error ? [] : [`${hostText(host)} (${answer.systemIdentifier})`],
      );
      throw new DatabaseUnavailable(
        `The hosts of DATABASE_URL belong to different clusters (by system identifier): ${listed.join(', ')}. Remove the hosts of other clusters.`,
      );
    }
    const taker = answers.find((answer) => answer.timeline !== null && !answer.isReadOnly);
    if (taker?.isEmpty === true && answers.length < hosts.length) {
      throw new DatabaseUnavailable(
        `The database is empty, and not every host of DATABASE_URL answers, so it may belong to another cluster: ${described(hosts, replies, cluster)}. Start all hosts, or remove those that no longer exist.`,
      );
    }
    if (taker !== undefined) cluster.systemIdentifier = taker.systemIdentifier;
  }

  function noteTimeline(answer: HostAnswer | Error): void {
    if (answer instanceof Error || answer.systemIdentifier !== cluster.systemIdentifier) return;
    if (answer.timeline === null || answer.timeline <= cluster.timeline) return;
    cluster.timeline = answer.timeline;
    onMoved(cluster.timeline);
  }

  return {
    async find() {
      // The result of a look that began before the last doubt does not count (isCertain stays false).
      if (looking !== null) await looking.catch(() => undefined);
      if (isCertain && primary !== null) return primary;
      if (failed !== null && performance.now() - failed.at < retryMilliseconds) throw failed.error;
      return look();
    },
    accept(host, answer) {
      noteTimeline(answer);
      const problem = problemOf(answer, cluster);
      if (problem === null) return;
      isCertain = false;
      throw new DatabaseUnavailable(`${hostText(host)} is not used for writes: ${problem}.`);
    },
    doubt(lost) {
      if (lost !== null && lost < cluster.timeline) return;
      isCertain = false;
      doubts += 1;
    },
    close() {
      clearInterval(looks);
    },
  };
}

function problemOf(
  answer: HostAnswer | Error | undefined,
  { systemIdentifier, timeline }: Cluster,
): string | null {
  if (answer === undefined) return 'no answer yet';
  if (answer instanceof Error) return answer.message || answer.name;
  if (systemIdentifier !== null && answer.systemIdentifier !== systemIdentifier)
    return `of another cluster: its system identifier is ${answer.systemIdentifier}, not ${systemIdentifier}`;
  if (answer.timeline === null) return 'a standby';
  if (answer.timeline < timeline)
    return `a former primary: its timeline is ${answer.timeline}, and ${timeline} has begun`;
  return answer.isReadOnly ? 'read-only' : null;
}

function described(all: readonly DatabaseHost[], replies: Replies, cluster: Cluster): string {
  return all
    .map((host) => `${hostText(host)} (${problemOf(replies.get(host), cluster) ?? 'takes writes'})`)
    .join(', ');
}

/** For a name with several addresses, Node throws an AggregateError: one error per address, and no message of its own. */
function errorOf(thrown: unknown): Error {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  return first instanceof Error ? first : new Error(String(thrown));
}
