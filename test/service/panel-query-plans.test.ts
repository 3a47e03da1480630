// No page of the panel and no filtered list reads a whole table that grows with orders.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { indexCustomerTerms } from '../../src/features/customers/customer-search-terms.ts';
import { indexFacets } from '../../src/features/ledger/facet-index.ts';
import { repairLastOrders } from '../../src/features/orders/repair-last-orders.ts';
import type { Transaction } from '../../src/platform/database/database.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { openPanelStream } from '../harness/panel-stream.ts';
import { plansOfSession, type SessionPlan } from '../harness/session-plans.ts';

/** From the present month on, not all days of an account. */
const activePlans = /plan_sums_pkey[\s\S]*Index Cond: .*step = 'month'::text\) AND \(since >=/;

/** The panel's statements, with the index that they must use if it is not the table's key. */
const statements: Readonly<Record<string, RegExp | null>> = {
  find_session: /sessions_pkey/,
  list_sessions: /sessions_pkey/,
  list_api_requests: /api_requests_pkey/,
  find_api_request_span: /api_requests_pkey/,
  find_api_request_number_at: /api_requests_pkey/,
  find_api_request: /api_requests_pkey/,
  count_api_requests_by_day: /api_requests_pkey/,
  count_api_requests_by_key: /api_requests_pkey/,
  find_placing_requests: /api_requests_pkey[\s\S]*api_request_bodies_pkey/,
  find_api_request_bodies: /api_request_bodies_pkey/,
  list_refused_accounts: /refusal_account_days_pkey/,
  find_most_refused_accounts: /refusal_account_days_pkey/,
  sum_refusals_of_account: /refusal_account_days_pkey/,
  find_orders_down: /orders_pkey/,
  count_orders_down: /orders_pkey/,
  list_orders_by_time: /order_times_pkey[\s\S]*orders_pkey/,
  count_unsettled_orders_of_all: /order_handoffs_status/,
  list_unsettled_orders_of_all: /order_handoffs_status[\s\S]*orders_pkey/,
  is_behind_order_time_marks: null,
  find_behind_order_time_marks: null,
  add_order_times: /orders_pkey/,
  find_orders_of_customer: /orders_customer/,
  find_entries_down: /ledger_entries_pkey/,
  find_entries_up: /ledger_entries_pkey/,
  find_entries_of_order: /ledger_entries_pkey/,
  find_order_end: /order_handoffs_pkey/,
  list_customers_by_number: /customers_pkey/,
  list_customers_in_time: /customers_expiry/,
  list_suspended_customers: /customers_suspended/,
  list_customers_by_expiry: /customers_expiry/,
  list_customers_by_last_expiry: /Backward[\s\S]*customers_expiry/,
  count_customers_in_time: /customers_expiry/,
  find_customers_of_id: /customers_pkey[\s\S]*orders_pkey/,
  find_orders_of_numbers: /orders_customer[\s\S]*orders_pkey/,
  find_orders_of_words: /orders_pkey[\s\S]*customers_pkey/,
  find_order_number_of_key: /orders_idempotency_key/,
  list_customers_of_all: /customers_pkey/,
  list_customers_of_all_by_expiry: /customers_expiry/,
  list_customers_of_all_by_last_expiry: /Backward[\s\S]*customers_expiry/,
  find_customer_number: /customer_references_pkey/,
  find_order_of_key: /orders_idempotency_key/,
  find_list_mark: /list_stretch_marks_pkey/,
  find_list_ranges: /list_stretches_pkey/,
  find_customer_term_mark: null,
  list_customers_by_term: /customer_terms_pkey/,
  count_customers_by_expiry: /customers_expiry/,
  count_inactive_customers: /customers_expiry/,
  list_inactive_customers: /customers_expiry/,
  find_last_order: /orders_customer/,
  sum_spending_of_customer: /orders_customer[\s\S]*plan_changes_shown/,
  find_numbered_customers: /customers_pkey/,
  list_ending_customers: /customers_expiry/,
  count_ending_customers: /customers_expiry/,
  count_ending_of_all: /customers_expiry/,
  count_renewals: /customers_expiry[\s\S]*orders_pkey/,
  list_ledger_sums: /ledger_days_pkey/,
  list_ledger_sums_of_all: /ledger_days_pkey/,
  list_top_accounts: /ledger_days_pkey/,
  find_ledger_spans: /ledger_days_pkey/,
  is_behind_ledger_day_marks: null,
  find_behind_ledger_day_marks: null,
  sum_ledger_entries: /ledger_entries_pkey/,
  is_behind_spending_marks: null,
  find_behind_spending_marks: null,
  sum_spending: /ledger_entries_pkey[\s\S]*plan_changes_cancel_entry/,
  list_spending: /spending_sums_pkey/,
  list_spending_of_all: /spending_sums_pkey/,
  list_spending_by_account: /spending_sums_pkey/,
  sum_spending_of_accounts: /spending_sums_pkey/,
  is_behind_plan_sum_marks: null,
  find_behind_plan_sum_marks: null,
  read_orders_for_plan_sums: /orders_pkey[\s\S]*orders_customer/,
  list_plan_sums: /plan_sums_pkey/,
  list_plan_totals: null,
  list_cohort_sums: /cohort_sums_pkey/,
  list_cohort_totals: null,
  list_business_of_accounts: activePlans,
  find_business_of_accounts: activePlans,
  count_handoffs: /order_handoffs_status/,
  count_running_customers: /customers_expiry/,
  count_ended_customers: /customers_expiry/,
  count_suspended_customers: /customers_suspended/,
  list_failed_renewals: /plan_changes_pkey[\s\S]*customers_pkey/,
  count_product_calls_needing_attention: /product_calls_attention/,
  count_failing_product_calls: /product_calls_(failing|waiting)/,
  list_product_calls_needing_attention: /product_calls_attention/,
  list_failing_product_calls: /product_calls_(failing|waiting)/,
  find_product_call_of_order: /product_calls_order/,
  sum_recent_product_calls: /product_calls_over/,
  list_held_orders: /product_calls_attention[\s\S]*orders_pkey/,
  find_backups: null,
  list_verifications: null,
  list_handoffs_down: /order_handoffs_status/,
  history_orders: /orders_customer/,
  history_settled_orders: /orders_pkey/,
  list_orders_needing_attention: /product_calls_attention/,
  list_waiting_product_calls: /product_calls_waiting/,
  count_product_calls_in_line: /product_calls_waiting/,
  find_audit_span: /audit_log_at/,
  list_security_events: /audit_log_person[\s\S]*audit_log_subject/,
  search_audit_by_all: /audit_log_pkey/,
  search_audit_by_subject: /audit_log_subject/,
  search_audit_by_key: /audit_log_key/,
  search_audit_by_person: /audit_log_person/,
  search_audit_by_actor: /audit_log_actor/,
  search_audit_by_account: /audit_log_actor[\s\S]*audit_log_account/,
  find_accounts_of_email: /accounts_email/,
  find_people_of_email: /people_email/,
  find_keys_of_last_four: /api_keys_last_four/,
  list_logged_links: /login_link_log_customer/,
  replace_logged_links: /login_link_log_unused/,
  read_unchecked_last_orders: /orders_pkey[\s\S]*plan_changes_pkey/,
  list_live_links: /login_links_live/,
  // With only three accounts, either index is fine.
  search_accounts_by_age: /(?=[\s\S]*orders_pkey)[\s\S]*accounts_(?:pkey|by_name)/,
  search_accounts_by_name: /accounts_by_name/,
  // Sorting reads all accounts.
  search_accounts_by_balance: /orders_pkey/,
  search_accounts_by_customers: /orders_pkey/,
  search_accounts_by_last_order: /orders_pkey/,
  search_accounts_by_mrr: activePlans,
  count_searched_accounts: null,
  sum_account_counters: null,
  find_payments_of_reference: /payments_(?:ref|pkey)/,
  sum_recent_topups: /topups_newest/,
  sum_recent_reversals: null,
  sum_receivables: null,
  count_halted_accounts: null,
  find_account_view: /account_views_pkey/,
  // With a few accounts and top-ups, reading all of them is fine.
  find_account_marks: null,
  find_request_marks: null,
  find_delivery_marks: null,
  find_call_marks: /product_calls_attention[\s\S]*product_calls_waiting/,
  list_events_down: /events_pkey/,
  list_events_of_type_down: /events_of_type/,
  find_event_at_number: /events_pkey/,
  find_event_from_number: /events_pkey/,
  search_events_down: /events_pkey/,
  count_webhook_deliveries: /webhook_attempts_pkey/,
  sum_webhook_deliveries: /webhook_attempts_pkey/,
  list_webhook_attempts_of_event: /webhook_attempts_pkey/,
  count_events_of_types: /events_of_type/,
  // Without rows, either index is fine.
  find_webhook_retry: /webhook_retries_pkey|webhook_retries_due/,
};

/** Not reached for a young account: it has no whole range yet and few customers' orders. */
const ofManyRows = ['find_list_ranges', 'find_orders_of_words'];

const bigTables = [
  'orders',
  'order_times',
  'ledger_entries',
  'customers',
  'customer_references',
  'api_requests',
  'api_request_bodies',
  'refusal_account_days',
  'sessions',
  'ledger_days',
  'spending_sums',
  'plan_sums',
  'cohort_sums',
  'login_links',
  'login_link_log',
  'list_stretches',
  'customer_terms',
  'plan_changes',
  'order_handoffs',
  'product_calls',
  'audit_log',
  'account_views',
  'events',
  'webhook_retries',
  'webhook_attempts',
];

let service: TestService;
let account: TestAccount;
let panel: PanelClient;
let console: PanelClient;
let webhookId: number;
before(async () => {
  // One connection per rank, so that the checked plans are the ones that were used.
  service = await startTestService({
    environment: { OUTBOUND_ALLOW: '127.0.0.0/8' },
    limits: {
      database: { lookupConnections: 1, readConnections: 1 },
      // The visits make hundreds of requests in a session, on a fast machine within a minute.
      rates: { sessionRequestsPerMinute: 1_000_000 },
    },
  });
  account = await service.createReseller({ credit: '1000.00' });
  panel = await signIn(service, account);
  console = await signIn(service, service.admin);
});
after(() => service.close());

test('no statement of the panel scans a table that grows, planned while it is young or when it has grown', async () => {
  const endpoint = { url: 'http://127.0.0.1:9/', types: ['order.completed', 'plan.expired'], enabled: false };
  webhookId = (await account.post('/webhooks', endpoint)).body.webhook.id;
  await setProduct('confirm');
  const placed = await account.post('/orders', { package_id: service.packages.basic, customer: 'planned' });
  const { order } = placed.body;
  assert.equal((await service.admin.post(`/api/admin/v1/orders/${order.id}/accept`)).status, 200);
  assert.equal((await account.post('/orders', {})).status, 422);
  // Sessions plan each statement once, for any values (force_generic_plan), so one visit of every page plans them all.
  const visitAll = () => visit(order.id, order.customer.id);
  const fillIndexes = async () => {
    await indexFacets(service.database);
    await indexCustomerTerms(service.database);
    await repairLastOrders(service.database);
  };
  // The embedded database has PostgreSQL's planner. There, the statements only have to run, with the indexes and without.
  if (service.testDatabase.config.kind === 'embedded') {
    await visitAll();
    await grow();
    await fillIndexes();
    return visitAll();
  }
  await visitAll();
  await fillIndexes();
  await visitAll();
  await look('young');
  await grow();
  await fillIndexes();
  await visitAll();
  await look('grown');
  await service.database.query({ name: '', text: 'analyze' });
  await look('analyzed');
});

async function setProduct(mode: 'none' | 'confirm'): Promise<void> {
  const product = { mode, url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  assert.equal((await service.admin.send('PUT', '/api/admin/v1/product', product)).status, 200);
}

async function visit(orderId: number, customerId: number): Promise<void> {
  assert.equal((await account.get('/customers?status=suspended')).status, 200);
  for (const path of [
    '/me',
    '/sessions',
    '/security-events',
    '/requests',
    '/requests?code=none&key=1&method=GET&path=/api&from=2026-01-01&to=2026-01-14T00:00:00Z',
    '/requests/1',
    '/refusals',
    '/request-figures?code=none&key=1&method=GET&path=/api&from=2026-01-01',
    '/key-requests',
    '/v1/orders?cursor=',
    '/v1/orders?created_from=2026-01-01',
    '/v1/orders?customer=planned',
    `/orders/${orderId}`,
    '/v1/customers?words=pla',
    '/v1/customers?plan_status=active&package_id=1',
    '/v1/customers?plan_status=active&sort=expires_at',
    '/v1/customers?plan_status=active&sort=-expires_at',
    '/v1/customers?expires_to=2030-01-01',
    `/v1/customers?words=${customerId}`,
    `/v1/orders?words=${orderId}`,
    '/v1/orders?words=grow&kind=activate',
    `/customers/${customerId}`,
    '/v1/ledger?cursor=',
    '/v1/ledger?words=1',
    `/v1/ledger?words=${orderId}`,
    '/v1/ledger?created_from=2026-01-01&created_to=2026-01-20T12:00:00Z',
    '/v1/ledger?format=csv',
    '/v1/statements',
    '/v1/statements/2026-01?format=csv',
    '/overview',
    '/holders?q=a@example.com',
    '/holders?q=abcd',
    '/events',
    '/events?type=order.completed',
    '/events?words=planned&from=2026-01-01&to=2026-12-31',
    '/webhooks/figures',
    `/webhooks/${webhookId}/figures`,
    `/events/${Math.floor(orderId / 1e9) * 1e9 + 1}/deliveries`,
    `/webhooks/${webhookId}/since?from=2026-01-01`,
    `/webhooks/${webhookId}/events/${Math.floor(orderId / 1e9) * 1e9 + 1}`,
  ]) {
    assert.equal((await panel.get(path)).status, 200, path);
  }
  for (const path of [
    '/orders?kind=activate&package_id=1',
    '/orders?customer=planned',
    '/orders?idempotency_key=none',
    '/orders?status=completed',
    '/orders?status=failed',
    '/orders?status=pending&kind=activate',
    `/ledger?order_id=${orderId}`,
    `/customers/${customerId}/history`,
    '/customers?q=pla',
    '/customers?active=true',
    '/customers?active=false',
    '/customers?status=active',
    '/ledger?kind=charge',
    '/forecast',
    '/business',
    '/business/cohorts',
  ]) {
    assert.equal((await account.get(path)).status, 200, path);
  }
  assert.equal((await panel.post('/customers/renewals', { customers: [customerId] })).status, 200);
  assert.equal((await panel.post(`/customers/${customerId}/login-link`)).status, 201);
  for (const path of [
    '/admin/overview',
    '/admin/customers',
    '/admin/customers?words=pla',
    '/admin/customers?sort=expires_at',
    '/admin/customers?sort=-expires_at&plan_status=active',
    `/admin/customers?account_id=${account.id}&plan_status=active&sort=expires_at`,
    '/admin/v1/orders',
    `/admin/v1/orders?words=${orderId}`,
    '/admin/v1/orders?words=pla',
    '/admin/v1/orders?kind=activate&package_id=1',
    '/admin/v1/orders?created_from=2026-01-01&status=completed',
    '/admin/v1/orders?status=failed&kind=activate',
    '/admin/refusals/rate_limited',
    '/admin/spending?package_id=1&kind=renew&sort=orders',
    '/admin/v1/business?package_id=1',
    '/admin/v1/business/cohorts',
    '/admin/v1/business/accounts',
    '/admin/v1/orders/attention',
    '/admin/v1/product-calls',
    '/admin/v1/product-calls?status=failing',
    `/admin/v1/product-calls?order_id=${orderId}`,
    '/admin/product-calls',
    '/admin/product-figures',
    '/admin/held-orders',
    '/admin/health',
    '/admin/audit',
    '/admin/audit?action=account&from=2026-01-01',
    '/admin/audit?target=package:1',
    '/admin/audit?actor=key:1',
    '/admin/audit?actor=person:1',
    '/admin/audit?actor=account:1',
    '/admin/audit?account=1',
    '/admin/accounts?balance_below=5.00',
    '/admin/accounts?sort=name',
    '/admin/accounts?sort=balance',
    '/admin/accounts?sort=customers',
    '/admin/accounts?sort=last_order',
    '/admin/accounts?sort=mrr',
    `/admin/accounts/${account.id}/outlook`,
    `/admin/accounts/${account.id}/key-requests`,
    '/admin/accounts?q=a@example.com',
    '/admin/holders?q=a@example.com',
    '/admin/holders?q=abcd',
    '/admin/topups',
    '/admin/topups?reference=pi_none',
    '/admin/topup-sums',
    '/admin/topups?status=credited_this_month',
    '/admin/topups?status=refunded_this_month',
    '/admin/topups?status=disputed_this_month',
    '/admin/business-accounts?sort=runs_out_on',
  ]) {
    assert.equal((await console.get(path)).status, 200, path);
  }
  (await openPanelStream(service.address, console)).leave();
  assert.equal((await console.post(`/admin/accounts/${account.id}/view`)).status, 201);
  assert.equal((await console.get('/v1/orders', { 'x-view-account': String(account.id) })).status, 200);
}

async function look(when: string): Promise<void> {
  const plans: SessionPlan[] = [];
  for (const rank of ['lookups', 'reads'] as const) {
    const look = (transaction: Transaction) => plansOfSession(transaction, Object.keys(statements), anyValue);
    plans.push(...(await service.database.transaction(look, { rank })));
  }
  for (const [name, index] of Object.entries(statements)) {
    if (ofManyRows.includes(name) && when === 'young') continue;
    const lines = plans.filter((plan) => plan.name === name).flatMap((plan) => plan.lines);
    assert.ok(lines.length > 0, `${name} was planned`);
    const text = lines.join('\n');
    for (const table of bigTables) {
      assert.doesNotMatch(text, new RegExp(`Seq Scan on ${table}\\b`), `${when}: ${name} scans\n${text}`);
    }
    if (index !== null) assert.match(text, index, `${when}: ${name}\n${text}`);
  }
}

async function grow(): Promise<void> {
  const credited = await service.admin.post(`/api/admin/v1/accounts/${account.id}/credit`, {
    amount: '900000',
  });
  assert.equal(credited.status, 201);
  const outcomes = await Promise.all(
    Array.from({ length: 1_200 }, (_, index) =>
      service.service.engine.submit({
        type: 'place',
        accountId: account.id,
        accessVersion: 1,
        idempotencyKey: `grow-${index}`,
        keyIsMinted: false,
        packageId: service.packages.basic,
        customerReference: `grow-${index}`,
        customerName: null,
        months: 1,
        maxChargeCents: null,
        loginLink: null,
      }),
    ),
  );
  assert.ok(outcomes.every(({ type }) => type === 'ordered'));
  // Every twelfth order is one of the few that fail.
  const settled = await Promise.all(
    outcomes.map((outcome, index) =>
      service.service.engine.submit({
        type: 'settle_order',
        accountId: account.id,
        orderNumber: outcome.type === 'ordered' ? outcome.order.number : 0,
        outcome: index % 12 === 0 ? 'failed' : 'completed',
        reason: null,
        by: null,
      }),
    ),
  );
  assert.ok(settled.every(({ type }) => type === 'settled'));
}

function anyValue(type: string): string {
  if (type.endsWith('[]')) return '{1}';
  return type === 'date' ? '2026-01-01' : type === 'text' ? '' : '1';
}
