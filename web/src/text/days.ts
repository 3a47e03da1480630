// What a day is, in filters and in rows: a day on the reader's clock (clock.ts). An address holds days (2026-11-03), or exact times
// where a figure led to the list, because the days of figures are UTC days; the service is asked for times alone.

import { isUtc } from './clock.ts';

const suffix = isUtc ? 'Z' : '';
const day = /^\d{4}-\d{2}-\d{2}$/;

export function isDay(text: string): boolean {
  return day.test(text) && !Number.isNaN(Date.parse(`${text}T00:00`));
}

/** The first second of the day, or the time itself: as the service takes it. undefined: neither. */
export function spanStart(from: string | undefined): string | undefined {
  return from !== undefined && isDay(from) ? secondOf(new Date(`${from}T00:00${suffix}`)) : asTime(from);
}

/** The last second of the day. */
export function spanEnd(to: string | undefined): string | undefined {
  if (to === undefined || !isDay(to)) return asTime(to);
  const next = new Date(`${to}T00:00${suffix}`);
  if (isUtc) next.setUTCDate(next.getUTCDate() + 1);
  else next.setDate(next.getDate() + 1);
  return secondOf(new Date(next.getTime() - 1_000));
}

/** The reader's day of a moment, for a filter: 2026-11-03. */
export function dayOf(moment: Date): string {
  if (isUtc) return moment.toISOString().slice(0, 10);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** As the browser's field for a time has it, 2026-11-25T08:30, on the reader's clock. */
export function typedMinute(moment: Date): string {
  const shift = isUtc ? 0 : moment.getTimezoneOffset() * 60_000;
  return new Date(moment.getTime() - shift).toISOString().slice(0, 16);
}

/** What such a field holds, as the service takes it; null: nothing that is a time. */
export function readTypedMinute(typed: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(typed)) return null;
  return asTime(`${typed}${suffix}`) ?? null;
}

/** The exact times of a UTC day or month (2026-11-03, 2026-11) of a figure, for `from` and `to` of a list. */
export function timesOfUtc(date: string): { readonly from: string; readonly to: string } {
  const isMonth = date.length === 7;
  const start = new Date(`${isMonth ? `${date}-01` : date}T00:00:00Z`);
  const end = new Date(start);
  if (isMonth) end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCDate(end.getUTCDate() + 1);
  return { from: secondOf(start), to: secondOf(new Date(end.getTime() - 1_000)) };
}

function asTime(text: string | undefined): string | undefined {
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : secondOf(new Date(text));
}

function secondOf(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}
