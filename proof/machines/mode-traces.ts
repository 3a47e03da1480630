// Checks that live accounts and their test accounts do not see each other. A crowd marks its texts with their mode; finally
// everything that the other mode shows is searched for the marks and ids.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../../scripts/throwaway/api-client.ts';
import type { PanelClient } from '../../test/harness/panel-client.ts';
import type { ReceivedAt, WebhookReceiver } from '../../test/harness/webhook-receiver.ts';
import { type Row, readAll } from './journal.ts';

export type Mode = 'live' | 'test';

export const marks = { live: 'only-live', test: 'only-test' } as const;

export interface TraceWitnesses {
  readonly panel: Pick<PanelClient, 'get'>;
  readonly receiver: WebhookReceiver;
}

export interface TraceReport {
  readonly searched: number;
  readonly crossed: number;
  readonly deliveries: number;
}

interface Party {
  readonly id: number;
  readonly client: ApiClient;
}

export interface Pair {
  readonly live: Party;
  readonly test: Party;
}

interface Endpoint {
  readonly owner: Party;
  readonly of: Mode;
  readonly place: ReceivedAt;
  readonly after: number | null;
}

interface TraceOptions {
  readonly admin: ApiClient;
  readonly witnesses: TraceWitnesses;
  readonly pairs: readonly Pair[];
}

const crossedEach = 12;
const patienceMilliseconds = 60_000;
const restMilliseconds = 100;
const deliveredType = 'customer.created';

export async function beginTraces({ admin, witnesses, pairs }: TraceOptions) {
  const { panel, receiver } = witnesses;
  const testAccountIds = pairs.map(({ test }) => test.id);
  const liveIds = pairs.map(({ live }) => live.id);
  const ordersBefore = await ordersOnConsole(panel);
  const feedBefore: unknown = (await read(admin, '/api/admin/v1/events?limit=1'))['last_id'];
  const operators = receiver.at(`/operator-${liveIds.join('-')}`);
  const operatorsId = await makeEndpoint(admin, '/api/admin/v1/webhooks', operators);
  const endpoints: Endpoint[] = [];
  for (const { live, test } of pairs)
    for (const [of, owner] of [['live', live] as const, ['test', test] as const]) {
      const place = receiver.at(`/${of}-${owner.id}`);
      await makeEndpoint(owner.client, '/webhooks', place);
      const { last_id: last } = await read(owner.client, '/events?limit=1');
      endpoints.push({ owner, of, place, after: typeof last === 'number' ? last : null });
    }
  let searched = 0;

  async function check(): Promise<TraceReport> {
    const shown = new Map<Party, Row[]>();
    for (const { live, test } of pairs)
      for (const [of, party] of [['live', live] as const, ['test', test] as const]) {
        const rows = await allOf(party);
        shown.set(party, rows);
        search(rows, of, `what account ${party.id} (${of}) is shown`);
        await checkBalance(party);
      }
    const crossed = await cross(shown);
    await checkOperator();
    await checkFigures();
    await checkTotals();
    const deliveries = await checkDeliveries();
    // Removed, because the operator has a limit of endpoints and may run many crowds.
    const gone = await admin.send('DELETE', `/api/admin/v1/webhooks/${operatorsId}`);
    assert.equal(gone.status, 200, gone.text);
    return { searched, crossed, deliveries };
  }

  function search(found: unknown, of: Mode, where: string): void {
    const text = typeof found === 'string' ? found : JSON.stringify(found);
    searched += text.length;
    const mark = marks[of === 'live' ? 'test' : 'live'];
    const at = text.indexOf(mark);
    assert.equal(at, -1, `${mark} in ${where}: ${text.slice(Math.max(0, at - 300), at + 300)}`);
    for (const id of of === 'live' ? testAccountIds : liveIds) {
      const place = new RegExp(`[^0-9]${id}[0-9]{9}[^0-9]`).exec(text);
      assert.equal(place, null, `an id of ${id} in ${where}: ${place?.[0]}`);
    }
  }

  async function allOf({ client }: Party): Promise<Row[]> {
    const lists = ['/orders', '/customers', '/ledger'];
    const rows = (await Promise.all(lists.map((list) => readAll(client, list)))).flat();
    rows.push(...(await feedOf(client, '/events', null)));
    for (const path of ['/webhooks', '/statements', '/forecast?days=60', '/packages', '/balance', '/alerts'])
      rows.push(await read(client, path));
    for (const mark of Object.values(marks)) rows.push(await read(client, `/customers?q=${mark}&limit=100`));
    return rows;
  }

  async function checkBalance({ client, id }: Party): Promise<void> {
    const entries = await readAll(client, '/ledger');
    const sum = entries.reduce((cents, { amount }) => cents + centsOf(amount), 0n);
    const { balance } = await read(client, '/balance');
    assert.equal(centsOf(balance), sum, `the balance of ${id} is the sum of its ledger`);
  }

  async function cross(shown: ReadonlyMap<Party, readonly Row[]>): Promise<number> {
    let count = 0;
    for (const { live, test } of pairs)
      for (const [asking, owner] of [[live, test] as const, [test, live] as const]) {
        const orders = await readAll(owner.client, '/orders');
        const customers = await readAll(owner.client, '/customers');
        const balance = (await read(asking.client, '/balance'))['balance'];
        const size = shown.get(asking)?.length;
        assert.ok(size !== undefined && size > 0);
        for (const { id } of orders.slice(0, crossedEach)) {
          await expectMissing(asking, 'GET', `/orders/${id}`);
          await expectMissing(asking, 'POST', `/orders/${id}/renew`);
          count += 1;
        }
        for (const { id } of customers.slice(0, crossedEach)) {
          await expectMissing(asking, 'GET', `/customers/${id}`);
          await expectMissing(asking, 'GET', `/customers/${id}/history`);
          await expectMissing(asking, 'POST', `/customers/${id}/cancel`, { at: 'now' });
          await expectMissing(asking, 'POST', `/customers/${id}/suspend`);
          await expectMissing(asking, 'PUT', `/customers/${id}/auto-renew`, { months: 1 });
          count += 1;
        }
        for (const { id } of (await feedOf(owner.client, '/events', null)).slice(0, crossedEach))
          await expectMissing(asking, 'GET', `/events/${id}`);
        assert.equal((await read(asking.client, '/balance'))['balance'], balance, 'nothing was charged');
      }
    return count;
  }

  async function checkOperator(): Promise<void> {
    for (const { live, test } of pairs) {
      const folder = `/api/admin/v1/accounts/${live.id}`;
      for (const list of ['orders', 'customers', 'ledger'])
        search(await readAll(admin, `${folder}/${list}`), 'live', `the administrator’s ${list}`);
      for (const end of ['', '/orders', '/customers', '/ledger'])
        await expectMissing({ id: 0, client: admin }, 'GET', `/api/admin/v1/accounts/${test.id}${end}`);
      const credit = { amount: '1.00' };
      await expectMissing(
        { id: 0, client: admin },
        'POST',
        `/api/admin/v1/accounts/${test.id}/credit`,
        credit,
      );
    }
    const accounts = await readAll(admin, '/api/admin/v1/accounts');
    for (const id of testAccountIds)
      assert.ok(!accounts.some((account) => account['id'] === id), 'a test account is listed');
    const feed = await feedOf(admin, '/api/admin/v1/events', feedBefore);
    search(feed, 'live', 'the operator’s feed');
    for (const event of feed)
      assert.ok(!testAccountIds.includes(Number(event['account_id'])), JSON.stringify(event));
    assert.ok(
      feed.some(({ account_id: id }) => liveIds.includes(Number(id))),
      'the operator gets the live ones',
    );
    search(await entitlementsOf(admin), 'live', 'the product’s entitlements');
    search(await read(admin, '/api/admin/v1/orders/attention'), 'live', 'what needs attention');
  }

  async function checkFigures(): Promise<void> {
    const overview = await read(panel, '/admin/overview');
    search(overview, 'live', 'the overview of the console');
    const { top_accounts: top } = overview;
    assert.ok(Array.isArray(top));
    for (const { account } of top)
      assert.ok(!testAccountIds.includes(account.id), 'a test account is among the top accounts');
    let placed = 0;
    for (const { live } of pairs) placed += (await readAll(live.client, '/orders')).length;
    assert.equal(
      (await ordersOnConsole(panel)) - ordersBefore,
      placed,
      'the orders of the figures are the live ones',
    );
    const found = await read(panel, `/admin/customers?q=${marks.test}`);
    assert.deepEqual(found['data'], [], 'the console’s search finds customers of tests');
  }

  async function checkTotals(): Promise<void> {
    const accounts = await readAll(admin, '/api/admin/v1/accounts');
    let entries = 0;
    for (const { id } of accounts) {
      const { total } = await read(admin, `/api/admin/v1/accounts/${id}/ledger?limit=1`);
      entries += Number(total);
    }
    const report = await read(admin, '/api/admin/v1/verify');
    assert.deepEqual([report['ok'], report['problems']], [true, []]);
    assert.deepEqual([report['accounts'], report['entries']], [accounts.length, entries], 'without tests');
  }

  async function checkDeliveries(): Promise<number> {
    let count = 0;
    for (const { owner, of, place, after } of endpoints) {
      const events = await feedOf(owner.client, '/events', after);
      const wanted = events.filter(({ type }) => type === deliveredType).map(({ id }) => Number(id));
      count += await expectDelivered(place, wanted, of);
    }
    const ofOperator = await feedOf(admin, '/api/admin/v1/events', feedBefore);
    const wanted = ofOperator.filter(({ type }) => type === deliveredType).map(({ id }) => Number(id));
    return count + (await expectDelivered(operators, wanted, 'live'));
  }

  async function expectDelivered(place: ReceivedAt, wanted: readonly number[], of: Mode): Promise<number> {
    const until = performance.now() + patienceMilliseconds;
    const missing = () => wanted.filter((id) => !place.ids().includes(id));
    while (missing().length > 0) {
      assert.ok(performance.now() < until, `${place.url} waits for ${missing().length} of ${wanted.length}`);
      await pause(restMilliseconds);
    }
    // A delivery may be repeated, but only events of the feed may arrive.
    const foreign = place.ids().filter((id) => !wanted.includes(id));
    assert.deepEqual(foreign, [], `${place.url} was sent what is not in its feed`);
    for (const { text } of place.received) search(text, of, `a delivery to ${place.url}`);
    return wanted.length;
  }

  return { check };
}

async function makeEndpoint(client: ApiClient, path: string, place: ReceivedAt): Promise<number> {
  const answer = await client.post(path, { url: place.url, types: [deliveredType] });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.webhook.id;
}

/** The answer must be that of a missing object, without a hint at its owner. */
async function expectMissing({ client }: Party, method: string, path: string, body?: object): Promise<void> {
  const answer = await client.send(method, path, body);
  assert.equal(answer.status, 404, `${method} ${path}: ${answer.status} ${answer.text}`);
}

async function ordersOnConsole(panel: TraceWitnesses['panel']): Promise<number> {
  const { series } = await read(panel, '/admin/overview');
  assert.ok(Array.isArray(series));
  return series.reduce((sum, { orders }) => sum + Number(orders), 0);
}

async function feedOf(client: ApiClient, path: string, after: unknown): Promise<Row[]> {
  const events: Row[] = [];
  let place = after === null ? '' : `&after=${after}`;
  for (;;) {
    const { data, next_after: next } = await read(client, `${path}?limit=100${place}`);
    assert.ok(Array.isArray(data));
    if (data.length === 0) return events;
    events.push(...data);
    place = `&after=${next}`;
  }
}

async function entitlementsOf(client: ApiClient): Promise<unknown[]> {
  const rows: unknown[] = [];
  let place = '';
  for (;;) {
    const {
      data,
      next_after: next,
      has_more: hasMore,
    } = await read(client, `/api/product/v1/entitlements${place}`);
    assert.ok(Array.isArray(data));
    rows.push(...data);
    if (data.length === 0 || hasMore !== true) return rows;
    place = `?after=${encodeURIComponent(String(next))}`;
  }
}

async function read(client: Pick<ApiClient, 'get'>, path: string): Promise<Record<string, unknown>> {
  const { status, body, text } = await client.get(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return body;
}

function centsOf(amount: unknown): bigint {
  return BigInt(String(amount).replace('.', ''));
}
