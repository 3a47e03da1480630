import type { SlotLimits } from './delivery-slots.ts';

export interface DeliveryLimits extends SlotLimits {
  /** Between polls for other processes' events and due retries. */
  readonly pollMilliseconds: number;
  readonly followMillisecondsMin: number;
  readonly writeMilliseconds: number;
  /** Quick retries before an event's schedule begins, if its endpoint has just answered. */
  readonly shortRetryMilliseconds: readonly number[];
  /** Unwritten attempts: per write, and before sending pauses. */
  readonly writtenAtOnce: number;
  readonly unwrittenMax: number;
  /** For cursors that moved over events of other types. */
  readonly skipMilliseconds: number;
  readonly eventsHeldMax: number;
  readonly eventsOfEndpointMax: number;
  readonly endpointsPerRead: number;
  readonly stopMilliseconds: number;
}
