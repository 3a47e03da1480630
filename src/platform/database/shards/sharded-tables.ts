// The tables that move to shards on a divided database, and the references to them from other tables. Checked against the
// schema by test/tools/account-groups-divide.test.ts.

/** Each table with the column that holds its account. */
export const accountTables: Readonly<Record<string, string>> = {
  accounts: 'id',
  customers: 'account_id',
  customer_edits: 'account_id',
  former_references: 'account_id',
  erasures: 'account_id',
  customer_term_marks: 'account_id',
  customer_terms: 'account_id',
  orders: 'account_id',
  last_order_marks: 'account_id',
  order_handoffs: 'account_id',
  order_time_marks: 'account_id',
  order_times: 'account_id',
  plan_changes: 'account_id',
  product_calls: 'account_id',
  ledger_entries: 'account_id',
  topups: 'account_id',
  payments: 'account_id',
  reversals: 'account_id',
  payment_entries: 'account_id',
  write_offs: 'account_id',
  topup_refunds: 'account_id',
  auto_topups: 'account_id',
  ledger_day_marks: 'account_id',
  ledger_days: 'account_id',
  spending_marks: 'account_id',
  spending_sums: 'account_id',
  plan_sum_marks: 'account_id',
  plan_sums: 'account_id',
  cohort_sums: 'account_id',
  list_stretch_marks: 'account_id',
  list_stretches: 'account_id',
  login_links: 'account_id',
  events: 'account_id',
  event_inbox: 'account_id',
  event_gaps: 'account_id',
  api_request_counts: 'account_id',
  api_requests: 'account_id',
  api_request_bodies: 'account_id',
  test_moves: 'account_id',
};

/** Not possible on a divided database, so `verify` checks them. A backup orders tables as if they existed. */
export const accountReferences: readonly {
  readonly table: string;
  readonly column: string;
  readonly refersTo: string;
}[] = [{ table: 'api_keys', column: 'account_id', refersTo: 'accounts' }];
