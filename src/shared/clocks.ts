// On which clock a person may choose to read times in the panel; the API and CSV files are in UTC whatever they choose
// (docs/decisions/0062-the-clock-of-the-panel.md).

export const clocks = ['utc'] as const;
/** null: the zone of their browser. */
export type Clock = (typeof clocks)[number] | null;
