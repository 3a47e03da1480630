// No chain of orders, changes, cancels, price changes and price lists gives a price that no rule allows. The oracle looks
// back from an order; this test records forwards instead. Imports nothing of the product.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createOracle, type Order, type OrderOutcome, type SomePrices } from '../../proof/oracle/oracle.ts';
import type { PriceRule } from '../../proof/oracle/oracle-prices.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';

const account = 1;
const packageIds = [10, 11] as const;
const customers = ['ann', 'bob'] as const;
const groups = ['reseller', 'distributor'] as const;
const day = 86_400;
const startAt = Date.parse('2027-01-31T12:00:00Z') / 1_000;
const chains = Number(process.env['PROOF_CHAINS'] ?? 1_500);

type Months = 1 | 3 | 12;
type Group = (typeof groups)[number];

interface Run {
  readonly packageId: number;
  endsAt: number;
  readonly lastPaid: Map<Months, bigint>;
  /** Keyed by group and months: what the group paid just before the first change that holds the plan. */
  readonly holds: Map<string, { readonly since: number; readonly beforeCents: bigint }>;
}

interface Scheduled {
  readonly packageId: number;
  readonly from: number;
  readonly prices: SomePrices;
  readonly isHeld: boolean;
}

interface List {
  readonly number: number;
  readonly from: number;
  readonly until: number | null;
  readonly percentOff: number | null;
  readonly named: ReadonlyMap<string, bigint>;
}

const cents = fc.oneof(fc.bigInt(0n, 12n), fc.bigInt(0n, 9_999n), fc.constantFrom(1_000n, 2_999n));
const months = fc.constantFrom<Months>(1, 1, 1, 3, 12);
const packageId = fc.constantFrom(...packageIds, packageIds[0]);
const somePrices = fc.record({ 1: cents, 3: cents, 12: cents }, { requiredKeys: ['1'] });
const prices = fc.oneof(
  fc.record({ reseller: somePrices, distributor: somePrices }),
  fc.record({ reseller: somePrices }),
);
const lead = fc.oneof(
  fc.constantFrom(1, 2, day),
  fc.nat(60 * day).map((seconds) => seconds + 1),
);
const move = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('order'), customer: fc.nat(1), packageId, months }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('renew'), customer: fc.nat(1), months }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('wait'), how: fc.nat(5), seconds: fc.nat(40 * day) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel'), customer: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('auto'), customer: fc.nat(1), months }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('price'), packageId, prices }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('schedule'),
      packageId,
      lead,
      prices,
      isHeld: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('unschedule') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('list'),
      lead: fc.oneof(fc.constant(0), lead),
      until: fc.option(lead),
      percentOff: fc.option(fc.oneof(fc.nat(10_000), fc.constantFrom(0, 1_250, 5_000, 10_000))),
      named: fc.option(fc.record({ packageId, prices: somePrices })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('unlist') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('group'), group: fc.constantFrom(...groups) }) },
);
type Move = typeof move extends fc.Arbitrary<infer One> ? One : never;

test('no chain gives a price that no rule allows, and none misses the rule that comes first', (context) => {
  const counts: Record<string, number> = {};
  fc.assert(
    fc.property(fc.array(move, { minLength: 10, maxLength: 60, size: 'max' }), (moves) => {
      const chain = createChain((label) => {
        counts[label] = (counts[label] ?? 0) + 1;
      });
      for (const one of moves) chain.act(one);
    }),
    { numRuns: chains, seed },
  );
  context.diagnostic(`${chains} chains, seed ${seed}: ${JSON.stringify(counts)}`);
  for (const label of [
    'group',
    'account, named',
    'account, by percent',
    'held, paid before',
    'held, never bought',
    'given up',
    'renewed by itself, held',
  ])
    assert.ok((counts[label] ?? 0) > chains / 20, `${label}: ${counts[label]}`);
});

function createChain(count: (label: string) => void) {
  const flat = { 1: 1_000n, 3: 2_700n, 12: 10_000n };
  const base = {
    trial: false,
    retired: false,
    durationDays: 30,
    prices: { reseller: flat, distributor: flat },
  };
  const oracle = createOracle({
    packages: packageIds.map((id) => ({ ...base, id, name: `package ${id}` })),
    accounts: [{ id: account, group: 'reseller', balanceCents: 10n ** 12n }],
  });
  const current = new Map<string, bigint>();
  for (const id of packageIds) set(id, { reseller: flat, distributor: flat });
  const runs = new Map<string, Run>();
  const lastOrders = new Map<string, number>();
  let coming: Scheduled[] = [];
  let lists: List[] = [];
  let group: Group = 'reseller';
  let now = startAt;
  let spentCents = 0n;

  function act(one: Move): void {
    if (one.type === 'wait') pass(later(one));
    else if (one.type === 'order') order(one);
    else if (one.type === 'renew') renew(one);
    else if (one.type === 'cancel') cancel(nameOf(one.customer));
    else if (one.type === 'auto') renewByItself(nameOf(one.customer), one.months);
    else if (one.type === 'price') {
      oracle.setPrices(one, now);
      set(one.packageId, one.prices);
    } else if (one.type === 'schedule') {
      const scheduled = {
        packageId: one.packageId,
        from: now + one.lead,
        prices: one.prices,
        isHeld: one.isHeld,
      };
      const outcome = oracle.schedulePrices(
        { ...scheduled, existingPlans: one.isHeld ? 'held' : 'new' },
        now,
      );
      if (!('code' in outcome) && !outcome.replayed) coming = [...coming, scheduled];
    } else if (one.type === 'unschedule') {
      const [next, ...others] = coming;
      if (next === undefined) return;
      assert.ok(!('code' in oracle.unschedulePrices(next, now)));
      coming = others;
    } else if (one.type === 'list') putList(one);
    else if (one.type === 'unlist') {
      const list = lists.findLast(({ from }) => from > now);
      if (list === undefined) return;
      assert.ok(!('code' in oracle.deleteAccountPrices({ accountId: account, list: list.number }, now)));
      lists = lists.filter((other) => other !== list);
    } else {
      oracle.setGroup({ accountId: account, group: one.group });
      group = one.group;
    }
  }

  /** To a plan's end or a price change, to the second beside it, or by some time. */
  function later({ how, seconds }: { how: number; seconds: number }): number {
    const ends = [...runs.values()].map(({ endsAt }) => endsAt).filter((at) => at > now);
    const [end = now + seconds] = ends.sort((a, b) => a - b);
    const changes = coming.map(({ from }) => from).sort((a, b) => a - b);
    const [change = now + seconds] = changes;
    return Math.max(now, [now + seconds, now + 1, end - 1, end, change, change + 1][how] ?? now);
  }

  /** If a change is held, plans that run at its second keep their price. */
  function pass(until: number): void {
    const begun = coming.filter(({ from }) => from <= until).sort((a, b) => a.from - b.from);
    coming = coming.filter(({ from }) => from > until);
    for (const { packageId: changed, from, prices: wanted, isHeld } of begun) {
      for (const run of isHeld ? runs.values() : []) {
        if (run.packageId !== changed || run.endsAt <= from) continue;
        for (const [cell] of cellsOf(wanted)) {
          const beforeCents = current.get(`${changed} ${cell}`) ?? 0n;
          if (!run.holds.has(cell)) run.holds.set(cell, { since: from, beforeCents });
        }
      }
      set(changed, wanted);
    }
    now = until;
  }

  function order(wanted: { customer: number; packageId: number; months: Months }): void {
    const customer = nameOf(wanted.customer);
    const body = { customer, package_id: wanted.packageId, months: wanted.months };
    settle(customer, oracle.placeOrder({ accountId: account, body }, now));
  }

  function renew(wanted: { customer: number; months: Months }): void {
    const customer = nameOf(wanted.customer);
    const last = lastOrders.get(customer);
    if (last === undefined) return;
    const body = { months: wanted.months };
    settle(customer, oracle.renewOrder({ accountId: account, orderId: String(last), body }, now));
  }

  function cancel(customer: string): void {
    const outcome = oracle.cancel(
      { accountId: account, customerId: numberOf(customer), body: { at: 'now' } },
      now,
    );
    if ('code' in outcome) return;
    spentCents -= outcome.refundCents;
    if ((runs.get(customer)?.holds.size ?? 0) > 0) count('given up');
    runs.delete(customer);
  }

  function renewByItself(customer: string, every: Months): void {
    const input = { accountId: account, customerId: numberOf(customer), body: { months: every } };
    const end = runs.get(customer)?.endsAt ?? now;
    if ('code' in oracle.setAutoRenew(input, now)) return;
    pass(Math.max(now, end - day));
    for (const { reference, outcome } of oracle.runJobs(now)) {
      settle(reference, outcome);
      if ('order' in outcome && outcome.order.priceRule.rule === 'held') count('renewed by itself, held');
    }
    oracle.removeAutoRenew({ ...input, body: undefined }, now);
  }

  function settle(customer: string, outcome: OrderOutcome): void {
    if ('code' in outcome) {
      assert.equal(outcome.code, 'order_failed');
      return;
    }
    const { order: placed } = outcome;
    const run = runs.get(customer);
    const running = run !== undefined && run.endsAt > now ? run : null;
    const extended = running?.packageId === placed.packageId ? running : null;
    assert.deepEqual([placed.priceRule, placed.priceCents], allowed(placed, extended));
    spentCents += placed.priceCents - placed.refundCents;
    assert.equal(10n ** 12n - oracle.balance(account).balanceCents, spentCents, 'no money from nowhere');
    if (extended === null) {
      if (run !== undefined && run.holds.size > 0) count('given up');
      const begun: Run = {
        packageId: placed.packageId,
        endsAt: placed.expiresAt,
        lastPaid: new Map(),
        holds: new Map(),
      };
      begun.lastPaid.set(placed.months, placed.priceCents);
      runs.set(customer, begun);
    } else {
      extended.endsAt = placed.expiresAt;
      extended.lastPaid.set(placed.months, placed.priceCents);
    }
    lastOrders.set(customer, placed.number);
  }

  function allowed(placed: Order, extended: Run | null): [PriceRule, bigint] {
    const cell = `${group} ${placed.months}`;
    const hold = extended?.holds.get(cell);
    if (hold !== undefined) {
      const paid = extended?.lastPaid.get(placed.months);
      count(paid === undefined ? 'held, never bought' : 'held, paid before');
      return [{ rule: 'held', since: hold.since }, paid ?? hold.beforeCents];
    }
    const groupCents = current.get(`${placed.packageId} ${cell}`) ?? 0n;
    const [list] = lists
      .filter(({ from }) => from <= now)
      .sort((one, other) => other.from - one.from || other.number - one.number);
    if (list !== undefined && (list.until === null || now < list.until)) {
      const byList = { rule: 'account', list: list.number, since: list.from } as const;
      const named = list.named.get(`${placed.packageId} ${placed.months}`);
      if (named !== undefined) count('account, named');
      if (named !== undefined) return [{ ...byList, percentOff: null }, named];
      if (list.percentOff !== null) {
        count('account, by percent');
        assert.ok(isNearest(placed.priceCents, groupCents, list.percentOff));
        return [{ ...byList, percentOff: list.percentOff }, placed.priceCents];
      }
    }
    count('group');
    return [{ rule: 'group' }, groupCents];
  }

  function putList(one: Move & { type: 'list' }): void {
    const from = one.lead === 0 ? undefined : now + one.lead;
    const until = one.until === null ? null : (from ?? now) + one.until;
    const { percentOff, named } = one;
    const input = {
      accountId: account,
      from,
      until,
      percentOff,
      prices: named === null ? [] : [named],
      memo: null,
    };
    const outcome = oracle.putAccountPrices(input, now);
    if ('code' in outcome) assert.equal(outcome.code, 'price_already_scheduled');
    if ('code' in outcome || outcome.replayed) return;
    const cells = named === null ? [] : Object.entries(named.prices);
    lists.push({
      number: outcome.list.number,
      from: from ?? now,
      until,
      percentOff,
      named: new Map(cells.map(([each, price]) => [`${named?.packageId} ${each}`, price])),
    });
  }

  function set(changed: number, wanted: SomePrices): void {
    for (const [cell, price] of cellsOf(wanted)) current.set(`${changed} ${cell}`, price);
  }

  function numberOf(customer: string): string {
    const view = oracle.customer(account, customer, now);
    return 'code' in view ? '0' : String(view.number);
  }

  return { act };
}

function nameOf(customer: number): string {
  return customers[customer] ?? 'ann';
}

function cellsOf(wanted: SomePrices): [cell: string, price: bigint][] {
  return groups.flatMap((each) =>
    Object.entries(wanted[each] ?? {}).map(([count, price]): [string, bigint] => [`${each} ${count}`, price]),
  );
}

/** True if the price is at most half a cent from the exact amount. An exact half must be rounded up. */
function isNearest(price: bigint, groupCents: bigint, percentOff: number): boolean {
  const over = 2n * (price * 10_000n - groupCents * BigInt(10_000 - percentOff));
  return -10_000n < over && over <= 10_000n;
}
