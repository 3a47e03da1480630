// What a day is, in filters and in rows: a day of the reader's own zone. An address holds days (2026-11-03), or exact times
// where a figure led to the list, because the days of figures are UTC days; the service is asked for times alone.

const day = /^\d{4}-\d{2}-\d{2}$/;

export function isDay(text: string): boolean {
  return day.test(text) && !Number.isNaN(Date.parse(`${text}T00:00`));
}

/** The first second of the day, or the time itself: as the service takes it. undefined: neither. */
export function spanStart(from: string | undefined): string | undefined {
  return from !== undefined && isDay(from) ? secondOf(new Date(`${from}T00:00`)) : asTime(from);
}

/** The last second of the day. */
export function spanEnd(to: string | undefined): string | undefined {
  if (to === undefined || !isDay(to)) return asTime(to);
  const next = new Date(`${to}T00:00`);
  next.setDate(next.getDate() + 1);
  return secondOf(new Date(next.getTime() - 1_000));
}

/** The reader's day of a moment, for a filter: 2026-11-03. */
export function dayOf(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
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
