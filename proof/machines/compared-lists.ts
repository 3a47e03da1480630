// Compares an account's lists with its oracle: balance, orders, ledger, customers, histories and feed.

import assert from 'node:assert/strict';
import type { ApiClient } from '../../scripts/throwaway/api-client.ts';
import type { EventView } from '../../src/features/events/event-schemas.ts';
import { isJsonObject } from '../../src/shared/json.ts';
import { toText } from '../oracle/history-report.ts';
import type { AccountId, Oracle } from '../oracle/oracle.ts';
import type { EmittedAt } from '../oracle/oracle-test-mode.ts';
import { shownEvents } from '../oracle/shown-events.ts';
import {
  amountText,
  ownId,
  shownCustomer,
  shownItem,
  shownOrder,
  sorted,
  timeText,
} from '../oracle/shown-plans.ts';
import type { Mode } from '../oracle/test-mode-genes.ts';
import { type Row, readAll } from './journal.ts';

export interface Party {
  readonly client: Pick<ApiClient, 'get' | 'post' | 'send'>;
  /** The account id with which its public ids begin. That of a test account is read from its ledger. */
  readonly id: number;
  readonly heardUntil: number | null;
}

export interface ExpectedLists {
  readonly oracle: Oracle;
  readonly accountId: AccountId;
  readonly now: number;
  readonly mode: Mode;
  readonly feed: readonly EmittedAt[];
  readonly packages: readonly { readonly id: number; readonly name: string }[];
}

export async function listsProblem(party: Party, expected: ExpectedLists): Promise<string | null> {
  return (
    (await booksProblem(party, expected)) ??
    (await customersProblem(party, expected)) ??
    (await feedProblem(party, expected))
  );
}

async function booksProblem(
  { client, id }: Party,
  { oracle, accountId }: ExpectedLists,
): Promise<string | null> {
  const { balanceCents, group } = oracle.balance(accountId);
  const { body: shown } = await client.get('/balance');
  if (shown.balance !== amountText(balanceCents) || shown.group !== group)
    return `${toText(shown)} instead of ${balanceCents} ${group}`;
  const orders = await readAll(client, '/orders');
  const expected = allOf((page) => oracle.orders(accountId, page, 100));
  for (const [place, order] of expected.entries()) {
    const found = orders[place];
    if (found === undefined) return `order ${order.number} is not listed`;
    const wanted = shownOrder(order, id, found);
    if (toText(sorted(found)) !== toText(sorted(wanted)))
      return `the list has ${toText(found)} instead of ${toText(wanted)}`;
  }
  if (orders.length !== expected.length) return `${orders.length} orders are listed, not ${expected.length}`;
  const entries = await readAll(client, '/ledger');
  const ledger = entries
    .filter(({ amount }) => amount !== '0.00')
    .map((entry) => [
      entry['kind'] === 'debit' ? 'credit' : entry['kind'],
      entry['amount'],
      entry['balance_after'],
      entry['order_id'],
      entry['memo'] ?? '',
      entry['created_at'],
    ]);
  const wanted = oracle
    .ledger(accountId)
    .toReversed()
    .map((entry) => [
      entry.kind,
      amountText(entry.amountCents),
      amountText(entry.balanceAfterCents),
      entry.orderNumber === null ? null : ownId(id, entry.orderNumber),
      entry.memo,
      timeText(entry.createdAt ?? 0),
    ]);
  return firstDifference('the ledger', ledger, wanted);
}

async function customersProblem(
  { client, id }: Party,
  { oracle, accountId, now, packages }: ExpectedLists,
): Promise<string | null> {
  const nameOf = (packageId: number) => packages.find((one) => one.id === packageId)?.name ?? '';
  const views = allOf((page) => oracle.customers(accountId, page, 100, now));
  const listed = await readAll(client, '/customers');
  const shown = views.map((view) => sorted(shownCustomer(view, id)));
  const problem = firstDifference('the customers', listed.map(sorted), shown);
  if (problem !== null) return problem;
  for (const { number, reference } of views) {
    const items = await readHistory(client, ownId(id, number));
    const expected = oracle.history(accountId, reference);
    if (!Array.isArray(expected)) return `the oracle has no customer ${reference}`;
    const wanted = expected.map((item, place) =>
      shownItem(
        item,
        nameOf,
        (orderNumber) => {
          const { order: found } = items[place] ?? {};
          const order = oracle.order(accountId, orderNumber);
          return 'code' in order || !isJsonObject(found) ? order : shownOrder(order, id, found);
        },
        () => false,
      ),
    );
    const history = firstDifference(`the history of ${reference}`, items.map(sorted), wanted.map(sorted));
    if (history !== null) return history;
  }
  return null;
}

async function readHistory(client: Party['client'], customerId: number): Promise<Row[]> {
  const items: Row[] = [];
  let cursor = '';
  do {
    const { body, text } = await client.get(`/customers/${customerId}/history?limit=30${cursor}`);
    assert.ok(Array.isArray(body?.data), text);
    items.push(...body.data);
    cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`;
  } while (cursor !== '');
  return items;
}

async function feedProblem(
  { client, id, heardUntil }: Party,
  { mode, feed, packages }: ExpectedLists,
): Promise<string | null> {
  const events: EventView[] = [];
  let place = heardUntil === null ? '' : `&after=${heardUntil}`;
  for (;;) {
    const { body, text } = await client.get(`/events?limit=100${place}`);
    assert.ok(Array.isArray(body?.data), text);
    events.push(...body.data);
    if (body.data.length === 0) break;
    place = `&after=${body.next_after}`;
  }
  for (const [index, event] of events.entries()) {
    const number = (heardUntil === null ? 0 : heardUntil % ownId(1, 0)) + index + 1;
    if (event.id !== ownId(id, number)) return `event ${number} has the id ${event.id}`;
  }
  const packageIdOf = (name: string) => packages.find((one) => one.name === name)?.id ?? 0;
  return firstDifference('the feed', shownEvents(events, mode, packageIdOf), feed);
}

function allOf<Item>(pageOf: (page: number) => { data: Item[] }): Item[] {
  const items: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = pageOf(page);
    if (data.length === 0) return items;
    items.push(...data);
  }
}

function firstDifference(what: string, found: readonly unknown[], wanted: readonly unknown[]): string | null {
  for (let place = 0; place < Math.max(found.length, wanted.length); place += 1)
    if (toText(found[place]) !== toText(wanted[place]))
      return `${what} at ${place}: ${toText(found[place])} instead of ${toText(wanted[place])}`;
  return null;
}

/** The first read of the feed starts the recording of events. */
export async function lastEventOf(client: Party['client']): Promise<number | null> {
  const { body, text } = await client.get('/events?limit=1');
  assert.ok(Array.isArray(body?.data), text);
  return body.last_id;
}
