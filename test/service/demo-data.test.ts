// `npm run demo:data` with a small share of the year.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { businessOf } from '../../proof/oracle/business-oracle.ts';
import { fillDemo } from '../../scripts/demo/fill-demo.ts';
import { createTestDatabase, type TestDatabase } from '../../scripts/throwaway/test-database.ts';
import {
  businessSpan,
  cohortFigures,
  monthFigures,
  monthlyCents,
  percent,
  rowsUntilToday,
} from '../../src/features/business/business-figures.ts';
import { createBusinessReads } from '../../src/features/business/business-reads.ts';
import { createPlanSums } from '../../src/features/business/plan-sums.ts';
import { findPaymentSettings } from '../../src/features/payments/payment-settings.ts';
import { verifyLedger } from '../../src/features/verification/verify-ledger.ts';
import { type Config, readConfig } from '../../src/setup/config.ts';
import { type OpenedDatabase, openDatabase } from '../../src/setup/open-database.ts';
import { formatAmount } from '../../src/shared/amounts.ts';
import { formatTime } from '../../src/shared/times.ts';

/** 2026-03-18T16:00:00Z, a Wednesday. */
const until = 1_773_849_600;
const options = {
  seed: 3,
  share: 0.03,
  until,
  password: 'correct horse battery staple',
  say: () => undefined,
};

let first: TestDatabase;
let opened: OpenedDatabase;

const secretKey = randomBytes(32).toString('hex');

function configOf({ config }: TestDatabase): Config {
  return readConfig({
    SECRET_KEY: secretKey,
    ...(config.kind === 'embedded'
      ? { DATA_DIR: config.dataDir }
      : { DATABASE_URL: config.connectionString }),
  });
}

const ask = (text: string, { database } = opened) => database.query({ name: '', text });

before(async () => {
  first = await createTestDatabase();
  const config = configOf(first);
  const filled = await fillDemo(config, options);
  assert.ok(filled.orders > 40, String(filled.orders));
  opened = await openDatabase(config, until);
});

after(async () => {
  await opened.database.close();
  await first.remove();
});

test('a year of the demo adds up, and has what a page has to show', async () => {
  const report = await verifyLedger(opened.database, until);
  assert.deepEqual(report.problems, []);
  assert.ok(report.entries > 60);
  const { cardEnabled, bankEnabled } = await findPaymentSettings(opened.database);
  assert.ok(cardEnabled && bankEnabled, 'funds can be added');
  const has = async (what: string, text: string) =>
    assert.ok((await ask(`select 1 as one from ${text} limit 1`)).length > 0, what);
  for (const kind of ['activate', 'renew', 'change']) await has(kind, `orders where kind = '${kind}'`);
  for (const kind of ['charge', 'refund', 'credit', 'debit']) {
    await has(kind, `ledger_entries where kind = '${kind}'`);
  }
  await has('a card payment', "payments where payment_ref like 'stripe:pi_demo%'");
  for (const kind of ['refund', 'dispute']) await has(kind, `reversals where kind = '${kind}'`);
  for (const reason of ['second_payment', 'amount_differs'])
    await has(reason, `payment_problems where reason = '${reason}' and resolved_at is null`);
  await has('an announced transfer', "topups where method = 'bank_transfer' and status = 'open'");
  await has('a memo', "ledger_entries where memo like 'Bank transfer%'");
  await has(
    'a plan that ends soon',
    `customers where expires_at between to_timestamp(${until})
    and to_timestamp(${until} + 14 * 86400)`,
  );
  await has('a blocked account', 'accounts where blocked');
  // With so small a share, small resellers may have no orders.
  for (const username of ['brightline', 'nordlicht', 'cobalt.works', 'pixelforge']) {
    await has(`orders of ${username}`, `accounts where username = '${username}' and order_count > 0`);
  }
  await has(
    'an account that has just begun',
    "accounts where username = 'fjord-kreativ' and order_count = 0",
  );
  for (const code of ['insufficient_credit', 'rate_limited', 'revoked_api_key', 'ip_not_allowed']) {
    await has(code, `refusal_days where code = '${code}'`);
  }
  await has('lines of requests', `api_requests where at > to_timestamp(${until} - 7 * 86400)`);
  await has('a trial', "audit_log where action = 'customer.grant_trial'");
  await has('a changed package', "audit_log where action = 'package.update'");
  const [limits] = await ask("select string_agg(key, ' ' order by position) as keys from limit_definitions");
  assert.equal(limits?.['keys'], 'seats storage_gb sso');
  const trace = `audit_log where concat(before, after) ~ 'posts_per_day'`;
  assert.deepEqual(await ask(`select number from ${trace}`), [], 'nothing is left of another product');
  await has('nothing after its end', `orders having max(created_at) <= to_timestamp(${until})`);
});

test('MRR, churn and cohorts of the demo’s year are those of its exported orders', async () => {
  const { database } = opened;
  await createPlanSums(database).bringAllUpToDate();
  const span = businessSpan(13, until);
  const reads = createBusinessReads(database);
  const all = { accountId: null, packageId: null };
  const { months, days } = await reads.plans(all, { month: '2026-03-01', from: span.today, to: span.until });
  const figures = monthFigures(rowsUntilToday(months, days, span), span);
  const cohorts = cohortFigures(await reads.cohorts(null, '2026-03-01'), span.months);
  const expected = businessOf([await exported()], formatTime(until), 13);
  assert.deepEqual(
    figures.map(({ month, opening, closing, lostPlans, duePlans }) => ({
      month,
      mrr: formatAmount(monthlyCents(closing.yearCents)),
      churn: percent(lostPlans, opening.plans),
      renewal: percent(duePlans - lostPlans, duePlans),
    })),
    expected.months.map(({ month, mrr, churnPercent: churn, renewalPercent: renewal }) => ({
      month,
      mrr,
      churn,
      renewal,
    })),
  );
  assert.ok(expected.months.some(({ lostPlans }) => lostPlans > 0));
  assert.deepEqual(
    cohorts.map(({ cohort, kept }) => [cohort, kept.map(({ plans }) => plans)]),
    expected.cohorts.map(({ month, kept }) => [month, kept.map(({ plans }) => plans)]),
  );
});

/** The columns of the orders' CSV export that the figures need. */
async function exported(): Promise<string> {
  const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  const rows = await ask(`select concat_ws(',', o.account_id::bigint * 1000000000 + o.number,
      concat(o.account_id, '-', o.customer_number), o.package_id, o.kind, o.months,
      to_char(o.price_cents / 100.0, 'FM9999990.00'), coalesce(h.status, 'completed'),
      ${utc('o.created_at')}, ${utc('o.expires_at')}) as line
    from orders o left join order_handoffs h on h.account_id = o.account_id and h.order_number = o.number`);
  const header = 'id,customer_id,package_id,kind,months,price,status,created_at,expires_at';
  return [header, ...rows.map((row) => String(row['line']))].join('\n');
}

test('the same seed makes the same year @nightly', async () => {
  const digest = `select md5(string_agg(concat_ws(' ', account_id, number, customer_number, package_id, months, kind,
    price_cents, refund_cents, balance_after_cents, created_at), ',' order by account_id, number)) as digest from orders`;
  const second = await createTestDatabase();
  try {
    const config = configOf(second);
    await fillDemo(config, options);
    const again = await openDatabase(config, until);
    const [row] = await ask(digest, again);
    await again.database.close();
    assert.deepEqual(row, (await ask(digest))[0]);
  } finally {
    await second.remove();
  }
});
