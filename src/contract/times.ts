// Times: whole seconds since 1970 in UTC inside, ISO 8601 ending in Z outside; and the calendar of
// plans: a term is calendar months from its anchor (decisions "Length of a period").

/** Whole seconds since 1970-01-01T00:00:00Z. */
export type EpochSeconds = number;

/** "2026-01-31T12:00:00Z". */
export function formatTime(seconds: EpochSeconds): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** Seconds of "2026-01-31T12:00:00Z"; null for anything else, a fraction, another zone or a day that is not there included. */
export function parseTime(text: unknown): EpochSeconds | null {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return null;
  const seconds = Date.parse(text) / 1000;
  return Number.isFinite(seconds) && formatTime(seconds) === text ? seconds : null;
}

/**
 * The same day and time `months` calendar months after `anchor`, in UTC; where that month is shorter,
 * its last day: 31 January + 1 is 28 or 29 February, + 2 is 31 March.
 */
export function addMonths(anchor: EpochSeconds, months: number): EpochSeconds {
  const date = new Date(anchor * 1000);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay));
  return midnight / 1000 + (anchor - Math.floor(anchor / 86_400) * 86_400);
}

/** Days until `expiresAt`, rounded up; 0 once it has passed. */
export function daysLeft(expiresAt: EpochSeconds, now: EpochSeconds): number {
  return Math.max(0, Math.ceil((expiresAt - now) / 86_400));
}
