import { readQuery } from '../../platform/http/list-query.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import { type ErrorCode, fieldRefusal } from '../../shared/error-catalog.ts';
import { type EventType, eventTypes } from './event-schemas.ts';

export const feedCodes = ['invalid_filter', 'events_gone'] as const satisfies ErrorCode[];

const feedWaitSecondsMax = 20;
const eventsPerAnswer = 25;
const eventsPerAnswerMax = 100;

export interface FeedQuestion {
  readonly after: string | null;
  readonly type: EventType | null;
  readonly limit: number;
  readonly waitSeconds: number;
}

export const notYours = fieldRefusal('invalid_filter', 'after', 'must be the id of an event of yours');

export function readFeedQuery(query: unknown): FeedQuestion {
  const question = readQuery(
    query,
    (sent) => ({
      after: sent.text('after') || null,
      type: sent.oneOf('type', eventTypes),
      limit: Math.min(sent.number('limit', eventsPerAnswer), eventsPerAnswerMax),
      wait: sent.text('wait'),
    }),
    'invalid_filter',
  );
  const { wait, ...others } = question;
  return { ...others, waitSeconds: readWaitSeconds(wait) };
}

export function readWaitSeconds(wait: string): number {
  if (/^\d{0,9}$/.test(wait)) return Math.min(Number(wait), feedWaitSecondsMax);
  throw new RequestRefused(fieldRefusal('invalid_filter', 'wait', 'must be a whole number of seconds'));
}
