// The query strings of the panel's lists: each parameter read once, and refused with its name where it cannot be.

import { fieldRefusal, type Refusal } from '../../contract/error-catalogue.ts';
import { isJsonObject, own } from '../../contract/json.ts';
import type { EpochSeconds } from '../../contract/times.ts';

/** Rows of a page. */
export const pageRows = 50;
/** Above every number that a row can have. */
export const numberMax = 2_147_483_647;
/** Above every moment that a row can have: the year 10000. */
export const endOfTime = 253_402_300_800;

export interface ListQuery {
  /** The text of a parameter; "" where it is absent. */
  text(name: string): string;
  /** A positive whole number; `otherwise` where it is absent. @throws UnreadableFilter */
  number(name: string, otherwise: number): number;
  /** One of these; null where it is absent. @throws UnreadableFilter */
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | null;
  /** The beginning of a UTC day; null where it is absent. @throws UnreadableFilter */
  day(name: string): EpochSeconds | null;
  /** The beginning of a month and of the next one; null where it is absent. @throws UnreadableFilter */
  month(name: string): MonthSpan | null;
}

export interface MonthSpan {
  /** "2026-11". */
  readonly month: string;
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
}

/** A parameter that cannot be read, for `readQuery` to answer with. */
class UnreadableFilter extends Error {
  override readonly name = 'UnreadableFilter';
  readonly refusal: Refusal;

  constructor(field: string, reason: string) {
    super(reason);
    this.refusal = fieldRefusal('validation_failed', field, reason);
  }
}

/** What `read` makes of the query string, or the refusal of the first parameter that cannot be read. */
export function readQuery<Filter>(query: unknown, read: (query: ListQuery) => Filter): Filter | Refusal {
  const parameters = isJsonObject(query) ? query : {};
  const text = (name: string): string => {
    const value = own(parameters, name);
    if (value === undefined) return '';
    if (typeof value !== 'string') throw new UnreadableFilter(name, 'was sent twice');
    if (!value.isWellFormed() || /\p{Cc}/u.test(value)) {
      throw new UnreadableFilter(name, 'must be valid Unicode without control characters');
    }
    return value;
  };
  try {
    return read({
      text,
      number(name, otherwise) {
        const value = text(name);
        if (value === '') return otherwise;
        if (!/^[1-9]\d{0,15}$/.test(value) || !Number.isSafeInteger(Number(value))) {
          throw new UnreadableFilter(name, 'must be a whole number above 0');
        }
        return Number(value);
      },
      oneOf(name, values) {
        const value = text(name);
        const found = values.find((one) => one === value);
        if (found === undefined && value !== '') {
          throw new UnreadableFilter(name, `must be ${values.join(', ')}`);
        }
        return found ?? null;
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
  } catch (error) {
    if (error instanceof UnreadableFilter) return error.refusal;
    throw error;
  }
}

function beginningOf(name: string, value: string, shape: RegExp, example: string): EpochSeconds {
  const milliseconds = shape.test(value) ? Date.parse(value) : Number.NaN;
  // 31 February is read as a day in March.
  const isThere = Number.isFinite(milliseconds) && new Date(milliseconds).toISOString().startsWith(value);
  // The database knows no year 0.
  if (!isThere || milliseconds < Date.UTC(1970))
    throw new UnreadableFilter(name, `must look like ${example}`);
  return milliseconds / 1000;
}
