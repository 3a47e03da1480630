// Days are in the reader's time zone (clock.ts). Links from figures hold exact times, because figures count UTC days.

import { isUtc } from './clock.ts';

const suffix = isUtc ? 'Z' : '';
const day = /^\d{4}-\d{2}-\d{2}$/;

export function isDay(text: string): boolean {
  return day.test(text) && !Number.isNaN(Date.parse(`${text}T00:00`));
}

/** Returns undefined if `from` is neither a day nor a time. */
export function spanStart(from: string | undefined): string | undefined {
  return from !== undefined && isDay(from) ? secondOf(new Date(`${from}T00:00${suffix}`)) : asTime(from);
}

export function spanEnd(to: string | undefined): string | undefined {
  if (to === undefined || !isDay(to)) return asTime(to);
  const next = new Date(`${to}T00:00${suffix}`);
  if (isUtc) next.setUTCDate(next.getUTCDate() + 1);
  else next.setDate(next.getDate() + 1);
  return secondOf(new Date(next.getTime() - 1_000));
}

/** The day of `moment` in the reader's time zone, such as 2026-11-03. */
export function dayOf(moment: Date): string {
  if (isUtc) return moment.toISOString().slice(0, 10);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The first and last second of a figure's UTC day or month. */
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
