// Times are whole UTC seconds inside and ISO 8601 with Z outside. Plans last whole calendar months from their anchor.

export type EpochSeconds = number;

export function dayOf(at: EpochSeconds): string {
  return formatTime(at).slice(0, 10);
}

/** "2026-01", in UTC. */
export function monthOf(at: EpochSeconds): string {
  return dayOf(at).slice(0, 7);
}

export function formatTime(seconds: EpochSeconds): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** Accepts only "2026-01-31T12:00:00Z". null for anything else, such as fractions, other zones or nonexistent days. */
export function parseTime(text: unknown): EpochSeconds | null {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return null;
  const seconds = Date.parse(text) / 1000;
  return Number.isFinite(seconds) && formatTime(seconds) === text ? seconds : null;
}

/** In UTC. A day beyond the month's end becomes its last day: 31 January + 1 is 28 or 29 February, + 2 is 31 March. */
export function addMonths(anchor: EpochSeconds, months: number): EpochSeconds {
  const date = new Date(anchor * 1000);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay));
  return midnight / 1000 + (anchor - Math.floor(anchor / 86_400) * 86_400);
}

export interface Duration {
  readonly months: number;
  readonly seconds: number;
}

const durationShape =
  /^P(?=.)(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/** Accepts "P1Y2M3DT4H5M6S" or "P2W", whole numbers in this order. null for anything else and for a zero duration. */
export function parseDuration(text: unknown): Duration | null {
  const match = typeof text === 'string' ? durationShape.exec(text) : null;
  if (match === null) return null;
  const part = (index: number) => Number(match[index] ?? 0);
  const days = part(3) * 7 + part(4);
  const duration = {
    months: part(1) * 12 + part(2),
    seconds: days * 86_400 + part(5) * 3_600 + part(6) * 60 + part(7),
  };
  return duration.months + duration.seconds > 0 ? duration : null;
}

/** NaN beyond the calendar's range. */
export function addDuration(from: EpochSeconds, { months, seconds }: Duration): EpochSeconds {
  return addMonths(from, months) + seconds;
}

/** Whole days, rounded up; 0 once the time has passed. */
export function daysLeft(expiresAt: EpochSeconds, now: EpochSeconds): number {
  return Math.max(0, Math.ceil((expiresAt - now) / 86_400));
}
