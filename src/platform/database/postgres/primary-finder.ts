// Which of several hosts takes writes: asked for at the first connection, and again whenever one is lost (decision record
// 0043). Called by postgres.ts when DATABASE_URL names a list of hosts; a single host is never asked.
// Always true: a process holds on to the system identifier of the cluster it began with, and to the newest timeline it has
// seen: another cluster, and a former primary that takes writes all the same, are passed over.

import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database.ts';
import { type DatabaseHost, hostText } from './database-hosts.ts';

/** What a server says of itself. */
export interface HostAnswer {
  /** Of its cluster: the same on a primary and its standbys. */
  readonly systemIdentifier: string;
  /** Each promotion begins another; null: it is a standby. */
  readonly timeline: number | null;
  readonly isReadOnly: boolean;
  /** There is nothing of this service in the database. */
  readonly isEmpty: boolean;
}

export interface PrimaryFinder {
  /** The host that takes writes. @throws DatabaseUnavailable with what is to be said of each host */
  find(): Promise<DatabaseHost>;
  /** For each session as it begins: the server may be another by now. @throws DatabaseUnavailable */
  accept(host: DatabaseHost, answer: HostAnswer): void;
  /**
   * A connection to the server of this timeline broke, fell silent or could not be made: all hosts are asked before the
   * next one is made. Of a former primary that says nothing.
   */
  doubt(timeline: number | null): void;
  close(): void;
}

export interface PrimaryFinderOptions {
  readonly hosts: readonly DatabaseHost[];
  /** Rejects when the host does not answer in time, which it limits by itself. */
  readonly ask: (host: DatabaseHost) => Promise<HostAnswer>;
  /** How long the others are waited for when one takes writes, and does not decide alone. */
  readonly patienceMilliseconds: number;
  /** Between two times that nobody was found, or that one host is asked. */
  readonly retryMilliseconds: number;
  /** Between two looks at all hosts while nothing seems wrong: nobody says goodbye for a primary that was cut off. */
  readonly lookMilliseconds: number;
  /** A newer timeline has begun: sessions of an older one are a former primary's. */
  readonly onMoved: (timeline: number) => void;
}

type Heard = ReadonlyMap<DatabaseHost, HostAnswer | Error>;

/** What is known of the cluster: null until the first look. */
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
    // Nobody has asked for a connection yet, and nobody waits for this one.
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
      const found = choose(await hear());
      [primary, failed] = [found, null];
      isCertain = doubts === doubtsBefore;
      return found;
    } catch (error) {
      // Without a doubt, whoever has the primary keeps it: a busy server may be slow to take one connection more.
      failed = { error, at: performance.now() };
      throw error;
    }
  }

  /**
   * Asks all hosts at once. The very first time each has the time that it may take; later a newer timeline decides alone, and
   * any other that takes writes waits for the rest a while. Who does not take writes is asked again until the last has
   * answered: a standby may be promoted while its primary is silent.
   */
  function hear(): Promise<Heard> {
    const isFirst = cluster.systemIdentifier === null;
    const heard = new Map<DatabaseHost, HostAnswer | Error>();
    return new Promise((resolve) => {
      let patience: NodeJS.Timeout | undefined;
      let isOver = false;
      const end = () => {
        isOver = true;
        clearTimeout(patience);
        resolve(new Map(heard));
      };
      const question = async (host: DatabaseHost) => {
        while (!isOver) {
          const answer = await ask(host).catch(errorOf);
          if (isOver) return;
          heard.set(host, answer);
          if (heard.size === hosts.length) return end();
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

  /** @throws DatabaseUnavailable */
  function choose(heard: Heard): DatabaseHost {
    if (cluster.systemIdentifier === null) begin(heard);
    for (const answer of heard.values()) noteTimeline(answer);
    const takers = hosts.filter((host) => problemOf(heard.get(host), cluster) === null);
    // The same server may be listed under two names: who has it already stays.
    const found = takers.find((host) => host === primary) ?? takers[0];
    if (found !== undefined) return found;
    throw new DatabaseUnavailable(
      `No host of DATABASE_URL takes writes: ${described(hosts, heard, cluster)}.`,
    );
  }

  /** Whose cluster this is, once and for all. @throws DatabaseUnavailable */
  function begin(heard: Heard): void {
    const answers = [...heard.values()].flatMap((answer) => (answer instanceof Error ? [] : [answer]));
    const identifiers = new Set(answers.map((answer) => answer.systemIdentifier));
    if (identifiers.size > 1) {
      const listed = [...heard].flatMap(([host, answer]) =>
        answer instanceof Error ? [] : [`${hostText(host)} (${answer.systemIdentifier})`],
      );
      throw new DatabaseUnavailable(
        `The hosts of DATABASE_URL belong to different clusters, as their system identifiers say: ${listed.join(', ')}. Leave out those that are not this service's.`,
      );
    }
    const taker = answers.find((answer) => answer.timeline !== null && !answer.isReadOnly);
    if (taker?.isEmpty === true && answers.length < hosts.length) {
      throw new DatabaseUnavailable(
        `The database is empty, and not every host of DATABASE_URL answers, so it may be another cluster's: ${described(hosts, heard, cluster)}. Start them all, or leave out those that are not there.`,
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
      // One that began before the doubt has heard too little.
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
      throw new DatabaseUnavailable(`${hostText(host)} is not written to: ${problem}.`);
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

/** Why a host cannot be written to; null: it can. */
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

function described(all: readonly DatabaseHost[], heard: Heard, cluster: Cluster): string {
  return all
    .map((host) => `${hostText(host)} (${problemOf(heard.get(host), cluster) ?? 'takes writes'})`)
    .join(', ');
}

/** A name with several addresses fails once for each, and the sum of them says nothing. */
function errorOf(thrown: unknown): Error {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  return first instanceof Error ? first : new Error(String(thrown));
}
