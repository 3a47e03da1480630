import type { SlotLimits } from './delivery-slots.ts';

export interface DeliveryLimits extends SlotLimits {
  /** Between polls for events of other processes and for due retries. */
  readonly pollMilliseconds: number;
  readonly followMillisecondsMin: number;
  readonly writeMilliseconds: number;
  /** Quick retries of an event before its schedule begins, used if its endpoint answered just before. */
  readonly shortRetryMilliseconds: readonly number[];
  /** Attempts that are not written yet: how many are written together, and at how many sending pauses. */
  readonly writtenAtOnce: number;
  readonly unwrittenMax: number;
  /** How often cursors are written that only moved over events of other types. */
  readonly skipMilliseconds: number;
  readonly eventsHeldMax: number;
  readonly eventsOfEndpointMax: number;
  readonly endpointsPerRead: number;
  readonly stopMilliseconds: number;
}
