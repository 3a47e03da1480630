// How much a verification reads at once, and how it is cancelled.

/** Rows per statement. docs/decisions/0018-integrity-and-conformity.md has the times that they take. */
export interface AuditRanges {
  /** Entries with their orders. At least 2, because an order's entries are read together. */
  readonly entries: number;
  readonly customers: number;
  readonly events: number;
}

export interface AuditLimits {
  readonly ranges: AuditRanges;
  readonly signal: AbortSignal;
}

export const usualRanges: AuditRanges = { entries: 1_000, customers: 1_000, events: 500 };
