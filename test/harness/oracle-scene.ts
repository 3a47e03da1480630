// The language of the oracle's test tables. A line: when | what is done | the result, as text. Dates mean midnight UTC;
// amounts are dollars. Imports nothing of the product.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CustomerView, Oracle, Prices, ProductMode, World } from '../../proof/oracle/oracle.ts';
import { createOracle } from '../../proof/oracle/oracle.ts';
import type { SettleOutcome } from '../../proof/oracle/oracle-handoff.ts';
import type { HistoryItem, PlanChangeOutcome, RenewalAttempt } from '../../proof/oracle/oracle-life.ts';
import type { PackageView, PriceList, PriceRule, PutListInput } from '../../proof/oracle/oracle-prices.ts';
import type { Period, Refusal } from '../../proof/oracle/oracle-request.ts';

export const shop = 1;
export const rival = 2;
/** basic: 10.00 a month, 27.00 a quarter, 100.00 a year; pro three times that; accounts start with 100.00. */
export const packages = { basic: 10, pro: 11, trial: 12, gift: 13 } as const;

const base = { trial: false, retired: false, durationDays: 30 };
const cheap = { 1: 1_000n, 3: 2_700n, 12: 10_000n };
const dear = { 1: 3_000n, 3: 8_100n, 12: 30_000n };
export const sceneWorld: World = {
  packages: [
    { ...base, id: packages.basic, name: 'Basic', prices: { reseller: cheap, distributor: cheap } },
    {
      ...base,
      id: packages.pro,
      name: 'Pro',
      prices: { reseller: dear, distributor: { 1: 2_000n, 3: 5_400n, 12: 20_000n } },
    },
    { ...base, id: packages.gift, name: 'Gift', prices: flat(0n) },
    { ...base, id: packages.trial, name: 'Trial', trial: true, durationDays: 7, prices: flat(0n) },
  ],
  accounts: [shop, rival].map((id) => ({ id, group: 'reseller', balanceCents: 10_000n })),
};

/** Lines that start with # are comments. */
export function examineByTables(name: string, tables: Readonly<Record<string, string>>): void {
  describe(name, () => {
    for (const [title, table] of Object.entries(tables)) {
      test(title, () => {
        const scene = createScene();
        const lines = table.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
        for (const line of lines) {
          const [when = '', what = '', expected = ''] = line.split('|').map((cell) => cell.trim());
          assert.equal(scene.run(what, secondsOf(when)), expected, line.trim());
        }
      });
    }
  });
}

/** Returns a function that carries out a table's line and returns the answer as text. */
export function createScene(oracle: Oracle = createOracle(sceneWorld)) {
  const customerIds = new Map<string, string>();
  const names = new Map<string, string>();

  function run(line: string, now: number): string {
    const words = line.split(/ (?=(?:[^"]*"[^"]*")*[^"]*$)/);
    const accountId = words[0] === 'rival' ? rival : shop;
    if (accountId === rival) words.shift();
    if (words[0] === 'list' || words[0] === 'list-from') return putList(words, accountId, now);
    const { body, rest } = splitWords(words);
    const [verb = '', who = '', what = ''] = rest;
    const plan = { accountId, customerId: customerIds.get(who) ?? who, body };
    switch (verb) {
      case 'order': {
        const order = {
          ...body,
          customer: who,
          package_id: packages[packageNamed(what)],
          months: Number(rest[3]),
        };
        const text = orderText(oracle.placeOrder({ accountId, body: order }, now));
        know(who, now);
        return text;
      }
      case 'renew':
        return orderText(oracle.renewOrder({ accountId, orderId: who, body }, now));
      case 'trial': {
        const again = what === 'again';
        const outcome = oracle.grantTrial({
          accountId,
          packageId: packages.trial,
          customer: who,
          now,
          again,
        });
        know(who, now);
        return 'code' in outcome ? refusalText(outcome) : viewText(outcome.customer);
      }
      case 'cancel': {
        const outcome = oracle.cancel({ ...plan, body: { ...(what !== '' && { at: what }), ...body } }, now);
        if ('code' in outcome) return refusalText(outcome);
        const { refundCents, balanceAfterCents } = outcome;
        return `refund ${amount(refundCents)}, balance ${amount(balanceAfterCents)}, ${planText(outcome)}`;
      }
      case 'suspend':
        return planText(oracle.suspend(plan, now));
      case 'resume':
        return planText(oracle.resume(plan, now));
      case 'auto':
        return planText(what === 'off' ? oracle.removeAutoRenew(plan, now) : oracle.setAutoRenew(plan, now));
      case 'hold':
      case 'release': {
        const status = verb === 'hold' ? 'suspended' : 'active';
        const outcome = oracle.setCustomerStatus({ ...plan, status }, now);
        return 'code' in outcome ? refusalText(outcome) : viewText(outcome.customer);
      }
      case 'show': {
        const view = oracle.customer(accountId, who, now);
        return 'code' in view ? refusalText(view) : viewText(view);
      }
      case 'history': {
        const items = oracle.history(accountId, who);
        return Array.isArray(items) ? items.map(itemText).join(', ') : refusalText(items);
      }
      case 'jobs':
        return oracle.runJobs(now).map(attemptText).join('; ') || 'nothing';
      case 'ledger': {
        const entry = oracle.ledger(accountId).at(-1);
        assert.ok(entry?.createdAt === now || entry?.kind === 'charge');
        return `${entry.kind} ${amount(entry.amountCents)}, balance ${amount(entry.balanceAfterCents)}`;
      }
      case 'settle': {
        const { reason = null, by = 'product' } = body;
        assert.ok(what === 'completed' || what === 'failed');
        assert.ok(reason === null || typeof reason === 'string');
        assert.ok(by === 'product' || by === 'operator');
        const input = { accountId, orderNumber: Number(who), outcome: what, reason, by } as const;
        return settledText(oracle.settleOrder(input, now));
      }
      case 'entries': {
        const entries = oracle.ledger(accountId).filter(({ orderNumber }) => String(orderNumber) === who);
        return entries.map(({ kind, amountCents }) => `${kind} ${amount(amountCents)}`).join(', ');
      }
      case 'orders':
        return oracle
          .orders(accountId, 1, 100)
          .data.map(({ number, status }) => `${number} ${status}`)
          .join(', ');
      case 'credit': {
        const outcome = oracle.credit({ accountId, amountCents: cents(who), actorId: 'operator' }, now);
        return 'code' in outcome ? refusalText(outcome) : `balance ${amount(outcome.balanceAfterCents)}`;
      }
      case 'lists':
        return oracle.accountPrices(accountId).map(listText).join(', ') || 'none';
      case 'unlist': {
        const outcome = oracle.deleteAccountPrices({ accountId, list: Number(who) }, now);
        return 'code' in outcome ? outcome.code : `deleted ${listText(outcome.list)}`;
      }
      case 'schedule': {
        const [packageId, months] = cellNamed(who);
        const each =
          months === null ? flat(cents(rest[3] ?? '')) : { reseller: { [months]: cents(rest[3] ?? '') } };
        const existingPlans = rest[4] === 'held' ? ('held' as const) : undefined;
        const scheduled = { packageId, from: momentOf(what), prices: each, existingPlans };
        const outcome = oracle.schedulePrices(scheduled, now);
        return 'code' in outcome ? outcome.code : outcome.replayed ? 'replayed' : 'scheduled';
      }
      case 'unschedule': {
        const outcome = oracle.unschedulePrices(
          { packageId: packages[packageNamed(who)], from: momentOf(what) },
          now,
        );
        return 'code' in outcome ? outcome.code : 'deleted';
      }
      case 'offer': {
        const view = oracle.packages(accountId, now).find(({ id }) => id === packages[packageNamed(who)]);
        return view === undefined ? 'not offered' : offerText(view);
      }
      default:
        arrange(verb, rest, now);
        return 'done';
    }
  }

  /** Parses `list-from 2026-02-01 until 2026-03-01 off 12.50 basic/1 8.00 memo vip`, or `list …` without a start. */
  function putList([verb = '', ...words]: readonly string[], accountId: number, now: number): string {
    const pairs = verb === 'list-from' ? ['from', ...words] : words;
    const input: PutListInput = { accountId, until: null, percentOff: null, prices: [], memo: null };
    for (let place = 0; place + 1 < pairs.length; place += 2) {
      const [name = '', value = ''] = pairs.slice(place, place + 2);
      if (name === 'from') input.from = momentOf(value);
      else if (name === 'until') input.until = momentOf(value);
      else if (name === 'off') input.percentOff = Number(cents(value));
      else if (name === 'memo') input.memo = value;
      else {
        const [packageId, months] = cellNamed(name);
        const cell = months === null ? {} : { [months]: cents(value) };
        const last = input.prices.at(-1);
        // Consecutive prices of one package become one entry.
        if (last?.packageId === packageId) Object.assign(last.prices, cell);
        else input.prices.push({ packageId, prices: cell });
      }
    }
    const outcome = oracle.putAccountPrices(input, now);
    if ('code' in outcome) {
      const { field } = outcome.details;
      return field === undefined ? outcome.code : `${outcome.code} ${field}`;
    }
    return `${listText(outcome.list)}${outcome.replayed ? ', replayed' : ''}`;
  }

  function arrange(verb: string, [, name, price = '']: readonly string[], now: number): void {
    const packageId = packages[packageNamed(name)];
    if (verb === 'price') oracle.setPrices({ packageId, prices: flat(cents(price)) }, now);
    else if (verb === 'retire') oracle.retirePackage({ packageId });
    else if (verb === 'sell') oracle.setPeriods({ packageId, periods: periodsNamed(price) });
    else if (verb === 'block' || verb === 'unblock')
      oracle.setBlocked({ accountId: shop, blocked: verb === 'block' });
    else if (verb === 'halt' || verb === 'unhalt')
      oracle.setHalted({ accountId: shop, halted: verb === 'halt' });
    else if (verb === 'mode') oracle.setProductMode({ mode: modeNamed(name) });
    else if (verb === 'distributor') oracle.setGroup({ accountId: shop, group: 'distributor' });
    else if (verb === 'no') oracle.setCancelRefund({ cancelRefund: 'none' });
    else throw new Error(`no such line: ${verb}`);
  }

  function know(name: string, now: number): void {
    const view = oracle.customer(shop, name, now);
    if ('code' in view) return;
    customerIds.set(name, String(view.number));
    names.set(String(view.number), name);
  }

  function attemptText({ customerNumber, outcome }: RenewalAttempt): string {
    return `${names.get(String(customerNumber))}: ${orderText(outcome)}`;
  }

  return { oracle, run };
}

/** `name=value` is a field, in JSON or plain. `key` is the idempotency key. */
function splitWords(words: readonly string[]): { body: Record<string, unknown>; rest: string[] } {
  const body: Record<string, unknown> = {};
  const rest: string[] = [];
  for (const word of words) {
    const [name = '', value] = word.split('=');
    if (value === undefined) rest.push(word);
    else body[name === 'key' ? 'idempotency_key' : name] = /^["0-9n]/.test(value) ? JSON.parse(value) : value;
  }
  return { body, rest };
}

function orderText(outcome: ReturnType<Oracle['placeOrder']>): string {
  if ('code' in outcome) return refusalText(outcome);
  const { kind, priceCents, priceRule, refundCents, expiresAt } = outcome.order;
  const less = refundCents === 0n ? '' : ` less ${amount(refundCents)}`;
  const waits = outcome.order.status === 'completed' ? '' : ` ${outcome.order.status}`;
  const again = outcome.replayed ? ', replayed' : '';
  return `${kind} ${amount(priceCents)}${ruleText(priceRule)}${less}${waits}, balance ${amount(outcome.balanceAfterCents)}, until ${timeText(expiresAt)}${again}`;
}

/** Returns no text for the group's price, which most tables use. */
function ruleText(priceRule: PriceRule): string {
  if (priceRule.rule === 'account') return ` by list ${priceRule.list}`;
  return priceRule.rule === 'held' ? ` held since ${timeText(priceRule.since)}` : '';
}

function listText({ number, from, until }: PriceList): string {
  return `list ${number} from ${timeText(from)}${until === null ? '' : ` until ${timeText(until)}`}`;
}

function offerText({ prices, rules, upcoming }: PackageView): string {
  const shown = (each: Pick<PackageView, 'prices' | 'rules'>) =>
    ([1, 3, 12] as const)
      .flatMap((months) => {
        const price = each.prices[months];
        return price === undefined ? [] : [`${amount(price)}${each.rules[months] === 'account' ? '*' : ''}`];
      })
      .join(' ');
  const later = upcoming.map((each) => `${timeText(each.from)}: ${shown(each)}`);
  return [shown({ prices, rules }), ...later].join('; ');
}

/** `basic/3` names package and months; `basic` names only the package. */
function cellNamed(text: string): [packageId: number, months: 1 | 3 | 12 | null] {
  const [name, months] = text.split('/');
  const packageId = name === 'trial' ? packages.trial : name === 'none' ? 999 : packages[packageNamed(name)];
  if (months === undefined) return [packageId, null];
  assert.ok(months === '1' || months === '3' || months === '12');
  return [packageId, ({ 1: 1, 3: 3, 12: 12 } as const)[months]];
}

/** Reads `2026-02-01` or `2026-02-01T12:00`. */
function momentOf(text: string): number {
  return secondsOf(text.replace('T', ' '));
}

function settledText(outcome: SettleOutcome): string {
  if ('code' in outcome) return refusalText(outcome);
  const { order, balanceAfterCents, replayed } = outcome;
  return `${order.status}${replayed ? ' before' : ''}, balance ${amount(balanceAfterCents)}`;
}

function planText(outcome: PlanChangeOutcome): string {
  if ('code' in outcome) return refusalText(outcome);
  return `${viewText(outcome.customer)}${outcome.replayed ? ', replayed' : ''}`;
}

function viewText({ plan, status: operators }: CustomerView): string {
  const { status, active, expiresAt, endsAtPeriodEnd, autoRenew } = plan;
  // The reseller's suspension makes the plan inactive; the operator's hold does not.
  assert.ok(status === 'suspended' || active === (status === 'active'));
  assert.ok(!(status === 'suspended' && active) || operators === 'suspended');
  const parts = [`${status} until ${timeText(expiresAt)}`];
  if (status === 'suspended' && active) parts.push('usable');
  if (endsAtPeriodEnd) parts.push('ending');
  if (autoRenew !== null) {
    const { months, nextAt, failure, maxChargeCents } = autoRenew;
    parts.push(
      [
        `auto ${months}`,
        ...(nextAt === null ? [] : [`at ${timeText(nextAt)}`]),
        ...(maxChargeCents === null ? [] : [`max ${amount(maxChargeCents)}`]),
        ...(failure === null ? [] : [`after ${failure}`]),
      ].join(' '),
    );
  }
  return parts.join(', ');
}

function itemText({ type, by, reason, code }: HistoryItem): string {
  const whom = by === 'account' ? '' : ` by ${by}`;
  return `${type}${whom}${reason === undefined ? '' : ` "${reason}"`}${code === undefined ? '' : ` ${code}`}`;
}

export function refusalText({ code, details }: Refusal): string {
  const more = details['reason'] ?? details['field'] ?? details['status'];
  return code === 'insufficient_credit' || more === undefined ? code : `${code} ${more}`;
}

function packageNamed(name: string | undefined): 'basic' | 'pro' | 'gift' {
  return name === 'pro' || name === 'gift' ? name : 'basic';
}

function modeNamed(name: string | undefined): ProductMode {
  assert.ok(name === 'none' || name === 'notify' || name === 'confirm');
  return name;
}

function periodsNamed(names: string): Period[] {
  return names.split(',').map((name) => {
    assert.ok(name === 'monthly' || name === 'quarterly' || name === 'yearly');
    return name;
  });
}

function flat(price: bigint): Prices {
  const prices = { 1: price, 3: price, 12: price };
  return { reseller: prices, distributor: prices };
}

export function cents(text: string): bigint {
  return BigInt(text.replace('.', ''));
}

export function amount(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(3, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function secondsOf(text: string): number {
  const [day, time = '00:00'] = text.split(' ');
  return Date.parse(`${day}T${time.length === 5 ? `${time}:00` : time}Z`) / 1_000;
}

export function timeText(at: number): string {
  return new Date(at * 1_000)
    .toISOString()
    .replace('T', ' ')
    .replace('.000Z', '')
    .replace(/:00$/, '')
    .replace(/ 00:00$/, '');
}
