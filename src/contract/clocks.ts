// On which clock a person may choose to read times in the panel; the API and CSV files are in UTC whatever they choose.

export const clocks = ['utc'] as const;
/** null: the zone of their browser. */
export type Clock = (typeof clocks)[number] | null;
