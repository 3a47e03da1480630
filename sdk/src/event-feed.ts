// The event feed as an endless iterator. It keeps asking for events after the last one.

import type { KnownEvent, ReadEventsAnswer, ReadEventsQuery } from './api-types.ts';
import { isSellthroughError } from './client-errors.ts';
import { type CallOptions, waited } from './transport.ts';

export interface EventQuery {
  /** The id of the last event that you have; no later event is missed. By default starts with the oldest event kept. */
  after?: number | undefined;
  type?: ReadEventsQuery['type'];
}

const eventsPerAnswer = 100;
/** Must stay below the client's own timeout. */
const waitSeconds = 10;
const restMsMin = 1_000;
const restMsMax = 30_000;

/** Ends when the signal aborts. Throws errors that a retry cannot fix, such as events_gone. */
export async function* followEvents(
  readPage: (query: ReadEventsQuery, options?: CallOptions) => Promise<ReadEventsAnswer>,
  { after, type }: EventQuery,
  options: CallOptions = {},
): AsyncGenerator<KnownEvent, void, undefined> {
  const { signal } = options;
  let last = after;
  let restMs = restMsMin;
  while (signal?.aborted !== true) {
    let page: ReadEventsAnswer;
    try {
      page = await readPage({ after: last, type, limit: eventsPerAnswer, wait: waitSeconds }, options);
      restMs = restMsMin;
    } catch (error) {
      if (isSellthroughError(error, 'aborted')) return;
      if (!isSellthroughError(error) || !error.retryable) throw error;
      if (!(await waited(Math.max(restMs, (error.retryAfterSeconds ?? 0) * 1_000), signal))) return;
      restMs = Math.min(restMs * 2, restMsMax);
      continue;
    }
    // The service may send types that this version does not know.
    for (const event of page.data) {
      yield event as KnownEvent;
      last = event.id;
    }
    last = page.next_after ?? last;
  }
}
