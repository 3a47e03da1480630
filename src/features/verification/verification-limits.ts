// The ranges and cancellation of a verification.

/** Per statement; docs/decisions/0018-integrity-and-conformity.md has the times. */
export interface AuditRanges {
  /** With their orders. At least 2: an order's entries stay together. */
  readonly entries: number;
  readonly customers: number;
  readonly events: number;
}

export interface AuditLimits {
  readonly ranges: AuditRanges;
  readonly signal: AbortSignal;
}

export const usualRanges: AuditRanges = { entries: 1_000, customers: 1_000, events: 500 };
