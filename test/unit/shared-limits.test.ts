// Shared limits without a real server: several simulated processes use a stand-in.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { createSharedRequestCounts } from '../../src/platform/limits/distributed-rate-limit.ts';
import { createSharedAttemptCounts } from '../../src/platform/limits/distributed-sign-in-throttle.ts';
import { createLimitServer, type LimitServer } from '../../src/platform/limits/limit-server.ts';
import { createRequestCounts, type RequestCounts } from '../../src/platform/limits/request-counts.ts';
import { createAttemptCounts, createAttemptThrottle } from '../../src/platform/limits/sign-in-throttle.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { isRefusal } from '../../src/shared/error-catalog.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';
import { type LimitStandIn, startLimitStandIn } from '../harness/limit-stand-in.ts';

const windowMilliseconds = 60_000;
const { leaseMilliseconds } = defaultLimits.sharedLimits;
let standIn: LimitStandIn;
let clock = 1_000_000;
const processes: Process[] = [];
before(async () => {
  standIn = await startLimitStandIn();
});
after(() => standIn.close());
afterEach(async () => {
  for (const { close } of processes.splice(0)) await close();
});
beforeEach(() => {
  standIn.manner = 'model';
  standIn.model.clear();
  standIn.calls.length = 0;
  standIn.now = () => clock * 1000;
});

interface Process {
  readonly server: LimitServer;
  readonly counts: RequestCounts;
  readonly said: readonly string[];
  readonly isBack: () => Promise<void>;
  close(): Promise<void>;
}

interface ProcessOptions {
  readonly restMilliseconds?: number;
  readonly answerMilliseconds?: number;
}

async function startProcess({
  restMilliseconds = 20,
  answerMilliseconds = 60_000,
}: ProcessOptions = {}): Promise<Process> {
  const said: string[] = [];
  const monotonicNow = () => clock;
  const news = new EventTarget();
  const server = createLimitServer({
    address: standIn.address,
    limits: { ...defaultLimits.sharedLimits, restMilliseconds, answerMilliseconds },
    monotonicNow,
    onAway: (reason) => void said.push(`away: ${reason}`),
    onBack() {
      said.push('back');
      news.dispatchEvent(new Event('back'));
    },
  });
  await server.tried;
  const local = createRequestCounts({ monotonicNow, ...defaultLimits.rates });
  const counts = createSharedRequestCounts({ server, local, monotonicNow });
  const one = {
    server,
    counts,
    said,
    async isBack() {
      while (server.thereSince() === null) await once(news, 'back');
    },
    async close() {
      counts.close();
      await server.close();
    },
  };
  processes.push(one);
  return one;
}

function account(limit: number, id = 1) {
  return [{ kind: 'account', id, limit }] as const;
}

async function isAdmitted(counts: RequestCounts, windows: Parameters<RequestCounts['take']>[0]) {
  return (await counts.take(windows)).refusedBy === null;
}

test('what one turn of the event loop asks travels as one call', async () => {
  const { counts } = await startProcess();
  const calls = standIn.count();
  const asked = [];
  for (let id = 1; id <= 20; id += 1) {
    asked.push(
      counts.take(account(60, id)),
      counts.take([{ kind: 'failure', id: `192.0.2.${id}`, limit: 300 }]),
    );
    asked.push(counts.peek(account(60, id)));
  }
  await Promise.all(asked);
  assert.equal(standIn.count() - calls, 1);
});

test('three processes admit exactly what one would, and say of each request what one would', async (context) => {
  context.diagnostic(`seed ${seed}`);
  const random = createRandom(seed);
  const three = [await startProcess(), await startProcess(), await startProcess()];
  const alone = createRequestCounts({ monotonicNow: () => clock, ...defaultLimits.rates });
  const windows = {
    account: account(60),
    key: [{ kind: 'key', id: 5, limit: 20 }, ...account(60)],
    session: [
      { kind: 'session', id: 'a', limit: 20 },
      { kind: 'panel', id: 1, limit: 30 },
    ],
    visit: [{ kind: 'session', id: 'link', limit: 10 }],
    change: [{ kind: 'change', id: 'deed 1', limit: 3 }],
    lookup: [
      { kind: 'lookup', id: 'near', limit: 20 },
      { kind: 'lookup', id: 'wide', limit: 80 },
    ],
  } as const;
  const names = ['account', 'key', 'session', 'visit', 'change', 'lookup'] as const;
  let refused = 0;
  for (let done = 0; done < 1_500; done += 1) {
    clock += random.pick([0, 0, 0, 1, 40, 900, 20_000]);
    const name = random.pick(names);
    const { counts } = random.pick(three);
    const chosen = windows[name];
    if (random.below(10) === 0) {
      assert.deepEqual(await counts.peek(chosen), alone.peek(chosen), `peek at ${name}`);
      continue;
    }
    const isInTurn = name === 'session';
    const taken = isInTurn ? await counts.takeInTurn(chosen) : await counts.take(chosen);
    const expected = isInTurn ? alone.takeInTurn(chosen) : alone.take(chosen);
    assert.equal(taken.refusedBy, expected.refusedBy, `request ${done}, of ${name}`);
    const emitted = taken.refusedBy ?? chosen.length - 1;
    assert.deepEqual(
      strip(taken.states[emitted]),
      strip(expected.states[emitted]),
      `request ${done}, of ${name}`,
    );
    if (expected.refusedBy !== null) refused += 1;
    else if (random.below(4) === 0) {
      counts.giveBack(chosen, taken.moments);
      alone.giveBack(chosen, null);
      await arrived(counts);
    } else if (name === 'key' && random.below(3) === 0) {
      const count = 2 + random.below(25);
      const all = await counts.takeMany(chosen, count, { at: clock, moments: taken.moments });
      const many = alone.takeMany(chosen, count, { at: clock, moments: null });
      assert.equal(all.refusedBy, many.refusedBy, `${count} at once`);
      if (many.refusedBy !== null) assert.equal(all.waitSeconds, many.waitSeconds, `${count} at once`);
    }
  }
  assert.ok(refused > 150, `${refused} were refused`);
  assert.deepEqual(
    three.flatMap(({ said }) => said),
    ['back', 'back', 'back'],
  );
});

/** The local count also says whether it admitted the request, so remove that. */
function strip(state: object | undefined) {
  const { admitted: _admitted, ...rest } = { admitted: true, ...state };
  return rest;
}

describe('an account that is busy', () => {
  test('is reserved: most of its requests wait for no answer, and no window of uses holds more than the limit', async () => {
    const three = [await startProcess(), await startProcess(), await startProcess()];
    const limit = 1_000;
    const uses: number[] = [];
    let atOnce = 0;
    let heldMost = 0;
    const begin = clock;
    // 60 a second use up reservations slowly. Then, just before the first ones expire, as many requests as possible.
    for (const [from, step, turns] of [
      [0, 17, 1_100],
      [59_900, 10, 600],
    ] as const) {
      clock = begin + from;
      for (let turn = 0; turn < turns; turn += 1) {
        const process = three[turn % 3];
        if (process === undefined) break;
        clock += step;
        const taking = process.counts.take(account(limit));
        if (!(taking instanceof Promise)) atOnce += 1;
        const { refusedBy } = taking instanceof Promise ? await taking : taking;
        if (refusedBy === null) uses.push(clock);
        if (turn % 6 < 3) await arrived(process.counts);
        if (turn % 10 !== 0) continue;
        const held =
          standIn.model.size('sellthrough:1:account:1') -
          uses.filter((at) => at > clock - windowMilliseconds - leaseMilliseconds).length;
        heldMost = Math.max(heldMost, held);
      }
    }
    for (const [place, at] of uses.entries()) {
      const other = uses[place + limit];
      assert.ok(other === undefined || other - at >= windowMilliseconds, `${limit + 1} within 60 seconds`);
    }
    assert.ok(uses.length > 1_200, `${uses.length} were admitted`);
    assert.ok(atOnce > uses.length / 2, `${atOnce} of ${uses.length} waited for nothing`);
    assert.ok(heldMost > 0 && heldMost <= 3 * limit * 0.01, `${heldMost} were held`);
  });

  test('with a limit of 60 a minute is never reserved', async () => {
    const { counts } = await startProcess();
    for (let done = 0; done < 60; done += 1) {
      const taking = counts.take(account(60));
      assert.ok(taking instanceof Promise);
      assert.equal((await taking).refusedBy, null);
      clock += 1;
    }
    assert.equal(standIn.model.size('sellthrough:1:account:1'), 60);
    assert.equal(await isAdmitted(counts, account(60)), false);
  });

  test('that becomes idle gives back what it did not use', async () => {
    const one = await startProcess();
    for (let done = 0; done < 40; done += 1) {
      await one.counts.take(account(6_000));
      clock += 1;
    }
    await arrived(one.counts);
    assert.ok(standIn.model.size('sellthrough:1:account:1') > 40, 'some are held');
    clock += 600;
    while (standIn.model.size('sellthrough:1:account:1') > 40) await pause(1);
  });
});

async function arrived(counts: RequestCounts): Promise<void> {
  await counts.peek([{ kind: 'failure', id: 'no-such', limit: 1 }]);
}

describe('a server that', () => {
  test('does not answer is waited for once; then each process counts for itself and asks nothing until it is back', async (context) => {
    // Mock the timers, so that only simulated time passes on a busy machine.
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { answerMilliseconds, restMilliseconds } = defaultLimits.sharedLimits;
    const pass = (milliseconds: number) => {
      clock += milliseconds;
      context.mock.timers.tick(milliseconds);
    };
    const one = await startProcess({ restMilliseconds, answerMilliseconds });
    assert.equal(await isAdmitted(one.counts, account(3)), true);
    standIn.manner = 'silence';
    const before = standIn.count();
    const asked = Promise.all([one.counts.take(account(3)), one.counts.take(account(3))]);
    while (standIn.count() === before) await nextTurn();
    pass(answerMilliseconds);
    assert.deepEqual(
      (await asked).map(({ refusedBy }) => refusedBy),
      [null, null],
    );
    const fourth = one.counts.take(account(3));
    assert.ok(!(fourth instanceof Promise), 'it is answered at once');
    assert.equal(fourth.refusedBy, 0, 'what it had admitted before counts');
    standIn.manner = 'model';
    pass(restMilliseconds - 1);
    await nextTurn();
    assert.deepEqual([standIn.count() - before, one.server.thereSince()], [1, null]);
    pass(1);
    await one.isBack();
    assert.deepEqual(one.said, ['back', 'away: no answer within 50 ms', 'back']);
    assert.equal(standIn.calls.length, 2, 'it is tried with a call of no operations');
  });

  test('was restarted has forgotten everything: a process still admits no more than its own count allows', async () => {
    const one = await startProcess();
    const other = await startProcess();
    for (const { counts } of [one, one, other]) assert.equal(await isAdmitted(counts, account(3)), true);
    assert.equal(await isAdmitted(other.counts, account(3)), false);
    standIn.restart();
    await Promise.all([one, other].map(becomesAway));
    await Promise.all([one.isBack(), other.isBack()]);
    assert.equal(await isAdmitted(one.counts, account(3)), true);
    assert.equal(await isAdmitted(one.counts, account(3)), false, 'three in all');
    assert.equal(await isAdmitted(other.counts, account(3)), true);
    clock += windowMilliseconds;
    const three = [one, other, one];
    for (const { counts } of three) assert.equal(await isAdmitted(counts, account(3)), true);
    assert.equal(await isAdmitted(other.counts, account(3)), false);
  });

  const errors = [
    'error WRONGTYPE Operation against a key holding the wrong kind of value',
    "error OOM command not allowed when used memory > 'maxmemory'.",
    "error READONLY You can't write against a read only replica.",
    'error NOAUTH Authentication required.',
    'error LOADING Redis is loading the dataset in memory',
    'text',
  ] as const;
  for (const manner of errors) {
    test(`answers "${manner}" is not used until it answers well`, async () => {
      const one = await startProcess();
      standIn.manner = manner;
      assert.equal(await isAdmitted(one.counts, account(2)), true);
      assert.equal(await isAdmitted(one.counts, account(2)), true);
      assert.equal(await isAdmitted(one.counts, account(2)), false, 'each process counts for itself');
      assert.equal(one.said.length, 2);
      const reason = manner === 'text' ? 'it sent an invalid answer' : manner.slice(6);
      assert.equal(one.said[1], `away: ${reason}`);
      standIn.manner = 'model';
      await one.isBack();
      assert.equal(one.said.length, 3);
    });
  }

  test('has moments an hour ahead, of a restored state or a clock that was set back, keeps no one out for longer than a window', async () => {
    const one = await startProcess();
    clock += 3_600_000;
    for (let done = 0; done < 3; done += 1) await one.counts.take(account(3));
    clock -= 3_600_000;
    const other = await startProcess();
    assert.equal(await isAdmitted(other.counts, account(3)), false);
    clock += windowMilliseconds + defaultLimits.sharedLimits.leaseMilliseconds;
    assert.equal(await isAdmitted(other.counts, account(3)), true);
  });
});

async function becomesAway({ said }: Process): Promise<void> {
  while (!said.some((what) => what.startsWith('away'))) await nextTurn();
}

describe('failed sign-ins', () => {
  async function startThrottle() {
    const { server, counts } = await startProcess();
    const local = createAttemptCounts(() => clock, defaultLimits.attempts);
    const shared = createSharedAttemptCounts({
      server,
      local,
      limits: defaultLimits.attempts,
      monotonicNow: () => clock,
    });
    return { counts, throttle: createAttemptThrottle(() => clock, defaultLimits.attempts, shared) };
  }

  test('are slowed down over all processes as in one', async (context) => {
    context.diagnostic(`seed ${seed}`);
    const random = createRandom(seed);
    const three = [await startThrottle(), await startThrottle(), await startThrottle()];
    const alone = createAttemptThrottle(() => clock, defaultLimits.attempts);
    let refused = 0;
    for (let done = 0; done < 800; done += 1) {
      clock += random.pick([0, 1, 500, 1_000, 4_000, 60_000]);
      const name = random.pick(['ada', 'bob', 'cleo']);
      const address = random.pick(['192.0.2.1', '2001:db8:1:1::1', '2001:db8:1:2::1']);
      const outcome = random.pick(['wrong', 'wrong', 'wrong', 'wrong', 'wrong', 'wrong', 'right', 'broken']);
      const check = async () => {
        if (outcome === 'broken') throw new Error('away');
        return outcome === 'right';
      };
      const isCode = random.below(5) === 0;
      const ask = (throttle: typeof alone) =>
        (isCode ? throttle.tryCode(7, check) : throttle.tryPassword(name, address, check)).catch(
          () => 'broken',
        );
      const expected = await ask(alone);
      const { throttle, counts } = random.pick(three);
      const answer = await ask(throttle);
      await arrived(counts);
      assert.deepEqual(answer, expected, `try ${done}: ${outcome} for ${name} from ${address}`);
      if (typeof expected === 'object' && isRefusal(expected)) refused += 1;
    }
    assert.ok(refused > 40, `${refused} were refused`);
  });

  test('names are sent as hashes: they may be passwords that were typed in the wrong place', async () => {
    const { throttle } = await startThrottle();
    await throttle.tryPassword('correct horse battery', '192.0.2.1', async () => false);
    assert.ok(standIn.calls.length > 0);
    assert.equal(standIn.model.size('sellthrough:1:sign-in:192.0.2.1'), 1);
    assert.doesNotMatch(standIn.calls.join('\n'), /horse/);
  });
});
