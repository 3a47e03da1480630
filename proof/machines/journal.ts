// Compares the clients' requests and answers with each other and with the final ledger.

import assert from 'node:assert/strict';
import type { Answer, ApiClient } from '../../scripts/throwaway/api-client.ts';
import { settlementProblems } from './settled-orders.ts';

export const planRequests = ['cancel', 'suspend', 'resume', 'auto-renew'] as const;

type SentType = 'place' | 'renew' | 'credit' | 'balance' | 'clock' | (typeof planRequests)[number];

export interface Sent {
  readonly accountId: number;
  readonly type: SentType;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** When it was sent and when it was completely answered, by one clock for all clients. */
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
}

export type Row = Readonly<Record<string, unknown>>;

interface Acknowledged {
  readonly lastEntry: number;
  readonly balance: unknown;
  readonly sentAt: number;
  readonly answeredAt: number;
}

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

export interface Books {
  readonly orders: readonly Row[];
  readonly entries: readonly Row[];
  readonly openingBalance: string;
}

export function checkJournal(own: readonly Sent[], { orders, entries, openingBalance }: Books): void {
  checkOrders(own, orders);
  checkKeys(own);
  checkEntries(own, orders, entries, openingBalance);
  assert.deepEqual(settlementProblems(orders, entries), []);
}

/** Each order was acknowledged as new once. Automatic renewals are as many as the clock's moves reported. */
function checkOrders(own: readonly Sent[], orders: readonly Row[]): void {
  const byId = new Map(orders.map((order) => [order['id'], order]));
  assert.equal(byId.size, orders.length, 'every order is listed once');
  const fresh = new Map<unknown, number>();
  for (const { type, answer } of own) {
    if ((type !== 'place' && type !== 'renew') || answer.status !== 201) continue;
    assert.deepEqual(byId.get(answer.body.order.id), answer.body.order, 'the order stands as it was shown');
    if (!isReplay(answer)) fresh.set(answer.body.order.id, (fresh.get(answer.body.order.id) ?? 0) + 1);
  }
  const ordered = orders.filter((order) => !wasByItself(order));
  for (const { id } of ordered) assert.equal(fresh.get(id), 1, `order ${id} was answered as new once`);
  const renewals = own
    .filter(({ type, answer }) => type === 'clock' && answer.status === 200 && !isReplay(answer))
    .reduce((sum, { answer }) => sum + Number(answer.body.happened.renewals), 0);
  assert.equal(orders.length - ordered.length, renewals, 'as many renewed themselves as was said');
}

function wasByItself({ idempotency_key: key }: Row): boolean {
  return String(key).startsWith('auto_');
}

/** A key stands for one order. A 409 is right only if the data differ. */
function checkKeys(own: readonly Sent[]): void {
  const writes = own.filter(({ type }) => type !== 'balance');
  const spaces = Map.groupBy(writes, ({ type, key }) => `${spaceOf(type)} ${key}`);
  for (const [key, sent] of spaces) {
    const carriedOut = sent.filter(({ answer: { status } }) => status === 200 || status === 201);
    const results = new Set(carriedOut.map(({ answer: { body } }) => resultOf(body)));
    assert.ok(results.size <= 1, `${key} did one thing`);
    const fresh = carriedOut.filter(({ answer }) => !isReplay(answer));
    assert.equal(fresh.length, carriedOut.length === 0 ? 0 : 1, `${key} did it once`);
    const data = new Set(sent.map(({ type, path, body }) => `${type} ${path} ${JSON.stringify(body)}`));
    const isConflict = sent.some(({ answer }) => answer.body?.error?.code === 'idempotency_conflict');
    assert.ok(!isConflict || data.size > 1, `${key} conflicts with itself`);
  }
}

/** Orders, credits, clock moves and plan changes have independent keys. */
function spaceOf(type: SentType): string {
  if (type === 'credit' || type === 'clock') return type;
  return type === 'place' || type === 'renew' ? 'order' : 'plan';
}

/** The part that all answers to a key share. A replay shows the plan's customer as it is now, so only the id counts. */
function resultOf(body: Answer['body']): string {
  const { order, entry, clock, happened, customer, refund, balance } = body;
  if (clock !== undefined) return JSON.stringify([clock.now, happened]);
  return JSON.stringify(order?.id ?? entry?.id ?? [customer.id, refund, balance]);
}

/** An answer's balance is that of its entry, and an account's entries are numbered in real-time order. */
function checkEntries(
  own: readonly Sent[],
  orders: readonly Row[],
  entries: readonly Row[],
  openingBalance: string,
): void {
  // The first charge of each order. If the order fails, a second charge takes back the refund made with the first.
  const charges = new Map(
    entries
      .filter(({ kind }) => kind === 'charge')
      .toReversed()
      .map((entry) => [entry['order_id'], entry]),
  );
  const balances = new Set([openingBalance, ...entries.map((entry) => entry['balance_after'])]);
  const acknowledged: Acknowledged[] = [];
  const cancelled = own.filter(
    ({ type, answer }) => type === 'cancel' && answer.status === 200 && !isReplay(answer),
  );
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
  const { certain, possible } = checkCancels(cancelled, entries);
  acknowledged.push(...certain);
  // They were placed during some move, but the answers do not say which.
  const firstMoveAt = Math.min(...own.filter(({ type }) => type === 'clock').map(({ sentAt }) => sentAt));
  for (const { id } of orders.filter(wasByItself)) {
    const entry = charges.get(id);
    if (entry === undefined) continue;
    const { number, balance_after: balance } = entry;
    possible.push({
      lastEntry: Number(number),
      balance,
      sentAt: firstMoveAt,
      answeredAt: Number.POSITIVE_INFINITY,
    });
  }
  checkOrderOfTime(acknowledged);
  const reads = own.filter(({ type, answer }) => type === 'balance' && answer.status === 200);
  for (const read of reads) checkRead(read, acknowledged, possible, openingBalance);
}

/** Each cancel's refund has an entry; other refunds belong to orders. If several entries are equal, any of them may match. */
function checkCancels(
  cancelled: readonly Sent[],
  entries: readonly Row[],
): { certain: Acknowledged[]; possible: Acknowledged[] } {
  const refunds = entries.filter((entry) => entry['kind'] === 'refund' && entry['order_id'] === null);
  const written = Map.groupBy(refunds, (entry) => `${entry['amount']} ${entry['balance_after']}`);
  const emitted = Map.groupBy(
    cancelled.filter(({ answer }) => answer.body.refund !== '0.00'),
    ({ answer: { body } }) => `${body.refund} ${body.balance}`,
  );
  const counted = (groups: Map<string, readonly unknown[]>) =>
    [...groups].map(([what, all]) => `${all.length} × ${what}`).sort();
  assert.deepEqual(counted(emitted), counted(written), 'refunds in events match the ledger');
  const [certain, possible]: [Acknowledged[], Acknowledged[]] = [[], []];
  for (const [what, alike] of emitted) {
    const numbers = (written.get(what) ?? []).map((entry) => Number(entry['number']));
    for (const { sentAt, answeredAt, answer } of alike) {
      const { balance } = answer.body;
      for (const lastEntry of numbers)
        (numbers.length === 1 ? certain : possible).push({ lastEntry, balance, sentAt, answeredAt });
    }
  }
  return { certain, possible };
}

/** A request that was answered before another was sent must have the lower entry number. */
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

/** A balance includes everything acknowledged before its request was sent, and nothing that was sent after its answer. */
function checkRead(
  read: Sent,
  acknowledged: readonly Acknowledged[],
  possible: readonly Acknowledged[],
  openingBalance: string,
): void {
  const lowest = acknowledged
    .filter(({ answeredAt }) => answeredAt < read.sentAt)
    .reduce((entry, { lastEntry }) => Math.max(entry, lastEntry), 0);
  const isPossible =
    (lowest === 0 && read.answer.body.balance === openingBalance) ||
    [...acknowledged, ...possible].some(
      ({ lastEntry, sentAt, balance }) =>
        lastEntry >= lowest && sentAt < read.answeredAt && balance === read.answer.body.balance,
    );
  assert.ok(isPossible, `the balance ${read.answer.body.balance} is of no moment between request and answer`);
}

function isReplay({ headers }: Answer): boolean {
  return headers.has('idempotent-replayed');
}
