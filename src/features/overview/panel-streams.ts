// The open event streams of the panel, and one watcher for all of them. The watcher reads marks every second while a stream
// is open and sends each stream the topics whose mark moved.
// Invariant: a stream carries names of topics only. It ends soon after its session or its rights.

import { Readable } from 'node:stream';
import { type Database, ranked } from '../../platform/database/database.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import { type Marks, readAccountMarks, readCallMark } from './stream-marks.ts';
import type { StreamTopic } from './stream-schemas.ts';

export interface PanelStreamLimits {
  readonly ofSessionMax: number;
  readonly ofAccountMax: number;
  readonly max: number;
  readonly watchMilliseconds: number;
  /** How often session and rights are read again. */
  readonly checkMilliseconds: number;
  readonly heartbeatMilliseconds: number;
  /** A topic is named once in this time, however often it changes. */
  readonly topicMilliseconds: number;
  /** Then the stream ends, and the page opens another. */
  readonly openMilliseconds: number;
  /** A reader with more unread bytes is cut off. */
  readonly unreadBytesMax: number;
}

export interface Follower {
  readonly accountId: number;
  readonly sessionId: string;
  readonly topics: readonly StreamTopic[];
  /** The topics that changed since the last call; null: the stream must end. */
  check(): Promise<readonly StreamTopic[] | null>;
}

export interface PanelStreams {
  /** @throws Overloaded if the process has too many streams or stops */
  open(follower: Follower): Promise<Readable | Refusal>;
  count(): number;
  /** Ends all streams. Later ones are refused. */
  close(): void;
}

interface Stream {
  readonly follower: Follower;
  readonly readable: Readable;
  readonly openedAt: number;
  marks: Marks;
  /** Topics to send, and when each was last sent. */
  readonly due: Set<StreamTopic>;
  readonly sentAt: Map<StreamTopic, number>;
  checkedAt: number;
  writtenAt: number;
}

export interface PanelStreamsDependencies {
  readonly database: Database;
  readonly limits: PanelStreamLimits;
  readonly countPaymentProblems: () => Promise<object>;
  readonly monotonicNow: () => number;
}

const retryAfterSeconds = 60;
/** Named last, so that the page learns at once why its stream ends. */
const endTopics: readonly StreamTopic[] = ['account', 'person'];

export function createPanelStreams(dependencies: PanelStreamsDependencies): PanelStreams {
  const { limits, countPaymentProblems, monotonicNow } = dependencies;
  const database = ranked(dependencies.database, 'lookups');
  const streams = new Set<Stream>();
  /** Streams that read their first marks. */
  const opening = new Set<Follower>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function readMarks(followers: readonly Follower[]): Promise<(follower: Follower) => Marks> {
    const isFollowed = (topic: StreamTopic) => followers.some(({ topics }) => topics.includes(topic));
    const [ofAccounts, calls, problems] = await Promise.all([
      readAccountMarks(database, [...new Set(followers.map(({ accountId }) => accountId))]),
      isFollowed('calls') ? readCallMark(database) : '',
      isFollowed('payment_problems') ? countPaymentProblems() : {},
    ]);
    return ({ accountId }) => ({
      ...ofAccounts.get(accountId),
      calls,
      payment_problems: JSON.stringify(problems),
    });
  }

  function end(stream: Stream): void {
    streams.delete(stream);
    stream.readable.push(null);
  }

  function write(stream: Stream, text: string): void {
    stream.readable.push(text);
    stream.writtenAt = monotonicNow();
    if (stream.readable.readableLength > limits.unreadBytesMax) stream.readable.destroy();
  }

  function sendDue(stream: Stream): void {
    const now = monotonicNow();
    for (const topic of stream.due) {
      if (now - (stream.sentAt.get(topic) ?? Number.NEGATIVE_INFINITY) < limits.topicMilliseconds) continue;
      stream.due.delete(topic);
      stream.sentAt.set(topic, now);
      write(stream, `event: changed\ndata: ${topic}\n\n`);
    }
    if (now - stream.writtenAt >= limits.heartbeatMilliseconds) write(stream, ':\n\n');
  }

  async function check(stream: Stream): Promise<void> {
    stream.checkedAt = monotonicNow();
    const changed = await stream.follower.check();
    for (const topic of changed ?? endTopics) stream.due.add(topic);
    if (changed !== null) return;
    stream.sentAt.clear();
    sendDue(stream);
    end(stream);
  }

  async function look(): Promise<void> {
    const now = monotonicNow();
    for (const stream of streams) if (now - stream.openedAt >= limits.openMilliseconds) end(stream);
    const unchecked = [...streams].filter(({ checkedAt }) => now - checkedAt >= limits.checkMilliseconds);
    await Promise.all(unchecked.map(check));
    const watched = [...streams];
    if (watched.length === 0) return;
    const marksOf = await readMarks(watched.map(({ follower }) => follower));
    for (const stream of watched) {
      const marks = marksOf(stream.follower);
      for (const topic of stream.follower.topics)
        if (marks[topic] !== stream.marks[topic]) stream.due.add(topic);
      stream.marks = marks;
    }
  }

  function watch(): void {
    if (timer !== undefined || streams.size === 0 || isClosed) return;
    timer = setTimeout(async () => {
      // If the database is away, the next look sees what changed meanwhile.
      await look().catch(() => undefined);
      for (const stream of streams) sendDue(stream);
      timer = undefined;
      watch();
    }, limits.watchMilliseconds);
    timer.unref();
  }

  return {
    async open(follower) {
      const others = [...[...streams].map((stream) => stream.follower), ...opening];
      if (isClosed || others.length >= limits.max) throw new Overloaded('Too many event streams.');
      const refused = crowdProblem(limits, others, follower);
      if (refused !== null) return refused;
      opening.add(follower);
      const marksOf = await readMarks([follower]).finally(() => opening.delete(follower));
      if (isClosed) throw new Overloaded('The service is stopping.');
      const now = monotonicNow();
      const stream: Stream = {
        follower,
        readable: new Readable({ read: () => undefined }),
        openedAt: now,
        marks: marksOf(follower),
        due: new Set(),
        sentAt: new Map(),
        checkedAt: now,
        writtenAt: now,
      };
      stream.readable.once('close', () => streams.delete(stream));
      streams.add(stream);
      write(stream, `event: open\ndata: ${follower.topics.join(' ')}\n\n`);
      watch();
      return stream.readable;
    },
    count: () => streams.size,
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const stream of streams) end(stream);
    },
  };
}

function crowdProblem(
  { ofSessionMax, ofAccountMax }: PanelStreamLimits,
  others: readonly Follower[],
  { sessionId, accountId }: Follower,
): Refusal | null {
  const isOver = (max: number, isCounted: (follower: Follower) => boolean) =>
    others.filter(isCounted).length >= max
      ? refusal('rate_limited', { at_once: max, retry_after: retryAfterSeconds })
      : null;
  return (
    isOver(ofSessionMax, (other) => other.sessionId === sessionId) ??
    isOver(ofAccountMax, (other) => other.accountId === accountId)
  );
}
