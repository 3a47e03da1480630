// A test clock's move: to a time, or by an ISO 8601 duration. Used only by oracle-test-mode.ts. Deliberately shares nothing
// with the product and uses no Date. "Ax" points to AMBIGUITIES.md.

import { addMonths, secondsPerDay } from './oracle-calendar.ts';
import type { Refusal } from './oracle-request.ts';
import { asFields, isRefusal, readKey, refuse } from './oracle-request.ts';

/** `months` first, as calendar months, then seconds (A112); or the exact second. */
type Target = { months: number; seconds: number } | { at: number };

export type MoveRequest = { key: string | null; field: 'advance' | 'now'; text: string; target: Target };

const monthsPerYear = 12;
const monthsAheadMax = 120;
const secondsPerHour = 3_600;
const secondsPerMinute = 60;
const lastSecond = addMonths(0, (2_201 - 1_970) * monthsPerYear) - 1;

export function readMoveRequest(body: unknown, headerKey: string | undefined): MoveRequest | Refusal {
  const fields = asFields(body);
  if (fields === null) return refuse('invalid_json');
  const key = readKey(fields, headerKey);
  if (isRefusal(key)) return key;
  const advance = fields.get('advance');
  const now = fields.get('now');
  // The documents leave open which field is named if both or neither are sent (A113).
  if ((advance === undefined) === (now === undefined)) return refuse('validation_failed');
  const [field, text] = advance === undefined ? (['now', now] as const) : (['advance', advance] as const);
  if (typeof text !== 'string') return refuse('validation_failed', { field });
  const target = field === 'now' ? readTime(text) : readDuration(text);
  return target === null ? refuse('validation_failed', { field }) : { key: key.value, field, text, target };
}

export function destinationOf({ field, target }: MoveRequest, clockAt: number): number | Refusal {
  const refusal = refuse('validation_failed', { field });
  if ('months' in target && target.months > monthsAheadMax) return refusal;
  const at = 'at' in target ? target.at : addMonths(clockAt, target.months) + target.seconds;
  if (at < clockAt || at > addMonths(clockAt, monthsAheadMax) || at > lastSecond) return refusal;
  return at;
}

/** "P1Y2M3DT4H5M6S", "P2W": whole numbers, at least one second in total. */
function readDuration(text: string): Target | null {
  const number = '([0-9]{1,9})';
  const date = `(?:${number}Y)?(?:${number}M)?(?:${number}W)?(?:${number}D)?`;
  const time = `(?:T(?=[0-9])(?:${number}H)?(?:${number}M)?(?:${number}S)?)?`;
  const parts = new RegExp(`^P${date}${time}$`).exec(text);
  if (parts === null) return null;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const target = {
    months: years * monthsPerYear + months,
    seconds:
      (weeks * 7 + days) * secondsPerDay + hours * secondsPerHour + minutes * secondsPerMinute + seconds,
  };
  return target.months === 0 && target.seconds === 0 ? null : target;
}

/** "2027-01-31T00:00:00Z". The second must exist; other spellings are not compared (A114). */
function readTime(text: string): Target | null {
  const parts = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z$/.exec(text);
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  if (year < 1_970 || month < 1 || month > 12 || day < 1) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const monthsSince = (year - 1_970) * monthsPerYear + month - 1;
  const dayAt = addMonths(0, monthsSince) + (day - 1) * secondsPerDay;
  if (dayAt >= addMonths(0, monthsSince + 1)) return null;
  return { at: dayAt + hour * secondsPerHour + minute * secondsPerMinute + second };
}
