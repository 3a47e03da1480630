// The last call that the product accepted equals the entitlement, even after the product was away.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { sqlOf } from '../harness/group-sql.ts';
import {
  type ProductAnswer,
  type ProductReceiver,
  type ReceivedCall,
  startProductReceiver,
} from '../harness/product-receiver.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { beginProductCalls, endProductCalls, impatientCalls } from '../harness/run-product-calls.ts';
import { runRenewals } from '../harness/run-renewals.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';

const hour = 3_600;
const productCalls = '/api/admin/v1/product-calls';
let service: TestService;
let product: ProductReceiver;
/** The calls that the product accepted, oldest first. A repeated id gets the first answer. */
let took: ReceivedCall[] = [];
let isAway = false;

before(async () => {
  service = await startTestService({
    limits: { outbound: { callMilliseconds: 2_000 }, productCalls: impatientCalls },
  });
});
after(() => service.close());
beforeEach(async () => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
  // From here on, ends of plans are recorded.
  await runPlanEnds(service);
  product = await startProductReceiver();
  took = [];
  isAway = false;
  answerWith(() => ({ status: 204 }));
});
afterEach(async () => {
  await endProductCalls(service);
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  await product.close();
});

function answerWith(how: (call: ReceivedCall) => ProductAnswer): void {
  product.answer((call) => {
    if (isAway) return { status: 503 };
    const answer = how(call);
    if (answer !== null && answer !== 'cut' && answer.status < 300 && !took.some(({ id }) => id === call.id))
      took.push(call);
    return answer;
  });
}

async function connect(mode: 'notify' | 'confirm'): Promise<void> {
  const { url, secret } = product;
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', { mode, url, secret }), 200);
  await beginProductCalls(service);
}

async function scene(mode: 'notify' | 'confirm' = 'confirm') {
  await connect(mode);
  const account = await service.createReseller({ credit: '5000.00' });
  const reference = `ada-${account.id}`;
  let path = '';
  const order = async (body: object = {}) => {
    const placed = await placeOrder(service, account, { customer: reference, ...body });
    path = `/customers/${placed.order.customer.id}`;
    if (!isAway) await quiet();
    return placed.order;
  };
  const act = async (what: string, body: object = {}) =>
    expectStatus(await account.post(`${path}/${what}`, body), 200);
  const hold = async (status: string) =>
    expectStatus(await service.admin.patch(`/api/admin/v1${path}`, { status }), 200);
  const renewByItself = async () =>
    expectStatus(await account.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
  const waiting = async () => {
    const text = `select type, attempts from product_calls where status = 'waiting' and account_id = ${account.id}`;
    return sqlOf(service, account, `${text} order by id`);
  };
  /** The product is away, and every call that can be sent was attempted. */
  const goesAway = async () => {
    await quiet();
    isAway = true;
  };
  const attempted = async () => {
    while (!(await waiting()).every((row) => Number(row['attempts']) > 0)) await pauseShortly();
  };
  const quiet = async () => {
    while ((await waiting()).length > 0) {
      service.clock.seconds += 1;
      await pauseShortly();
    }
  };
  const returns = async () => {
    isAway = false;
    service.clock.seconds += hour;
    await quiet();
  };
  const callId = async (type: string) => {
    const text = `select call_id from product_calls where type = '${type}' and account_id = ${account.id}`;
    const [row] = await sqlOf(service, account, `${text} order by id desc limit 1`);
    return String(row?.['call_id']);
  };
  const runOut = async () => {
    const text = `update product_calls set status = 'attention' where status = 'waiting'`;
    await sqlOf(service, account, `${text} and account_id = ${account.id} and attempts > 0`);
  };
  const orderStatus = async (id: number) =>
    expectStatus(await account.get(`/orders/${id}`), 200).order.status;
  const entitlement = async () =>
    expectStatus(await service.admin.get(`/api/product/v1/entitlements/${reference}`), 200);
  const taken = () => took.filter(({ data }) => data.customer.reference === reference);
  /** @returns the types of the calls that the product accepted, oldest first */
  const agree = async (): Promise<string[]> => {
    await quiet();
    const [last] = taken().slice(-1);
    const { status, starts_at, expires_at, limits, features, package: of } = await entitlement();
    assert.partialDeepStrictEqual(last?.data, {
      status,
      starts_at,
      expires_at,
      limits,
      features,
      package: of,
    });
    return taken().map(({ type }) => type);
  };
  return {
    ...{ account, reference, order, act, hold, renewByItself, goesAway, attempted, returns, quiet },
    ...{ orderStatus, entitlement, taken, agree, callId, runOut },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const pauseShortly = () => new Promise((resolve) => setTimeout(resolve, 10));

describe('the last call that the product took equals the entitlement', () => {
  test('after a first order during which the customer was suspended and resumed', async () => {
    const { order, act, goesAway, attempted, returns, agree, entitlement } = await scene();
    await goesAway();
    await order();
    await attempted();
    await act('suspend');
    await act('resume');
    await returns();
    assert.deepEqual(await agree(), ['plan.activate']);
    assert.equal((await entitlement()).active, true);
  });

  test('after a change of package during which the customer was suspended and resumed', async () => {
    const { order, act, goesAway, attempted, returns, agree, entitlement } = await scene();
    await order();
    await goesAway();
    await order({ package_id: service.packages.plus, months: 12 });
    await attempted();
    await act('suspend');
    await act('resume');
    await returns();
    assert.deepEqual(await agree(), ['plan.activate', 'plan.change']);
    assert.equal((await entitlement()).package.name, 'Plus');
  });

  test('after a renewal that was pending over the end of the plan', async () => {
    const { order, renewByItself, goesAway, attempted, returns, agree, entitlement } = await scene();
    await order();
    await renewByItself();
    await goesAway();
    service.clock.seconds = secondsOf('2026-02-27T10:00:00Z');
    await runRenewals(service);
    await attempted();
    service.clock.seconds = secondsOf('2026-02-28T16:00:00Z');
    await runPlanEnds(service);
    await returns();
    assert.deepEqual(await agree(), ['plan.activate', 'plan.renew']);
    assert.partialDeepStrictEqual(await entitlement(), {
      status: 'active',
      expires_at: '2026-03-31T10:00:00Z',
    });
  });

  test('after a suspended customer was resumed while a second order was pending', async () => {
    const { order, act, goesAway, attempted, returns, agree, entitlement } = await scene();
    await order();
    await act('suspend');
    await goesAway();
    await order();
    await attempted();
    await act('resume');
    await returns();
    assert.deepEqual(await agree(), ['plan.activate', 'plan.suspend', 'plan.renew', 'plan.resume']);
    assert.partialDeepStrictEqual(await entitlement(), {
      status: 'active',
      expires_at: '2026-03-31T10:00:00Z',
    });
  });

  test('after a cancelled and suspended customer was resumed while a new order was pending', async () => {
    const { order, act, goesAway, attempted, returns, agree, entitlement } = await scene();
    await order();
    await act('suspend');
    await act('cancel', { at: 'now' });
    await goesAway();
    await order();
    await attempted();
    await act('resume');
    await returns();
    assert.equal((await agree()).at(-1), 'plan.resume');
    assert.equal((await entitlement()).status, 'active');
  });

  test('after either hold was set while an order was pending, by one call', async () => {
    const { order, act, hold, goesAway, attempted, returns, agree } = await scene();
    await order();
    await goesAway();
    await order();
    await attempted();
    await hold('suspended');
    await act('suspend');
    await hold('active');
    await returns();
    assert.deepEqual(await agree(), ['plan.activate', 'plan.renew', 'plan.suspend']);
  });

  test('after an order that the product refused, and a hold that was set meanwhile', async () => {
    const { order, act, goesAway, attempted, returns, agree, orderStatus } = await scene();
    await order();
    await goesAway();
    const { id } = await order();
    await attempted();
    await act('suspend');
    answerWith((call) => (call.type === 'plan.renew' ? { status: 422, body: '{}' } : { status: 204 }));
    await returns();
    assert.equal(await orderStatus(id), 'failed');
    assert.deepEqual(await agree(), ['plan.activate', 'plan.suspend']);
  });

  test('after an order that was refused once the plan before it had ended', async () => {
    const { order, goesAway, attempted, returns, agree } = await scene();
    await order();
    await goesAway();
    service.clock.seconds = secondsOf('2026-02-28T09:00:00Z');
    await order();
    await attempted();
    service.clock.seconds = secondsOf('2026-02-28T12:00:00Z');
    await runPlanEnds(service);
    answerWith((call) => (call.type === 'plan.renew' ? { status: 422, body: '{}' } : { status: 204 }));
    await returns();
    assert.deepEqual(await agree(), ['plan.activate', 'plan.expire']);
  });

  test('after a refused order that changed nothing, without another call', async () => {
    const { order, agree, orderStatus } = await scene();
    await order();
    answerWith((call) => (call.type === 'plan.renew' ? { status: 422, body: '{}' } : { status: 204 }));
    const { id } = await order();
    assert.deepEqual(await agree(), ['plan.activate']);
    assert.equal(await orderStatus(id), 'failed');
  });

  test('after an order that was accepted when its own term was over', async () => {
    const { account, order, goesAway, attempted, agree } = await scene();
    await account.get('/events');
    await goesAway();
    const { id } = await order();
    await attempted();
    service.clock.seconds = secondsOf('2026-03-05T10:00:00Z');
    await runPlanEnds(service);
    expectStatus(await service.admin.post(`/api/admin/v1/orders/${id}/accept`, {}), 200);
    isAway = false;
    // An attempt that was running may have been accepted before.
    assert.equal((await agree()).at(-1), 'plan.expire');
    const { data } = expectStatus(await account.get('/events?type=plan.expired'), 200);
    assert.deepEqual(
      data.map((event: { data: { customer: { id: number } } }) => event.data.customer.id % 1_000_000_000),
      [1],
    );
    await runPlanEnds(service);
    assert.equal(expectStatus(await account.get('/events?type=plan.expired'), 200).data.length, 1);
  });

  test('after holds that were waiting for a product that was away', async () => {
    const { order, act, goesAway, attempted, returns, agree, taken } = await scene('notify');
    await order();
    await goesAway();
    await act('suspend');
    await attempted();
    await act('resume');
    await act('suspend');
    await act('resume');
    await returns();
    await agree();
    const said = taken().map(({ type, data }) => `${type} ${data.status}`);
    // The first call was attempted before the others existed, and all of its attempts are identical.
    assert.deepEqual(said, [
      'plan.activate active',
      'plan.suspend suspended',
      'plan.resume active',
      'plan.suspend active',
      'plan.resume active',
    ]);
  });

  test('after an order that was accepted by hand while an earlier call waited for its next attempt', async () => {
    const { order, act, goesAway, attempted, returns, agree, entitlement } = await scene();
    await order();
    await goesAway();
    await act('cancel', { at: 'now' });
    await attempted();
    const { id } = await order();
    expectStatus(await service.admin.post(`/api/admin/v1/orders/${id}/accept`, {}), 200);
    await returns();
    assert.deepEqual(await agree(), ['plan.activate', 'plan.resume']);
    assert.equal((await entitlement()).status, 'active');
  });

  test('after a call was done by hand while an earlier one waited for its next attempt', async () => {
    const { order, act, callId, goesAway, attempted, returns, agree } = await scene('notify');
    await order();
    await goesAway();
    await act('suspend');
    await attempted();
    await act('resume');
    expectStatus(await service.admin.post(`${productCalls}/${await callId('plan.resume')}/done`, {}), 200);
    await returns();
    assert.deepEqual(await agree(), ['plan.activate', 'plan.resume']);
  });

  for (const status of ['attention', 'superseded'] as const) {
    test(`after a call of status ${status} was done by hand that a later order had already overtaken`, async () => {
      const { account, order, act, callId, goesAway, attempted, runOut, returns, agree } = await scene();
      await order();
      await goesAway();
      await act('suspend');
      await attempted();
      const id = await callId('plan.suspend');
      const [old] = product.calls.slice(-1);
      await runOut();
      isAway = false;
      await order({ package_id: service.packages.plus });
      const statusOf = async () => {
        const [row] = await sqlOf(
          service,
          account,
          `select status from product_calls where call_id = '${id}'`,
        );
        return row?.['status'];
      };
      while ((await statusOf()) !== 'superseded') await pauseShortly();
      // The administrator opened the list before the order's call was accepted, and applies the old call by hand.
      await sqlOf(service, account, `update product_calls set status = '${status}' where call_id = '${id}'`);
      if (old !== undefined) took.push(old);
      for (const _ of ['first', 'again'])
        expectStatus(await service.admin.post(`${productCalls}/${id}/done`, {}), 200);
      await returns();
      assert.equal((await agree()).at(-1), 'plan.change');
      assert.equal(took.at(-1)?.id, `${id}_after`);
      assert.equal(product.calls.filter((call) => call.id === `${id}_after`).length, 1);
    });
  }

  for (const answer of ['takes', 'refuses'] as const) {
    test(`after a call was done by hand, while the product ${answer} a later order whose answer was lost`, async () => {
      const { order, act, callId, goesAway, attempted, runOut, returns, agree } = await scene();
      await order();
      await goesAway();
      await act('suspend');
      await attempted();
      const [old] = product.calls.slice(-1);
      await runOut();
      const { id } = await order({ package_id: service.packages.plus });
      const [decided] = await product.waitFor(1, ({ data }) => data.order_id === id);
      await attempted();
      // The product decided and its answer was lost. Then the administrator applies the old call by hand.
      if (decided !== undefined && answer === 'takes') took.push(decided);
      if (old !== undefined) took.push(old);
      const suspend = await callId('plan.suspend');
      expectStatus(await service.admin.post(`${productCalls}/${suspend}/done`, {}), 200);
      const isRefused = (call: ReceivedCall) => answer === 'refuses' && call.data.order_id === id;
      answerWith((call) => (isRefused(call) ? { status: 422, body: '{}' } : { status: 204 }));
      await returns();
      await agree();
    });
  }

  test('after a call was done by hand, while a later hold was taken whose answer was lost', async () => {
    const { order, act, callId, goesAway, attempted, runOut, returns, agree } = await scene('notify');
    await order();
    await goesAway();
    await act('suspend');
    await attempted();
    const [old] = product.calls.slice(-1);
    await runOut();
    await act('resume');
    const [decided] = await product.waitFor(1, ({ type }) => type === 'plan.resume');
    await attempted();
    if (decided !== undefined) took.push(decided);
    if (old !== undefined) took.push(old);
    const suspend = await callId('plan.suspend');
    expectStatus(await service.admin.post(`${productCalls}/${suspend}/done`, {}), 200);
    await returns();
    await agree();
  });

  for (const how of ['alone', 'with all others'] as const) {
    for (const answer of ['takes', 'refuses'] as const) {
      test(`after an old call was sent again ${how}, while the product ${answer} a renewal whose answer was lost`, async () => {
        const { order, act, callId, runOut, goesAway, attempted, returns, agree } = await scene();
        await order();
        await act('suspend');
        await goesAway();
        await act('resume');
        await attempted();
        await runOut();
        const { id } = await order();
        await product.waitFor(1, ({ data }) => data.order_id === id);
        const [decided] = product.calls.slice(-1);
        if (decided !== undefined && answer === 'takes') took.push(decided);
        if (how === 'with all others') await runOut();
        const path =
          how === 'alone' ? `${productCalls}/${await callId('plan.resume')}/send` : `${productCalls}/send`;
        expectStatus(await service.admin.post(path, {}), 200);
        const isRefused = (call: ReceivedCall) => answer === 'refuses' && call.type === 'plan.renew';
        answerWith((call) => (isRefused(call) ? { status: 422, body: '{}' } : { status: 204 }));
        await returns();
        assert.deepEqual(await agree(), [
          'plan.activate',
          'plan.suspend',
          answer === 'takes' ? 'plan.renew' : 'plan.resume',
        ]);
      });
    }
  }

  test('after a first order that was failed by hand although taken, when the next one stands for that and is refused', async () => {
    const { order, callId, runOut, goesAway, attempted, returns, agree } = await scene();
    await goesAway();
    const { id } = await order();
    const [taken] = await product.waitFor(1, ({ data }) => data.order_id === id);
    if (taken !== undefined) took.push(taken);
    await attempted();
    expectStatus(await service.admin.post(`/api/admin/v1/orders/${id}/fail`, { reason: 'by hand' }), 200);
    await attempted();
    await runOut();
    const next = await order();
    await attempted();
    expectStatus(await service.admin.post(`${productCalls}/${await callId('plan.cancel')}/send`, {}), 200);
    answerWith(({ data }) => (data.order_id === next.id ? { status: 422, body: '{}' } : { status: 204 }));
    await returns();
    assert.deepEqual(await agree(), ['plan.activate', 'plan.expire']);
  });

  test('although an answer was lost, and the plan changed before the call was repeated', async () => {
    const { order, act, quiet, agree } = await scene('notify');
    await order();
    await quiet();
    let isLost = true;
    answerWith(({ type }) => (type === 'plan.suspend' && isLost ? { status: 500 } : { status: 204 }));
    await act('suspend');
    const [first] = await product.waitFor(1, ({ type }) => type === 'plan.suspend');
    if (first !== undefined) took.push(first);
    await act('resume');
    isLost = false;
    await agree();
    const repeated = product.calls.filter(({ type }) => type === 'plan.suspend');
    assert.ok(repeated.length > 1);
    for (const one of repeated) assert.deepEqual(one, first);
    assert.equal(took.at(-1)?.data.status, 'active');
  });
});

test('an end whose plan was extended before the call was sent is not sent', async () => {
  const { account, order, goesAway, act, attempted, returns, agree } = await scene('notify');
  await order();
  await goesAway();
  await act('suspend');
  await attempted();
  service.clock.seconds = secondsOf('2026-02-28T10:00:00Z');
  await runPlanEnds(service);
  await order();
  await returns();
  assert.deepEqual(await agree(), ['plan.activate', 'plan.suspend', 'plan.activate']);
  const rows = await sqlOf(
    service,
    account,
    `select status from product_calls where type = 'plan.expire' and account_id = ${account.id}`,
  );
  assert.deepEqual(rows, [{ status: 'superseded' }]);
});

test('what is called after an order that was failed by hand waits for the attempt that is under way', async () => {
  const { account, reference, order, agree } = await scene();
  await order();
  // The product hangs until the service times out.
  let hangingThen = null;
  answerWith(({ type }) => {
    if (type === 'plan.change') hangingThen = product.hanging();
    return type === 'plan.renew' ? null : { status: 204 };
  });
  const { order: renewal } = await placeOrder(service, account, { customer: reference });
  const { id } = renewal;
  await product.waitFor(1, ({ type }) => type === 'plan.renew');
  expectStatus(await service.admin.post(`/api/admin/v1/orders/${id}/fail`, { reason: 'No' }), 200);
  assert.equal((await agree()).at(-1), 'plan.change');
  assert.equal(hangingThen, 0);
});

describe('ends of plans', () => {
  const trialDays = 14;

  async function grant({ account, reference }: Scene) {
    const body = { package_id: service.packages.trial, customer: reference, again: true };
    expectStatus(await service.admin.post(`/api/admin/v1/accounts/${account.id}/trials`, body), 201);
  }

  test('two trials of one customer end twice, and no one else waits for it', async () => {
    const one = await scene('notify');
    for (const round of [1, 2]) {
      await grant(one);
      service.clock.seconds += trialDays * 24 * hour;
      await runPlanEnds(service);
      await one.agree();
      assert.equal(one.taken().filter(({ type }) => type === 'plan.expire').length, round);
    }
  });
});
