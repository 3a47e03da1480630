// Kills the service repeatedly while a test clock moves by ten years, repeating the move until it is answered. The final
// state must equal that of a move without kills. CLOCK_KILLS lengthens it.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type ApiClient, createApiClient } from '../scripts/throwaway/api-client.ts';
import { startThrowawayPostgres } from '../scripts/throwaway-postgres.ts';
import { mintApiKey } from '../src/features/identity/api-key.ts';
import { createRandom } from '../src/setup/demo-year/seeded-random.ts';
import { fixedSeed as seed } from '../test/harness/fixed-seed.ts';
import { lastEventOf, listsProblem, type Party } from './machines/compared-lists.ts';
import { readAll } from './machines/journal.ts';
import { type ServiceProcess, startServiceProcess } from './machines/service-process.ts';
import { createTestMode, type EmittedAt, type TestMode } from './oracle/oracle-test-mode.ts';
import { ownId, timeText } from './oracle/shown-plans.ts';

const killsWanted = Number(process.env['CLOCK_KILLS'] ?? 2);
const customerCount = 40;
/** The credit is spent within the ten years, so the last renewals are refused. */
const credit = '20000.00';
const delayMillisecondsMax = 400;
/** The oracle's id; the service's own does not matter. */
const accountId = 1;
const packageName = 'Small';
const prices = { monthly: '9.99', quarterly: '27.77', yearly: '99.00' };
const priceCents = { 1: 999n, 3: 2_777n, 12: 9_900n };
const tenYears = 'P3650D';
const secondsOfTenYears = 3_650 * 86_400;

describe('a move in which the service is killed', () => {
  // A repeated advance continues to the original destination: its key stands for the move (A132).
  for (const kind of ['now', 'advance'] as const)
    test(`comes to its end when it is sent again: ${kind}`, async (context) => {
      const postgres = await startThrowawayPostgres();
      const adminKey = mintApiKey('live');
      const environment = {
        PORT: '0',
        DATABASE_URL: postgres.url,
        SECRET_KEY: randomBytes(32).toString('hex'),
        ADMIN_API_KEY: adminKey,
      };
      let service: ServiceProcess = await startServiceProcess({ environment });
      context.after(async () => {
        service.kill('SIGKILL');
        await service.gone;
        await postgres.remove();
      });
      const { packageId, key } = await makeTestAccount(createApiClient(service.address, adminKey));
      const client = () => createApiClient(service.address, key);
      const party = await partyOf(client());
      const begunAt = await clockOf(client());
      const { tests, emitted } = createWorld(packageId, begunAt);
      emitted.push(...(await fill(client(), party.id, packageId, tests, begunAt)));

      const destination = begunAt + secondsOfTenYears;
      const body = kind === 'now' ? { now: timeText(destination) } : { advance: tenYears };
      const moved = tests.moveClock({ accountId, body });
      assert.ok('emitted' in moved && moved.clockAt === destination);
      emitted.push(...moved.emitted);

      const random = createRandom(seed);
      const send = () => client().post('/test/clock', body, { 'idempotency-key': 'the-move' });
      let halfway = 0;
      for (let kills = 0; kills < killsWanted; kills += 1) {
        const answered = send().catch(() => null);
        // The first kill comes after the clock has begun to move, the others at any time.
        if (kills === 0) await untilMoved(client(), begunAt);
        else await pause(random.below(delayMillisecondsMax));
        service.kill('SIGKILL');
        await Promise.all([answered, service.gone]);
        service = await startServiceProcess({ environment });
        const reached = await clockOf(client());
        assert.ok(reached >= begunAt && reached <= destination, `the clock is at ${timeText(reached)}`);
        if (reached > begunAt && reached < destination) halfway += 1;
      }
      assert.ok(halfway > 0, 'one of them came halfway');
      let last = await untilFree(send);
      // A long move comes in parts: the rest is requested by its time.
      while (last.body.reached === false)
        last = await untilFree(() => client().post('/test/clock', { now: timeText(destination) }));

      assert.equal(await clockOf(client()), destination);
      const packages = [{ id: packageId, name: packageName }];
      const { oracle } = tests;
      const expected = {
        oracle,
        accountId,
        now: destination,
        mode: 'test',
        feed: emitted,
        packages,
      } as const;
      assert.equal(await listsProblem({ ...party, client: client() }, expected), null);
      const { body: report } = await createApiClient(service.address, adminKey).get('/api/admin/v1/verify');
      assert.deepEqual(report.problems, []);
      context.diagnostic(
        `${killsWanted} kills, ${halfway} of them halfway, seed ${seed}; ${JSON.stringify(moved.happened)}`,
      );
    });
});

async function untilMoved(client: ApiClient, begunAt: number): Promise<void> {
  while ((await clockOf(client)) === begunAt) await pause(1);
}

async function makeTestAccount(admin: ApiClient): Promise<{ packageId: number; key: string }> {
  const sold = await admin.post('/api/admin/v1/packages', {
    name: packageName,
    limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
    prices: { reseller: prices, distributor: prices },
  });
  assert.equal(sold.status, 201, sold.text);
  const account = { username: 'killed', group: 'reseller', rate_limit_per_minute: 1_000_000 };
  const created = await admin.post('/api/admin/v1/accounts', account);
  assert.equal(created.status, 201, created.text);
  const keys = `/api/admin/v1/accounts/${created.body.account.id}/keys`;
  const made = await admin.post(keys, { name: 'killed', test: true });
  assert.equal(made.status, 201, made.text);
  return { packageId: sold.body.package.id, key: made.body.api_key };
}

async function partyOf(client: ApiClient): Promise<Party> {
  const heardUntil = await lastEventOf(client);
  const [first] = await readAll(client, '/ledger');
  return { client, id: Math.floor(Number(first?.['id']) / ownId(1, 0)), heardUntil };
}

function createWorld(packageId: number, begunAt: number): { tests: TestMode; emitted: EmittedAt[] } {
  const each = { reseller: priceCents, distributor: priceCents };
  const sold = { id: packageId, name: packageName, trial: false, retired: false, durationDays: 30 };
  const tests = createTestMode({
    packages: [{ ...sold, prices: each }],
    accounts: [{ id: accountId, group: 'reseller', balanceCents: 0n }],
  });
  tests.useTestAccount(accountId, begunAt);
  return { tests, emitted: [] };
}

/** Creates customers with automatic renewal in the service and in the oracle. @returns the oracle's events */
async function fill(
  client: ApiClient,
  id: number,
  packageId: number,
  tests: TestMode,
  now: number,
): Promise<EmittedAt[]> {
  const { oracle, events } = tests;
  const emitted: EmittedAt[] = [];
  const was = events.before(accountId);
  await expectDone(client.post('/test/credit', { amount: credit }));
  const credited = tests.credit({ accountId, body: { amount: credit } });
  assert.ok('balanceAfterCents' in credited);
  const owed = events.credited(was, credited.balanceAfterCents - was.balanceCents);
  emitted.push(...owed.map(({ text }) => ({ at: now, text })));
  for (let number = 1; number <= customerCount; number += 1) {
    const before = events.before(accountId);
    const body = { package_id: packageId, customer: `c-${number}`, months: number % 5 === 0 ? 3 : 1 };
    const headerKey = `order-${number}`;
    await expectDone(client.post('/orders', body, { 'idempotency-key': headerKey }));
    const placed = oracle.placeOrder({ accountId, body, headerKey }, now);
    assert.ok('order' in placed);
    emitted.push(...events.ordered(before, placed.order, now).map(({ text }) => ({ at: now, text })));
    const renewing = { months: number % 7 === 0 ? 3 : 1, hours_before: 1 + (number % 9) * 12 };
    const path = `/customers/${ownId(id, number)}/auto-renew`;
    await expectDone(client.send('PUT', path, renewing));
    const set = oracle.setAutoRenew({ accountId, customerId: String(number), body: renewing }, now);
    assert.ok('customer' in set);
  }
  return emitted;
}

async function expectDone(answering: Promise<Answer>): Promise<void> {
  const { status, text } = await answering;
  assert.ok(status === 200 || status === 201, text);
}

async function clockOf(client: ApiClient): Promise<number> {
  const { body, text } = await client.get('/test/clock');
  assert.equal(typeof body?.clock?.now, 'string', text);
  return Date.parse(body.clock.now) / 1_000;
}

const patienceMilliseconds = 60_000;

/** Retries while the killed process still holds the clock. Its lock expires soon. */
async function untilFree(send: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + patienceMilliseconds;
  for (;;) {
    const answer = await send();
    if (answer.status === 200) return answer;
    assert.equal(answer.body?.error?.code, 'clock_moving', answer.text);
    assert.ok(performance.now() < until, 'the move is never free again');
    await pause(100);
  }
}
