// How verification runs: beside orders, in ranges, cancelled, shared. When it halts an account or lifts a halt.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { verifyLedger } from '../../src/features/verification/verify-ledger.ts';
import { type Database, inEachGroup, StatementFailed } from '../../src/platform/database/database.ts';
import { publicId } from '../../src/shared/identifiers.ts';
import {
  aDayOff,
  falsify,
  forgetDays,
  isHalted,
  keepBooks,
  order,
  verify,
} from '../harness/falsified-books.ts';
import type { Watcher } from '../harness/watched-transaction.ts';

const shortRanges = { entries: 2, customers: 1, events: 1 };

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

test('an account that was halted answers replays, and reads, as before', async () => {
  const reseller = await keepBooks(service);
  const first = await order(service, reseller, `replayed-${reseller.id}`);
  const id = `where id = ${reseller.id}`;
  await falsify(service, reseller, `update accounts set balance_cents = balance_cents + 1 ${id}`);
  await verify(service);
  const replay = await order(service, reseller, `replayed-${reseller.id}`);
  assert.equal(replay.status, 201);
  assert.deepEqual(replay.body, first.body);
  for (const path of ['/balance', '/orders', '/customers', '/packages']) {
    assert.equal((await reseller.get(path)).status, 200);
  }
  await falsify(service, reseller, `update accounts set balance_cents = balance_cents - 1 ${id}`);
  assert.equal((await verify(service)).ok, true);
});

test('an audit beside a stream of orders finds nothing and halts no account', async (context) => {
  // A separate database, because verifying the accounts of all earlier tests would take longer than the orders.
  const busy = await startTestService();
  context.after(() => busy.close());
  const resellers = await Promise.all([1, 2, 3].map(() => busy.createReseller({ credit: '400.00' })));
  const ordersEach = 40;
  let isOver = false;
  const adminsAction = async (reseller: TestAccount, index: number) => {
    const path = `/api/admin/v1/accounts/${reseller.id}`;
    const customer = `trial-${reseller.id}-${index}`;
    for (const { status, text } of [
      await busy.admin.post(`${path}/trials`, { package_id: busy.packages.trial, customer }),
      await busy.admin.post(`${path}/credit`, { amount: index % 8 === 3 ? '1.00' : '-0.50' }),
      await busy.admin.patch(`/api/admin/v1/customers/${publicId(reseller.id, 1)}`, {
        status: index % 8 === 3 ? 'suspended' : 'active',
      }),
    ]) {
      assert.ok(status === 200 || status === 201 || text.includes('insufficient_credit'), text);
    }
  };
  const streams = resellers.flatMap((reseller) =>
    [0, 1, 2].map(async (client) => {
      for (let index = 0; index < ordersEach; index += 1) {
        if (client === 0 && index % 4 === 3) await adminsAction(reseller, index);
        const packageId = index % 3 === 2 ? busy.packages.plus : busy.packages.basic;
        const customer = `busy-${reseller.id}-${client}-${Math.floor(index / 3)}`;
        const { status, text } = await reseller.post('/orders', { package_id: packageId, customer });
        assert.ok(status === 201 || text.includes('insufficient_credit'), text);
      }
    }),
  );
  const ended = Promise.all(streams).finally(() => {
    isOver = true;
  });
  const days = createDailyTotals(busy.database);
  for (let round = 0; round < 2 || !isOver; round += 1) {
    await days.bringAllUpToDate();
    // One run has such short ranges that many orders come between them.
    const options = round === 1 ? { ranges: shortRanges } : {};
    const report = await verifyLedger(busy.database, 0, options);
    assert.deepEqual(report.problems, []);
  }
  await ended;
});

describe('an audit in ranges', () => {
  // A problem found within one range must also be found at the borders of ranges, and no other problem.
  test('sees the same problems, no matter what its ranges are', async () => {
    const [sound, broken, unruly] = [
      await keepBooks(service),
      await keepBooks(service),
      await keepBooks(service),
    ];
    await createDailyTotals(service.database).bringAllUpToDate();
    const reports = async () =>
      Promise.all(
        [2, 1_000].map(async (rows) => {
          const ranges = { entries: rows, customers: rows - 1, events: rows - 1 };
          return (await verifyLedger(service.database, service.clock.seconds, { ranges })).problems;
        }),
      );
    for (const problems of await reports()) assert.deepEqual(problems, []);
    for (const entry of [1, 4, 7]) {
      const change = async (sign: '+' | '-') => {
        const money = `update ledger_entries set amount_cents = amount_cents ${sign} 1 where account_id = ${broken.id} and number = ${entry}`;
        const end = `update orders set expires_at = ${aDayOff('expires_at', sign)} where account_id = ${unruly.id} and number = ${Math.min(entry, 4)}`;
        await falsify(service, broken, `${money}; ${forgetDays(broken)}`);
        await falsify(service, unruly, end);
      };
      await change('+');
      try {
        const [first, ...others] = await reports();
        const subjects = first?.map(({ account_id, subject }) => `${account_id} ${subject}`) ?? [];
        assert.ok(subjects.includes(`${broken.id} ledger entry ${entry}`), subjects.join());
        assert.ok(subjects.includes(`${unruly.id} order ${Math.min(entry, 4)}`), subjects.join());
        assert.ok(!subjects.some((subject) => subject.startsWith(`${sound.id} `)));
        for (const other of others) assert.deepEqual(other, first);
      } finally {
        await change('-');
      }
    }
    assert.equal((await verify(service)).ok, true);
  });

  test('can be cancelled between any two of them', async () => {
    const reason = new Error('enough');
    for (let statements = 0; statements < 12; statements += 1) {
      const controller = new AbortController();
      let left = statements;
      const counting = withQuery(service.database, async (send) => {
        if (left === 0) controller.abort(reason);
        left -= 1;
        return send();
      });
      const audit = verifyLedger(counting, 0, { signal: controller.signal, ranges: shortRanges });
      await assert.rejects(audit, reason);
      assert.ok(left >= -2, `it went on for ${-left} statements`);
    }
  });
});

describe('halting', () => {
  const spent = (id: number, sign: string) =>
    `update accounts set balance_cents = balance_cents ${sign} 1 where id = ${id}`;

  test('an account is halted when its problem is found, not when the audit ends', async () => {
    const reseller = await keepBooks(service);
    await falsify(service, reseller, spent(reseller.id, '+'));
    let halted: unknown = null;
    const watching = withQuery(service.database, async (send, { name }, values) => {
      if (name === 'verify_history' && values?.[0] === reseller.id) {
        const [row] = await service.database.query({
          name: '',
          text: `select halted_at is not null as halted from accounts where id = ${reseller.id}`,
        });
        halted = row?.['halted'];
      }
      return send();
    });
    await verifyLedger(watching, service.clock.seconds);
    assert.equal(halted, true);
    await falsify(service, reseller, spent(reseller.id, '-'));
    assert.equal((await verify(service)).ok, true);
  });

  test('an older, slower audit never lifts a newer halt', async () => {
    const reseller = await keepBooks(service);
    await falsify(service, reseller, spent(reseller.id, '+'));
    await verify(service);
    await isHalted(service, reseller);
    await falsify(service, reseller, spent(reseller.id, '-'));
    // This run finds the account right. Before it says so, the account breaks, and another run sees that.
    const slow = withQuery(service.database, async (send, { name }, values) => {
      if (name === 'lift_halt' && values?.[0] === reseller.id) {
        await falsify(service, reseller, spent(reseller.id, '+'));
        assert.equal((await verify(service)).ok, false);
      }
      return send();
    });
    assert.deepEqual(
      (await verifyLedger(slow, service.clock.seconds)).problems,
      [],
      'the older one saw nothing',
    );
    await isHalted(service, reseller);
    await falsify(service, reseller, spent(reseller.id, '-'));
    assert.equal((await verify(service)).ok, true);
    assert.equal((await order(service, reseller, `free-${reseller.id}`)).status, 201);
  });
});

describe('GET /verify while an audit runs', () => {
  let held: TestService;
  /** Holds verifications before they read an account. */
  let gate = Promise.resolve();
  let audits = 0;
  const waitMilliseconds = 300;
  before(async () => {
    held = await startTestService({
      limits: { verify: { waitMilliseconds } },
      wrapDatabase: (database) =>
        withQuery(database, async (send, { name }) => {
          if (name === 'read_halt_count') audits += 1;
          if (name === 'verify_list_accounts') await gate;
          return send();
        }),
    });
  });
  after(() => held.close());

  test('many who ask share one audit, and one that takes too long answers anyone who asks next', async (context) => {
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    context.after(() => opened.resolve());
    audits = 0;
    const path = '/api/admin/v1/verify';
    const asked = await Promise.all(Array.from({ length: 12 }, () => held.admin.get(path)));
    for (const { status, headers, body } of asked) {
      assert.equal(status, 503);
      assert.equal(body.error.code, 'service_unavailable');
      assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    assert.equal((await held.admin.get('/api/admin/v1/audit')).status, 200, 'others are served meanwhile');
    opened.resolve();
    let answer = await held.admin.get(path);
    while (answer.status === 503) answer = await held.admin.get(path);
    assert.equal(answer.body.ok, true);
    assert.equal(audits, 1);
  });
});

/** The same database, with a function that is called before each statement outside transactions. */
function withQuery(database: Database, before: Watcher): Database {
  return inEachGroup(database, (each) => ({
    ...each,
    query: (statement, values, rank) => before(() => each.query(statement, values, rank), statement, values),
  }));
}

describe('history is append-only, also in psql', () => {
  let reseller: TestAccount;
  before(async () => {
    reseller = await keepBooks(service);
  });
  for (const table of ['orders', 'ledger_entries', 'plan_changes', 'audit_log']) {
    for (const statement of [
      `update ${table} set number = number`,
      // The trigger of plan_changes looks at rows, because erasing a customer removes reasons.
      ...(table === 'plan_changes' ? [] : [`update ${table} set number = number where false`]),
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      test(`${statement} is refused`, async () => {
        const ofGroup = service.database.ofAccount(reseller.id);
        const [counted] = await ofGroup.query({ name: '', text: `select count(*) from ${table}` });
        assert.ok(Number(counted?.['count']) > 0);
        await assert.rejects(
          () => ofGroup.query({ name: '', text: statement }),
          (error) =>
            error instanceof StatementFailed &&
            error.code === '55000' &&
            /is append-only: \w+ refused/.test(error.message),
        );
        assert.deepEqual(await ofGroup.query({ name: '', text: `select count(*) from ${table}` }), [counted]);
      });
    }
  }
});
