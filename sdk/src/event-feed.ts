// The feed of events as something to walk through for ever: asks for what comes behind the last one, and waits there.

import type { KnownEvent, ReadEventsAnswer, ReadEventsQuery } from './api-types.ts';
import { isSellthroughError } from './client-errors.ts';
import { type CallOptions, waited } from './transport.ts';

export interface EventQuery {
  /** The id of the last event you have: nothing behind it is missed. Without it, from the oldest that is kept. */
  after?: number | undefined;
  /** Events of this type alone. */
  type?: ReadEventsQuery['type'];
}

const eventsPerAnswer = 100;
/** Below the client's own limit for an answer. */
const waitSeconds = 10;
const restMsMin = 1_000;
const restMsMax = 30_000;

/** Ends when the signal aborts; throws what to ask again would not mend, such as events_gone. */
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
    // Types that this version does not know come as well.
    for (const event of page.data) {
      yield event as KnownEvent;
      last = event.id;
    }
    last = page.next_after ?? last;
  }
}
