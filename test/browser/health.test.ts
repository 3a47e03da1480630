// The console's health page: its verdict, backups, verifications, and background jobs in trouble.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondsOf } from '../harness/shop.ts';
import { expectAccessible } from './accessibility.ts';
import { untilCount, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser(async (service) => {
  service.clock.seconds = secondsOf('2026-03-12T10:00:00Z');
});

const run = (text: string) => panel.service.database.query({ name: '', text });
const ago = (span: string) => `to_timestamp(${panel.service.clock.seconds}) - interval '${span}'`;
const backedUp = (at: string) =>
  run(`update service_state set backed_up_at = ${at}, setup_skipped = array_remove(setup_skipped, 'backup')`);

test('the health page warns of an old backup, says how to make one, and stops when the operator backs up elsewhere', async () => {
  const { service } = panel;
  await backedUp(ago('3 days'));
  const page = await panel.openAs(service.admin, '/panel/admin/health');
  await page
    .getByText('Running, but the last backup is old. It was made 3 days ago. Make a backup.')
    .waitFor();
  const guide = page.getByRole('link', { name: 'Make a backup' });
  assert.equal(await guide.getAttribute('href'), '/docs/operations#backups');
  await expectAccessible(page, 'an old backup');
  await page.getByRole('button', { name: 'We back up elsewhere' }).click();
  await page
    .getByText('All systems normal. You back up elsewhere, so backups aren’t checked here.')
    .waitFor();
  await page.getByText('Elsewhere', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Monitor backups here' }).click();
  await page.getByText(/^Running, but the last backup is old/).waitFor();
  await backedUp('null');
  await page.reload();
  await page.getByText('Running, but there is no backup yet.').waitFor();
  const setUp = page.getByRole('link', { name: 'Set up nightly backups' });
  assert.match((await setUp.getAttribute('href')) ?? '', /^\/docs\/nightly(?:#with-the-embedded-database)?$/);
  await backedUp(ago('3 hours'));
  await page.reload();
  await page.getByText('All systems normal.', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'We back up elsewhere' }).count(), 0);
});

test('the health page lists verifications, the newest first, and counts the problems of the newest against the verdict @nightly', async () => {
  const { service } = panel;
  const kept = (at: string, by: string, problems: number) =>
    run(`insert into verifications (finished_at, started_by, milliseconds, account_count, entry_count, problem_count)
      values (${at}, '${by}', 1234, 17, 5678, ${problems})`);
  await run('delete from verifications');
  const page = await panel.openAs(service.admin, '/panel/admin/health');
  await page.getByText('Not verified yet.').waitFor();
  for (let day = 9; day > 3; day -= 1) await kept(ago(`${day} days`), 'verify', 0);
  await kept(ago('3 days'), 'api', 2);
  await page.reload();
  await page
    .getByText(/2 problems in 17 accounts, 5,678 ledger entries\. Last verified 3 days ago\./)
    .waitFor();
  await page.getByText('The last verification found 2 problems.').waitFor();
  await page.getByRole('link', { name: 'Verify every night' }).waitFor();
  const rows = page.getByRole('table', { name: 'Verifications' }).getByRole('row');
  assert.deepEqual((await rows.nth(1).getByRole('cell').allTextContents()).slice(1), [
    '2 problems',
    'API',
    '17',
    '5,678',
    '1.2\u00a0s',
  ]);
  assert.deepEqual((await rows.nth(2).getByRole('cell').allTextContents()).slice(1), [
    'Balanced',
    'sellthrough verify',
    '17',
    '5,678',
    '1.2\u00a0s',
  ]);
  await untilCount(rows, 6);
  await expectAccessible(page, 'problems of a verification');
  await page.getByRole('button', { name: 'Show all 7' }).click();
  await untilCount(rows, 8);
  // The newer one counts, although another process made it.
  await kept(ago('1 minute'), 'restore', 0);
  await page.reload();
  await page.getByText('The last verification found 2 problems.').waitFor({ state: 'detached' });
  await page.getByText('Everything balances: 17 accounts, 5,678 ledger entries.').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Verify every night' }).count(), 0);
  await page.getByRole('button', { name: 'Verify now' }).click();
  await rows.nth(1).getByRole('cell', { name: 'Console', exact: true }).waitFor();
});

test('the health page says Unknown, not None, while the database or the service does not answer @nightly', async () => {
  const { service } = panel;
  const page = await panel.openAs(service.admin, '/panel/admin/orders');
  // The route stays: a request at the moment in which it is removed may hang.
  let broken: 'database' | 'service' | null = 'database';
  await page.route('**/panel/api/admin/health', async (route) => {
    if (broken === null) return route.continue();
    if (broken === 'service') return route.abort();
    const answer = await route.fetch();
    const body = { ...(await answer.json()), waiting_calls: null, frozen_accounts: null, backups: null };
    const database = { kind: 'embedded', version: '', reachable: false };
    await route.fulfill({ response: answer, json: { ...body, verifications: null, database } });
  });
  await page.goto('/panel/admin/health');
  await page.getByText('The database doesn’t respond, so orders are refused.').waitFor();
  const unknown = page.getByText('Unknown', { exact: true });
  // Calls, backup, jobs, verifications.
  await untilCount(unknown, 4);
  assert.equal(await page.getByText(/^None/).count(), 0);
  await expectAccessible(page, 'without the database');
  broken = null;
  await page.reload();
  await page.getByText('Reachable').waitFor();
  broken = 'service';
  await page.reload();
  await untilCount(unknown, 6);
  broken = null;
  await page.reload();
  await page.getByText('Reachable').waitFor();
  assert.ok(panel.takeProblems().every((problem) => /Failed to load|ERR_FAILED/.test(problem)));
});

test('the health page names jobs that were due but did not run @nightly', async () => {
  const { service } = panel;
  const [lastRun, due] = [ago('2 hours'), ago('1 hour')];
  await run(`insert into jobs (kind, lease_number, started_at, finished_at, succeeded_at, next_run_at)
    values ('renewals', 1, ${lastRun}, ${lastRun}, ${lastRun}, ${due})
    on conflict (kind) do update set next_run_at = ${due}, leased_by = null`);
  const page = await panel.openAs(service.admin, '/panel/admin/health');
  // Right after a start, jobs are still waiting.
  await page.route('**/panel/api/admin/health', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), uptime_seconds: 61 } });
  });
  await page.getByText('Overdue: Auto-renewals. Due over 15 minutes ago').waitFor();
  const first = page.getByRole('table', { name: 'Background job runs' }).getByRole('row').nth(1);
  await first.getByText('Overdue', { exact: true }).waitFor();
  await first.getByText('1 hour ago').filter({ visible: true }).waitFor();
});

test('background work that fails comes first on the health page, with how often, why, and when it last succeeded', async () => {
  const { service } = panel;
  await service.database.query({
    name: '',
    text: `insert into jobs (kind, lease_number, started_at, finished_at, next_run_at, failure_count, failures_in_a_row,
        last_error, last_error_at)
      values ('audit', 1, now(), now(), now() + interval '1 day', 3, 3, 'No space left on device', now())
      on conflict (kind) do update set failure_count = 3, failures_in_a_row = 3, succeeded_at = null, leased_by = null,
        last_error = 'No space left on device', last_error_at = now(), next_run_at = now() + interval '1 day'`,
  });
  const page = await panel.openAs(service.admin, '/panel/admin/health');
  await page.getByText('Failing: Ledger verification.').waitFor();
  const first = page.getByRole('table', { name: 'Background job runs' }).getByRole('row').nth(1);
  await first.getByText('Failed 3 times in a row').waitFor();
  await first.getByText('Never succeeded.').filter({ visible: true }).waitFor();
  await first.getByText('No space left on device').filter({ visible: true }).waitFor();
  await expectAccessible(page, 'work that fails');
});
