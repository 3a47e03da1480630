// Background jobs as a process runs them: expiry, ledger sums, vacuum, and how the console and /metrics show them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isPostgres } from '../../scripts/throwaway/test-database.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { deleteExpiredLogins } from '../../src/features/customer-portal/login-links.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { createRequestLog } from '../../src/features/request-log/request-log.ts';
import { vacuumTables } from '../../src/platform/database/schema/vacuum-tables.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { signIn } from '../harness/panel-client.ts';
import { queryableOf } from '../harness/queryable-of.ts';

const day = 86_400;
const everywhere = [
  'renewals',
  'alert_mails',
  'plan_ends',
  'deliveries',
  'delivery_log',
  'product_calls',
  'test_product_calls',
  'old_product_calls',
  'old_events',
  'ledger_days',
  'list_indexes',
  'erasures',
  'discarded_tests',
  'expired_logins',
  'expired_sessions',
  'request_log',
  'retention',
  'auto_topups',
  'payments',
  'mail',
];
const scheduled = isPostgres ? everywhere : [...everywhere, 'vacuum'];
const kinds = [...scheduled, 'audit'];

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const sql = (text: string) => service.database.query({ name: '', text });

async function count(table: string): Promise<number> {
  const [row] = await sql(`select count(*)::int as rows from ${table}`);
  return Number(row?.['rows']);
}

async function runJobs(): Promise<void> {
  const { jobs } = service.service;
  for (const _ of kinds) {
    await jobs.look();
    await jobs.idle();
  }
}

test('nothing runs before the process says start', async () => {
  assert.deepEqual(
    (await service.service.jobs.list()).map(({ kind, finishedAt }) => [kind, finishedAt]),
    kinds.map((kind) => [kind, null]),
  );
});

test('what has expired goes, and what has not stays', async () => {
  const { id } = await service.createReseller({ credit: '10.00' });
  const at = (seconds: number) => `to_timestamp(${service.clock.seconds + seconds})`;
  await sqlOf(
    service,
    { id },
    `insert into login_links (token_hash, account_id, customer_number, order_number, created_at, expires_at)
    values ('old', ${id}, 1, 1, now(), ${at(-8 * day)}), ('young', ${id}, 1, 2, now(), ${at(-6 * day)})`,
  );
  await sql(`insert into sessions (person_id, token_hash, password_version, created_at, last_seen_at, address, user_agent)
    values (${id}, 'old', 1, ${at(-15 * day)}, ${at(0)}, '', ''), (${id}, 'young', 1, ${at(-13 * day)}, ${at(0)}, '', '')`);
  await sqlOf(
    service,
    { id },
    `insert into api_requests (account_id, number, at, method, path, status, request_id, milliseconds, address)
    select ${id}, n, ${at(0)} - (5 - n) * interval '4 days', 'GET', '/', 200, '', 1, '' from generate_series(1, 5) n`,
  );
  await sqlOf(
    service,
    { id },
    `insert into api_request_counts (account_id, request_count) values (${id}, 5)`,
  );
  await sql(`insert into totp_secrets (person_id, sealed_secret, created_at, enabled_at) values
    (${id}, 'on', ${at(-day)}, ${at(-day)}), (${id + 1}, 'old', ${at(-900)}, null), (${id + 2}, 'young', ${at(-899)}, null)`);
  await runJobs();
  const left = await Promise.all(['login_links', 'sessions', 'api_requests', 'totp_secrets'].map(count));
  assert.deepEqual(left, [1, 1, 2, 2]);
  const [summed] = await sql(`select entry_count from ledger_days where account_id = ${id}`);
  assert.deepEqual(summed, { entry_count: 1 });
  for (const state of await service.service.jobs.list()) {
    const { kind, succeededAt, backlog, failureCount } = state;
    if (kind === 'audit') continue;
    assert.deepEqual([kind, succeededAt, backlog, failureCount], [kind, service.clock.seconds, 0, 0]);
  }
});

test('an audit that an administrator asks for is a run of its kind', async () => {
  const report = await service.admin.get('/api/admin/v1/verify');
  assert.equal(report.status, 200, report.text);
  const audit = (await service.service.jobs.list()).find(({ kind }) => kind === 'audit');
  assert.deepEqual([audit?.succeededAt, audit?.nextRunAt], [service.clock.seconds, null]);
});

test('when stopped, each kind says how much is left', async () => {
  const { database, clock } = service;
  const { id } = await service.createReseller({ credit: '10.00' });
  const log = createRequestLog({
    database,
    limits: {
      linesMax: 9,
      refusedLinesMax: 9,
      linesPerStatement: 9,
      flushMilliseconds: 1e9,
      keptPerAccountMax: 9,
      exchangesMax: 100,
      exchangesPerAccountMax: 1_000,
      refusalsKeptDays: 400,
    },
    onKeysUsed: async () => undefined,
    onDropped: () => undefined,
  });
  await sqlOf(
    service,
    { id },
    `insert into api_request_counts (account_id, request_count) values (${id}, 0) on conflict do nothing`,
  );
  const stopped = AbortSignal.abort();
  const linkTables = database.accountGroups().length;
  assert.equal(await deleteExpiredLogins(database, clock.seconds, clock.seconds, stopped), 3 + linkTables);
  assert.equal(
    await log.prune({ now: clock.seconds, before: clock.seconds - day }, stopped),
    await count('api_request_counts'),
  );
  assert.equal(await createDailyTotals(database).bringAllUpToDate(stopped), 1);
  await log.close();
});

test('the console and /metrics show when a kind ran, when it runs next and what went wrong', async () => {
  await sql("update jobs set next_run_at = to_timestamp(0) where kind = 'expired_logins'");
  await sql('alter table login_codes rename to login_codes_away');
  try {
    await runJobs();
  } finally {
    await sql('alter table login_codes_away rename to login_codes');
  }
  const console = await signIn(service, service.admin);
  const { jobs } = (await console.get('/admin/health')).body;
  assert.deepEqual(
    jobs.map(({ kind }: { kind: string }) => kind),
    kinds,
  );
  const shown = jobs[kinds.indexOf('expired_logins')];
  const now = new Date(service.clock.seconds * 1000).toISOString().replace('.000', '');
  assert.equal(shown.last_error, 'The database refused a statement (SQLSTATE 42P01).');
  assert.deepEqual([shown.last_error_at, shown.finished_at, shown.running_on], [now, now, null]);
  assert.equal(shown.failures_in_a_row, 1);
  assert.ok(shown.next_run_at > now);
  const logged = service.logLines.find(({ msg }) => msg === 'job failed');
  assert.equal(logged?.['job'], 'expired_logins');
  assert.match(JSON.stringify(logged), /login_codes/);

  const metrics = await (await fetch(`${service.address}/metrics`)).text();
  const { seconds } = service.clock;
  for (const line of [
    'sellthrough_job_failures_total{kind="expired_logins"} 1',
    'sellthrough_job_failures_total{kind="ledger_days"} 0',
    'sellthrough_job_backlog{kind="ledger_days"} 0',
    `sellthrough_job_last_success_timestamp_seconds{kind="ledger_days"} ${seconds}`,
  ]) {
    assert.ok(metrics.includes(`${line}\n`), line);
  }
  const again = await (await fetch(`${service.address}/metrics`)).text();
  assert.ok(again.includes('sellthrough_job_failures_total{kind="expired_logins"} 1\n'), 'counted once');
});

test('the embedded database is vacuumed table by table, and only where enough has changed', async (t) => {
  if (isPostgres) return t.skip('a server vacuums by itself');
  const dead = async () => {
    const [row] = await sql(`select n_dead_tup::int as dead, n_mod_since_analyze::int as changed
      from pg_stat_all_tables where relname = 'refusal_days'`);
    return row;
  };
  await sql("insert into refusal_days select date '2000-01-01' + n, 'x', 1 from generate_series(1, 2000) n");
  await sql('update refusal_days set refusal_count = 2');
  // Without this, PostgreSQL's counts come up to a second later.
  await sql('select pg_stat_force_next_flush()');
  assert.deepEqual(await dead(), { dead: 2000, changed: 4000 });
  const { database } = service;
  const named: string[] = [];
  const watched = queryableOf((...asked) => {
    named.push(asked[0].text);
    return database.query(...asked);
  });
  assert.ok((await vacuumTables(watched, AbortSignal.abort())) >= 1);
  assert.equal(named.length, 1, 'it only asked');
  assert.equal(await vacuumTables(watched, AbortSignal.any([])), 0);
  assert.deepEqual(await dead(), { dead: 0, changed: 0 });
  assert.ok(named.includes('vacuum (truncate false) refusal_days'), named.join('\n'));
  named.length = 0;
  await vacuumTables(watched, AbortSignal.any([]));
  assert.ok(!named.join().includes('refusal_days'), named.join('\n'));
});
