// UTC calendar months from an anchor, by day counts. Deliberately shares nothing with the product and uses no Date.

export const secondsPerDay = 86_400;

type Moment = { year: number; month: number; day: number; secondOfDay: number };

/** The anchor plus `months` calendar months: day clamped to the month's end, time of day kept. */
export function addMonths(anchorAt: number, months: number): number {
  const anchor = momentOf(anchorAt);
  let year = anchor.year;
  let month = anchor.month;
  for (let step = 0; step < months; step += 1) {
    month += 1;
    if (month === 13) {
      month = 1;
      year += 1;
    }
  }
  // Clamped once, at the end. Clamping each step would turn 31 Jan -> 28 Feb into 28 Mar.
  const day = Math.min(anchor.day, daysInMonth(year, month));
  return secondsOf({ year, month, day, secondOfDay: anchor.secondOfDay });
}

function momentOf(at: number): Moment {
  if (!Number.isSafeInteger(at) || at < 0) throw new Error(`not a whole epoch second: ${at}`);
  const secondOfDay = at % secondsPerDay;
  let daysLeft = (at - secondOfDay) / secondsPerDay;
  let year = 1970;
  while (daysLeft >= daysInYear(year)) {
    daysLeft -= daysInYear(year);
    year += 1;
  }
  let month = 1;
  while (daysLeft >= daysInMonth(year, month)) {
    daysLeft -= daysInMonth(year, month);
    month += 1;
  }
  return { year, month, day: daysLeft + 1, secondOfDay };
}

function secondsOf(moment: Moment): number {
  let days = moment.day - 1;
  for (let year = 1970; year < moment.year; year += 1) days += daysInYear(year);
  for (let month = 1; month < moment.month; month += 1) days += daysInMonth(moment.year, month);
  return days * secondsPerDay + moment.secondOfDay;
}

function daysInYear(year: number): number {
  return isLeapYear(year) ? 366 : 365;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  if (month === 4 || month === 6 || month === 9 || month === 11) return 30;
  return 31;
}

function isLeapYear(year: number): boolean {
  if (year % 400 === 0) return true;
  if (year % 100 === 0) return false;
  return year % 4 === 0;
}
