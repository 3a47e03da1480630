// When the day on which a balance runs out is shown as a warning.

/** A date at most this many days ahead is shown as a warning. */
export const soonDays = 10;

export function isSoon(day: string | null): boolean {
  return day !== null && Date.parse(day) - Date.now() < soonDays * 86_400_000;
}
