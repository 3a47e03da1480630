// When the day on which a balance runs out is shown as a warning.

/** As many days ahead a date is shown as a warning. */
export const soonDays = 10;

export function isSoon(day: string | null): boolean {
  return day !== null && Date.parse(day) - Date.now() < soonDays * 86_400_000;
}
