// Time zones of the panel. The API and CSV always use UTC (docs/decisions/0062-the-clock-of-the-panel.md).

export const clocks = ['utc'] as const;
/** null: the browser's zone. */
export type Clock = (typeof clocks)[number] | null;
