// Limits of the deliverer.

import type { SlotLimits } from './delivery-slots.ts';

export interface DeliveryLimits extends SlotLimits {
  /** Between two looks for what other processes told, and for what is due. */
  readonly pollMilliseconds: number;
  /** Between two looks, however much is told here. */
  readonly followMillisecondsMin: number;
  readonly writeMilliseconds: number;
  /** Before the schedule of an event begins, where its endpoint has just answered: between one attempt and the next. */
  readonly shortRetryMilliseconds: readonly number[];
  /** Attempts that wait to be written: at once, and before nothing more is sent. */
  readonly writtenAtOnce: number;
  readonly unwrittenMax: number;
  /** Cursors that moved over events of other types. */
  readonly skipMilliseconds: number;
  /** Events in memory, of all endpoints and of one. */
  readonly eventsHeldMax: number;
  readonly eventsOfEndpointMax: number;
  /** Endpoints that one statement reads for. */
  readonly endpointsPerRead: number;
  /** For what is under way, when it has to stop. */
  readonly stopMilliseconds: number;
}
