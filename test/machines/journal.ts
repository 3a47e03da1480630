// What clients sent, what they were answered and when, compared with the ledger afterwards. The checks know
// nothing of how the service works: they compare answers with answers and with what stands at the end.

import assert from 'node:assert/strict';
import type { Answer, ApiClient } from '../../scripts/throwaway/api-client.ts';

/** One request of a client. */
export interface Sent {
  readonly accountId: number;
  readonly type: 'place' | 'renew' | 'credit' | 'balance';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** When it left and when the whole answer was there, on one counter for all clients. */
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
}

/** A row of a list of the API. */
export type Row = Readonly<Record<string, unknown>>;

/** What was acknowledged: the last entry it made in the ledger, and when. */
interface Acknowledged {
  readonly lastEntry: number;
  readonly balance: unknown;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** All pages of a list, in its order. */
export async function readAll(client: Pick<ApiClient, 'get'>, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { body, text } = await client.get(`${path}?limit=100&page=${page}`);
    assert.ok(Array.isArray(body?.data), text);
    rows.push(...body.data);
    if (body.data.length > 0) continue;
    assert.equal(rows.length, body.total, 'as many rows as the list says');
    return rows;
  }
}

/** What stands in the end, of one account. */
export interface Books {
  readonly orders: readonly Row[];
  /** Oldest first. */
  readonly entries: readonly Row[];
  /** The balance before the journal began. */
  readonly openingBalance: string;
}

/** Holds the journal of one account against its books. */
export function checkJournal(own: readonly Sent[], { orders, entries, openingBalance }: Books): void {
  checkOrders(own, orders);
  checkKeys(own);
  checkEntries(own, entries, openingBalance);
}

/** Acknowledged means exactly one order; and every order was acknowledged, once as new. */
function checkOrders(own: readonly Sent[], orders: readonly Row[]): void {
  const byId = new Map(orders.map((order) => [order['id'], order]));
  assert.equal(byId.size, orders.length, 'every order is listed once');
  const fresh = new Map<unknown, number>();
  for (const { type, answer } of own) {
    if (type === 'credit' || type === 'balance' || answer.status !== 201) continue;
    assert.deepEqual(byId.get(answer.body.order.id), answer.body.order, 'the order stands as it was shown');
    if (!isReplay(answer)) fresh.set(answer.body.order.id, (fresh.get(answer.body.order.id) ?? 0) + 1);
  }
  for (const { id } of orders) assert.equal(fresh.get(id), 1, `order ${id} was answered as new once`);
}

/** One key, one order; 409 only where the data differ. */
function checkKeys(own: readonly Sent[]): void {
  const writes = own.filter(({ type }) => type !== 'balance');
  const spaces = Map.groupBy(writes, ({ type, key }) => `${type === 'credit' ? 'credit' : 'order'} ${key}`);
  for (const [key, sent] of spaces) {
    const ids = new Set(
      sent.flatMap(({ answer: { status, body } }) =>
        status === 201 ? [body.order?.id ?? body.entry.id] : [],
      ),
    );
    assert.ok(ids.size <= 1, `${key} made one order`);
    const data = new Set(sent.map(({ path, body }) => `${path} ${JSON.stringify(body)}`));
    const isConflict = sent.some(({ answer }) => answer.body?.error?.code === 'idempotency_conflict');
    assert.ok(!isConflict || data.size > 1, `${key} conflicts with itself`);
  }
}

/** The balance in an answer is its entry's; entries of one account are numbered in the order of real time. */
function checkEntries(own: readonly Sent[], entries: readonly Row[], openingBalance: string): void {
  const charges = new Map(
    entries.filter(({ kind }) => kind === 'charge').map((entry) => [entry['order_id'], entry]),
  );
  const balances = new Set([openingBalance, ...entries.map((entry) => entry['balance_after'])]);
  const acknowledged: Acknowledged[] = [];
  for (const { type, answer, sentAt, answeredAt } of own) {
    if (answer.body?.error?.code === 'insufficient_credit')
      assert.ok(balances.has(answer.body.error.details.balance), 'a balance that there was');
    if (answer.status !== 201) continue;
    const entry = type === 'credit' ? answer.body.entry : charges.get(answer.body.order.id);
    assert.ok(entry, `order ${answer.body.order?.id} was charged`);
    assert.equal(answer.body.balance, entry.balance_after);
    if (!isReplay(answer))
      acknowledged.push({
        lastEntry: Number(entry.number),
        balance: entry.balance_after,
        sentAt,
        answeredAt,
      });
  }
  checkOrderOfTime(acknowledged);
  const reads = own.filter(({ type, answer }) => type === 'balance' && answer.status === 200);
  for (const read of reads) checkRead(read, acknowledged, openingBalance);
}

/** What was acknowledged before another was sent has the lower number. */
function checkOrderOfTime(acknowledged: readonly Acknowledged[]): void {
  const byAnswer = acknowledged.toSorted((one, other) => one.answeredAt - other.answeredAt);
  let highest = 0;
  let next = 0;
  for (const later of acknowledged.toSorted((one, other) => one.sentAt - other.sentAt)) {
    for (let earlier = byAnswer[next]; earlier !== undefined; earlier = byAnswer[next]) {
      if (earlier.answeredAt >= later.sentAt) break;
      highest = Math.max(highest, earlier.lastEntry);
      next += 1;
    }
    assert.ok(highest < later.lastEntry, 'what was acknowledged earlier has the lower number');
  }
}

/**
 * A balance is that of one moment between the request and its answer: nothing that was acknowledged before
 * the request is missing, nothing that was sent after the answer is in it.
 */
function checkRead(read: Sent, acknowledged: readonly Acknowledged[], openingBalance: string): void {
  const lowest = acknowledged
    .filter(({ answeredAt }) => answeredAt < read.sentAt)
    .reduce((entry, { lastEntry }) => Math.max(entry, lastEntry), 0);
  const isPossible =
    (lowest === 0 && read.answer.body.balance === openingBalance) ||
    acknowledged.some(
      ({ lastEntry, sentAt, balance }) =>
        lastEntry >= lowest && sentAt < read.answeredAt && balance === read.answer.body.balance,
    );
  assert.ok(isPossible, `the balance ${read.answer.body.balance} is of no moment between request and answer`);
}

function isReplay({ headers }: Answer): boolean {
  return headers.has('idempotent-replayed');
}
