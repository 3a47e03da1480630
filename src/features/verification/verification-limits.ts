// How an audit proceeds: what one of its statements looks at, and what ends it.

/** What one statement looks at: docs/decisions/0018 says how long each takes. */
export interface AuditRanges {
  /** Ledger entries, with their orders. At least 2: an order's entries stay together. */
  readonly entries: number;
  /** Customers, claims on references, changes of plans. */
  readonly customers: number;
  /** Orders and changes of plans that are replayed. */
  readonly events: number;
}

export interface AuditLimits {
  readonly ranges: AuditRanges;
  /** Looked at between any two statements. */
  readonly signal: AbortSignal;
}

export const usualRanges: AuditRanges = { entries: 1_000, customers: 1_000, events: 500 };
