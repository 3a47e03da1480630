// Checks whether the right rule set a past order's price, and whether the rule gives this price. Clocks differ, so every
// group price or hold within `slackSeconds` is accepted. Accounts' lists are compared exactly, because each records the
// order that it came after. Pure.

import type { Group } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { priceListOf } from '../packages/account-prices.ts';
import { lessPercent, listInForce, type PriceRule, type Run } from '../packages/price-rules.ts';
import type { PastOrder } from './past-orders.ts';
import { type Past, slackSeconds } from './past-packages.ts';

interface Payer {
  readonly accountId: number;
  readonly group: Group;
}

export function priceProblem(
  past: Past,
  { accountId, group }: Payer,
  order: PastOrder,
  run: Run | null,
): string | null {
  const { packageId, months, priceCents, priceRule, createdAt: at } = order;
  const groups = past.groupsAround(accountId, group, at);
  const groupPrices = (second: EpochSeconds) =>
    past.termsAround(packageId, second).flatMap(({ prices }) => groups.map((one) => prices[one][months]));
  const holds =
    run === null
      ? []
      : groups.map((one) => past.holdsOf(packageId, one, months).filter(({ from }) => from > run.since));

  if (priceRule.name === 'held') {
    const hold = holds.flat().find(({ from }) => from === priceRule.since && from <= at);
    if (run === null || hold === undefined)
      return 'it has a held price, but nothing held the price of the plan';
    const paid = run.lastPaidCents(months);
    const should = paid === null ? [hold.beforeCents, ...groupPrices(hold.from - 1)] : [paid];
    if (should.includes(priceCents)) return null;
    return `it has a held price of ${priceCents} cents, but the plan last paid ${should[0]}`;
  }
  if (run !== null && holds.every((of) => of.some(({ from }) => from <= at - slackSeconds))) {
    return 'its price was held, but it paid another';
  }

  const lists = past.listsOf(accountId).filter(({ afterOrder }) => afterOrder < order.number);
  const list = listInForce(lists.map(priceListOf), at);
  const named = list?.priceOf(packageId, months);
  const percentOff = named === undefined ? (list?.percentOff ?? null) : null;
  const isOfList = named !== undefined || percentOff !== null;
  const should: PriceRule =
    list !== null && isOfList
      ? { name: 'account', list: list.id, since: list.from, percentOff }
      : { name: 'group' };
  if (JSON.stringify(priceRule) !== JSON.stringify(should)) {
    return `its price is by the rule "${nameOf(priceRule)}", but "${nameOf(should)}" applied`;
  }
  const prices =
    named === undefined ? groupPrices(at).map((cents) => lessPercent(cents, percentOff ?? 0)) : [named];
  if (prices.includes(priceCents)) return null;
  return `${priceCents} cents were never the price of package ${packageId} at that time`;
}

function nameOf(rule: PriceRule): string {
  return rule.name === 'account' ? `account, list ${rule.list}` : rule.name;
}
