// Formats times in the person's time zone (clock.ts), with the exact UTC time beside them.

import { t } from '@lingui/core/macro';
import { zone } from './clock.ts';
import { timeLocale } from './language.ts';

const onClock = { timeZone: zone } as const;
const day = new Intl.DateTimeFormat(timeLocale, {
  ...onClock,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
const dayAndTime = new Intl.DateTimeFormat(timeLocale, {
  ...onClock,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const clock = new Intl.DateTimeFormat(timeLocale, { ...onClock, hour: '2-digit', minute: '2-digit' });
const exact = new Intl.DateTimeFormat(timeLocale, {
  ...onClock,
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const shortDay = new Intl.DateTimeFormat(timeLocale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const longDay = new Intl.DateTimeFormat(timeLocale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const month = new Intl.DateTimeFormat(timeLocale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const shortMonth = new Intl.DateTimeFormat(timeLocale, { month: 'short', year: '2-digit', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(timeLocale, { numeric: 'auto' });

/** Keeps a date on one line, but lets a line break after a comma. */
function joined(text: string): string {
  return text.replaceAll(/([^,]) /g, '$1\u00a0');
}

export type TimeStyle = 'day' | 'minute' | 'second' | 'clock' | 'relative';

export function formatTime(iso: string, style: TimeStyle, now: number): string {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return iso;
  if (style === 'day') return joined(day.format(moment));
  if (style === 'minute') return joined(dayAndTime.format(moment));
  if (style === 'clock') return clock.format(moment);
  if (style === 'second') return joined(exact.format(moment));
  return formatRelative((moment.getTime() - now) / 1000) ?? joined(day.format(moment));
}

/** For sentences: "21 Nov 2026, 14:05 (Europe/Berlin)". */
export function formatStated(iso: string): string {
  const moment = new Date(iso);
  return Number.isNaN(moment.getTime()) ? iso : `${joined(dayAndTime.format(moment))} (${zone})`;
}

const utcDay = new Intl.DateTimeFormat(timeLocale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

const utcDayAndTime = new Intl.DateTimeFormat(timeLocale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

export function formatStatedUtc(iso: string): string {
  return `${joined(utcDayAndTime.format(new Date(iso)))} (UTC)`;
}

/** Whole UTC days are written "8 Nov 2026 (UTC)". */
export function formatSpan(from: string | undefined, to: string | undefined): string {
  const [start, end] = [from, to].map((time) => (time === undefined ? undefined : new Date(time)));
  const areDays =
    (start === undefined || start.toISOString().endsWith('T00:00:00.000Z')) &&
    (end === undefined || end.toISOString().endsWith('T23:59:59.000Z'));
  const words = [start, end].map((moment) =>
    moment === undefined ? '' : joined((areDays ? utcDay : dayAndTime).format(moment)),
  );
  const [first, last] = words;
  return `${first === last ? first : `${first} – ${last}`} (${areDays ? 'UTC' : zone})`;
}

/** Writes a filter's day (2026-11-03) in words, because the browser's date input ignores the page's language. */
export function formatTypedDay(typed: string): string {
  const moment = new Date(`${typed}T00:00:00Z`);
  return Number.isNaN(moment.getTime()) ? '' : joined(utcDay.format(moment));
}

export function formatUtc(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** `date` is a UTC day (2026-11-21) or month (2026-11). */
export function formatSeriesDate(date: string, style: 'short' | 'long'): string {
  const isMonth = date.length === 7;
  const moment = new Date(isMonth ? `${date}-01T00:00:00Z` : `${date}T00:00:00Z`);
  if (isMonth) return (style === 'short' ? shortMonth : month).format(moment);
  return joined((style === 'short' ? shortDay : longDay).format(moment));
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Writes the two largest units, such as "2 days 3 hours". */
export function formatDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, Math.floor(seconds));
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 && parts.length < 2) parts.push(formatUnit(count, unit));
  }
  return parts.length === 0 ? t`less than a second` : parts.join(' ');
}

function formatUnit(count: number, unit: string): string {
  return joined(
    new Intl.NumberFormat(timeLocale, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
  );
}

/** Returns null beyond 30 days. */
function formatRelative(seconds: number): string | null {
  const size = Math.abs(seconds);
  if (size < 60) return seconds > 5 ? t`in less than a minute` : t`just now`;
  if (size < 3_600) return relative.format(Math.round(seconds / 60), 'minute');
  if (size < 86_400) return relative.format(Math.round(seconds / 3_600), 'hour');
  return size < 30 * 86_400 ? relative.format(Math.round(seconds / 86_400), 'day') : null;
}
