// Parses query strings of filtered lists; an invalid parameter is refused by name.

import { type ErrorCode, fieldRefusal } from '../../shared/error-catalog.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import { RequestRefused } from './request-refused.ts';

export const pageRows = 50;
export const numberMax = 2_147_483_647;
export const endOfTime = 253_402_300_800;
const daySeconds = 86_400;

export interface ListQuery {
  text(name: string): string;
  /** A positive whole number. @throws RequestRefused */
  number(name: string, otherwise: number): number;
  /** null if absent. @throws RequestRefused */
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | null;
  /** "true" or "false"; null if absent. @throws RequestRefused */
  boolean(name: string): boolean | null;
  /** A time, or a whole UTC day; null if absent. @throws RequestRefused */
  moment(name: string): TimeSpan | null;
  /** Two whole numbers separated by a point; null if absent. @throws RequestRefused */
  pair(name: string): readonly [number, number] | null;
  /** Both ends inclusive: times, or whole UTC days. @throws RequestRefused */
  span(from: string, to: string): TimeSpan | null;
  /** The start of a UTC day; null if absent. @throws RequestRefused */
  day(name: string): EpochSeconds | null;
  /** null if absent. @throws RequestRefused */
  month(name: string): MonthSpan | null;
}

/** `until` is exclusive. */
export interface TimeSpan {
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
}

export interface MonthSpan extends TimeSpan {
  readonly month: string;
}

/** UTC days, both ends inclusive. Default: the last `usual` days up to today. @throws RequestRefused */
export function dayRange(
  sent: ListQuery,
  now: EpochSeconds,
  days: { readonly usual: number; readonly max: number },
): { readonly from: EpochSeconds; readonly to: EpochSeconds } {
  const to = sent.day('to') ?? now - (now % daySeconds);
  const from = sent.day('from') ?? to - (days.usual - 1) * daySeconds;
  const refuse = (field: string, reason: string) =>
    new RequestRefused(fieldRefusal('validation_failed', field, reason));
  if (from > to) throw refuse('to', 'must not be before from');
  if (to - from >= days.max * daySeconds)
    throw refuse('from', `must be fewer than ${days.max} days before to`);
  return { from, to };
}

export function readQuery<Filter>(
  query: unknown,
  read: (query: ListQuery) => Filter,
  code: ErrorCode = 'validation_failed',
): Filter {
  const parameters = isJsonObject(query) ? query : {};
  const refuse = (name: string, reason: string) => new RequestRefused(fieldRefusal(code, name, reason));
  const text = (name: string): string => {
    const value = own(parameters, name);
    if (value === undefined) return '';
    if (typeof value !== 'string') throw refuse(name, 'was sent twice');
    if (!value.isWellFormed() || /\p{Cc}/u.test(value)) {
      throw refuse(name, 'must be valid Unicode without control characters');
    }
    return value;
  };
  const beginningOf = (name: string, value: string, shape: RegExp, example: string): EpochSeconds => {
    // Without Z, Date.parse would read a time of day in the machine's time zone.
    const milliseconds = shape.test(value)
      ? Date.parse(value.includes('T') ? `${value}Z` : value)
      : Number.NaN;
    // Date.parse reads 31 February as a day in March.
    const isThere = Number.isFinite(milliseconds) && new Date(milliseconds).toISOString().startsWith(value);
    // Also refuses the year 0, which PostgreSQL does not have.
    if (!isThere || milliseconds < Date.UTC(1970)) throw refuse(name, `must look like ${example}`);
    return milliseconds / 1000;
  };
  const moment = (name: string): TimeSpan | null => {
    const value = text(name);
    if (value === '') return null;
    const example = '2026-01-31 or 2026-01-31T12:00:00Z';
    if (!value.includes('T')) {
      const since = beginningOf(name, value, /^\d{4}-\d{2}-\d{2}$/, example);
      return { since, until: since + daySeconds };
    }
    const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;
    const since = value.endsWith('Z') ? beginningOf(name, value.slice(0, -1), shape, example) : Number.NaN;
    if (Number.isNaN(since)) throw refuse(name, `must look like ${example}`);
    return { since, until: since + 1 };
  };
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value | null => {
    const value = text(name);
    const found = values.find((one) => one === value);
    if (found === undefined && value !== '') throw refuse(name, `must be ${values.join(', ')}`);
    return found ?? null;
  };
  return read({
    text,
    number(name, otherwise) {
      const value = text(name);
      if (value === '') return otherwise;
      if (!/^[1-9]\d{0,15}$/.test(value) || !Number.isSafeInteger(Number(value))) {
        throw refuse(name, 'must be a whole number above 0');
      }
      return Number(value);
    },
    oneOf,
    boolean(name) {
      const found = oneOf(name, ['true', 'false']);
      return found === null ? null : found === 'true';
    },
    moment,
    pair(name) {
      const value = text(name);
      if (value === '') return null;
      const [, first, second] = /^(\d{1,15})\.(\d{1,15})$/.exec(value) ?? [];
      if (first === undefined || second === undefined) throw refuse(name, 'must look like 1790000000.17');
      return [Number(first), Number(second)];
    },
    span(from, to) {
      const first = moment(from);
      const last = moment(to);
      if (first === null && last === null) return null;
      if (first !== null && last !== null && first.since >= last.until) {
        throw refuse(to, `must not be before ${from}`);
      }
      return { since: first?.since ?? 0, until: last?.until ?? endOfTime };
    },
    day(name) {
      const value = text(name);
      return value === '' ? null : beginningOf(name, value, /^\d{4}-\d{2}-\d{2}$/, '2026-01-31');
    },
    month(name) {
      const month = text(name);
      if (month === '') return null;
      const since = beginningOf(name, month, /^\d{4}-\d{2}$/, '2026-01');
      const begin = new Date(since * 1000);
      const until = Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1, 1) / 1000;
      return { month, since, until };
    },
  });
}

export function daysOf({ since, until }: TimeSpan): [from: string, to: string] {
  return [since === 0 ? '' : dayOf(since), until === endOfTime ? '' : dayOf(until - 1)];
}
