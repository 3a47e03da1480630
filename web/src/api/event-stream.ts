// Follows the service's event stream while the tab is visible. It names topics that changed; the queries of these topics are
// then refetched. Without a stream, because it was refused or a proxy holds it back, the queries poll.

import type { QueryClient } from '@tanstack/react-query';
import { openStream } from './client.ts';

/** Topics of the service (src/features/overview/stream-schemas.ts). */
type Topic =
  | 'account'
  | 'person'
  | 'orders'
  | 'requests'
  | 'deliveries'
  | 'topups'
  | 'calls'
  | 'payment_problems';

/** For changes that no topic names, such as a new payment method. */
const restMilliseconds = 60_000;
/** The service says something every ten seconds. A proxy that collects its answers is as good as no stream. */
const silenceMilliseconds = 45_000;
/** After an ordinary end, so that the pages of a stopped process do not come at once. */
const againMilliseconds = 1_000;
const [waitMilliseconds, waitMillisecondsMax] = [5_000, 60_000];

let openedAt: number | null = null;

/** Marks a query of these topics. */
export const onTopics = (...topics: readonly Topic[]) => ({ meta: { topics } });

/** Marks a query that polls at this interval without a stream. */
export function followed(pollMilliseconds: number, ...topics: readonly Topic[]) {
  return { ...onTopics(...topics), refetchInterval: () => pollInterval(pollMilliseconds) };
}

/** Polls once more after the stream has opened, because something may have changed just before. */
export function pollInterval(pollMilliseconds: number, followedMilliseconds = restMilliseconds): number {
  const isFollowing = openedAt !== null && performance.now() - openedAt > pollMilliseconds;
  return isFollowing ? followedMilliseconds : pollMilliseconds;
}

/** @returns what ends it */
export function followEvents(client: QueryClient): () => void {
  const leaving = new AbortController();
  void followUntil(leaving.signal, client);
  return () => leaving.abort();
}

async function followUntil(left: AbortSignal, client: QueryClient): Promise<void> {
  let failures = 0;
  let wasOpen = false;
  while (!left.aborted) {
    await untilVisible(left);
    const hidden = new AbortController();
    const hide = () => document.hidden && hidden.abort();
    document.addEventListener('visibilitychange', hide);
    const end = await readStream(AbortSignal.any([left, hidden.signal]), (topics) => {
      if (topics !== null) return refetch(client, topics);
      failures = 0;
      if (wasOpen) refetch(client, null);
      wasOpen = true;
    });
    document.removeEventListener('visibilitychange', hide);
    openedAt = null;
    if (left.aborted || hidden.signal.aborted) continue;
    if (end === 'ended') {
      await pause(againMilliseconds * (1 + Math.random()), left);
      continue;
    }
    // The queries begin to poll, and a refusal such as the end of the session shows.
    if (failures === 0) refetch(client, null);
    failures += 1;
    const wait = Math.min(waitMilliseconds * 2 ** (failures - 1), waitMillisecondsMax);
    await pause(wait * (1 + Math.random() / 2), left);
  }
}

/** `onNews` is called with null when the stream opens, then with the topics that changed. */
async function readStream(
  signal: AbortSignal,
  onNews: (topics: readonly string[] | null) => void,
): Promise<'ended' | 'failed'> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMilliseconds);
  try {
    const body = await openStream('/stream', AbortSignal.any([signal, silence.signal]));
    if (body === null) return 'failed';
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ; ) {
      const { value, done } = await reader.read();
      if (done) return 'ended';
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMilliseconds);
      const events = (rest + value).split('\n\n');
      rest = events.pop() ?? '';
      const changed = events.flatMap((event) => /^event: changed\ndata: (.*)$/.exec(event)?.[1] ?? []);
      if (openedAt === null) {
        openedAt = performance.now();
        onNews(null);
      }
      if (changed.length > 0) onNews(changed);
    }
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}

/** null: all topics. */
function refetch(client: QueryClient, topics: readonly string[] | null): void {
  void client.invalidateQueries({
    predicate: ({ meta }) => {
      const own = meta?.['topics'];
      return Array.isArray(own) && (topics === null || own.some((topic) => topics.includes(topic)));
    },
  });
}

function untilVisible(left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !left.aborted) return;
      document.removeEventListener('visibilitychange', look);
      left.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    left.addEventListener('abort', look);
    look();
  });
}

function pause(milliseconds: number, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    left.addEventListener('abort', end);
    function end() {
      clearTimeout(timer);
      left.removeEventListener('abort', end);
      resolve();
    }
  });
}
