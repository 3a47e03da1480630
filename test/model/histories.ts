// Histories for the model tests: what a handful of accounts do over some years, drawn at random and told
// through the oracle. Used by core-model.ts, long-core.ts and the service's model test.
//
// A history is drawn as numbers ("genes"), and every list of genes is a history: so fast-check can shrink
// it, and the long form can draw it with a plain generator, both with exactly the same distribution. The
// smaller a gene, the plainer what it means. Genes say "the order before last" or "one second before that
// plan ends"; `tellHistory` makes definite requests of them, with the oracle's answer beside each.

import fc from 'fast-check';
import type {
  AccountId,
  Group,
  Oracle,
  OrderOutcome,
  PackageView,
  PriceRefusal,
  Prices,
  SomePrices,
  World,
} from './oracle.ts';
import { createOracle } from './oracle.ts';
import { addMonths, secondsPerDay } from './oracle-calendar.ts';
import type { Months, Refusal } from './oracle-request.ts';

export type Genes = readonly number[];

export interface History {
  readonly world: Genes;
  readonly operations: readonly Genes[];
}

/** What the service calls the accounts, packages and customers of a history; by their place in `groups` and so on. */
export interface Naming {
  readonly accountIds: readonly number[];
  readonly packageIds: readonly number[];
  readonly customerSuffix: string;
}

export const groups: readonly Group[] = ['reseller', 'reseller', 'distributor', 'administrator'];

export interface PackageMould {
  readonly name: string;
  readonly trial: boolean;
  readonly retired: boolean;
  readonly durationDays: number;
  readonly prices: Prices;
}

const free = [0n, 0n, 0n] as const;

export const packageMoulds: readonly PackageMould[] = [
  mould('Basic', {}, [1000n, 2700n, 9600n], [800n, 2100n, 7200n]),
  mould('Plus', {}, [2500n, 7000n, 25_000n], [2000n, 5500n, 19_000n]),
  mould('Odd', {}, [999n, 2888n, 9997n], [777n, 2222n, 7771n]),
  mould('Gift', {}, [0n, 0n, 1n], free),
  mould('Old', { retired: true }, [500n, 1500n, 6000n], [500n, 1500n, 6000n]),
  mould('Trial', { trial: true }, free, free),
  mould('Old trial', { trial: true, retired: true }, free, free),
];

export type OrderPath =
  | { readonly kind: 'own'; readonly number: number }
  | { readonly kind: 'foreign'; readonly account: number; readonly number: number }
  | { readonly kind: 'text'; readonly text: string };

export type Body = Readonly<Record<string, unknown>>;

/** `mintedBy`: the request sends the key that the service minted for the order of that step. */
interface Keyed {
  readonly headerKey: string | undefined;
  readonly mintedBy: number | null;
}

export interface PlaceStep extends Keyed {
  readonly type: 'place';
  readonly account: number;
  readonly body: Body;
}

export interface RenewStep extends Keyed {
  readonly type: 'renew';
  readonly account: number;
  readonly order: OrderPath;
  readonly body: Body | undefined;
}

export interface CreditStep {
  readonly type: 'credit';
  readonly account: number;
  readonly amountCents: bigint;
  readonly memo: string | undefined;
  readonly key: string | undefined;
}

export type Request =
  | PlaceStep
  | RenewStep
  | CreditStep
  | {
      readonly type: 'trial';
      readonly account: number;
      readonly packageId: number;
      readonly customer: string;
    }
  | { readonly type: 'group'; readonly account: number; readonly group: 'reseller' | 'distributor' }
  | { readonly type: 'prices'; readonly packageId: number; readonly prices: SomePrices }
  | {
      readonly type: 'schedule';
      readonly packageId: number;
      readonly from: number;
      readonly prices: SomePrices;
    }
  | { readonly type: 'unschedule'; readonly packageId: number; readonly from: number }
  | { readonly type: 'retire'; readonly packageId: number }
  | { readonly type: 'wait' };

export type Expected =
  | { readonly type: 'order'; readonly outcome: OrderOutcome }
  | { readonly type: 'credit'; readonly outcome: { replayed: boolean; balanceAfterCents: bigint } | Refusal }
  | { readonly type: 'trial'; readonly outcome: Refusal | { replayed: boolean } }
  | { readonly type: 'schedule'; readonly outcome: PriceRefusal | { status: number; replayed: boolean } }
  /** What GET /packages shows the account. */
  | { readonly type: 'packages'; readonly account: number; readonly views: readonly PackageView[] }
  | { readonly type: 'done' };

export interface Step {
  readonly at: number;
  readonly request: Request;
  readonly expected: Expected;
}

export interface Told {
  readonly naming: Naming;
  readonly steps: readonly Step[];
  readonly oracle: Oracle;
  /** When the last step was. */
  readonly endedAt: number;
  /** Every customer's account, by reference, in the order of their creation. */
  readonly owners: ReadonlyMap<string, number>;
}

// ------------------------------------------------------------------------------------------- drawing

const genesPerOperation = 10;
const genesPerWorld = 8;
/** Genes are 0 to this, without it. */
const geneLimit = 10_000;

/** fast-check's way to draw a history. */
export function historyArbitrary(operationsMax: number): fc.Arbitrary<History> {
  // Without fast-check's bias to 0 and the maximum: the distribution is made by the tables below.
  const gene = fc.noBias(fc.nat(geneLimit - 1));
  const genes = (count: number) => fc.array(gene, { minLength: count, maxLength: count, size: 'max' });
  return fc.record({
    world: genes(genesPerWorld),
    operations: fc.array(genes(genesPerOperation), { maxLength: operationsMax, size: 'max' }),
  });
}

/** The long form's way: the same distribution from a plain generator, without fast-check's cost. */
export function drawHistory(random: Random, operations: number): History {
  const genes = (count: number) => Array.from({ length: count }, () => Math.floor(random() * geneLimit));
  return {
    world: genes(genesPerWorld),
    operations: Array.from({ length: operations }, () => genes(genesPerOperation)),
  };
}

/** From 0 to 1, without 1. */
export type Random = () => number;

/** sfc32: small, fast, and the same on every machine. */
export function createRandom(seed: number, stream: number): Random {
  let [a, b, c, counter] = [seed | 0, stream | 0, 0x9e3779b9, 1];
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
  for (let round = 0; round < 15; round += 1) next();
  return next;
}

// -------------------------------------------------------------------------------------- what genes mean

type Choices<Value> = readonly Value[];

/** Each value as often as its weight; the first is the plainest. */
function choices<const Value>(...rows: readonly (readonly [weight: number, value: Value])[]): Choices<Value> {
  return rows.flatMap(([weight, value]) => new Array<Value>(weight).fill(value));
}

/** Takes one gene after the other; those that are missing read as 0. */
function createReader(genes: Genes) {
  let place = 0;
  const below = (count: number): number => {
    const gene = genes[place] ?? 0;
    place += 1;
    return Math.floor((gene * count) / geneLimit);
  };
  // A value may itself be undefined, so it is not asked whether there is one.
  const pick = <Value>(from: Choices<Value>): Value => from[below(from.length)] as Value;
  return { below, pick };
}

type Reader = ReturnType<typeof createReader>;

const startTimes = choices(
  [2, '2026-01-15T12:00:00Z'],
  [2, '2026-01-31T12:00:00Z'],
  [1, '2027-11-30T23:59:59Z'],
  [2, '2028-02-28T23:59:58Z'],
  [2, '2028-02-29T00:00:00Z'],
  [1, '2027-02-28T06:30:00Z'],
  [1, '2025-12-31T00:00:01Z'],
  [1, '2096-02-29T06:00:00Z'],
);

const openingBalances = choices<bigint>([2, 30_000n], [2, 5000n], [2, 100_000n], [1, 2000n], [1, 0n]);

const operationTypes = choices(
  [34, 'place'],
  [18, 'renew'],
  [17, 'again'],
  [9, 'credit'],
  [4, 'trial'],
  [13, 'wait'],
  [2, 'group'],
  [2, 'prices'],
  [4, 'schedule'],
  [2, 'unschedule'],
  [1, 'retire'],
  [1, 'burst'],
);

const customers = [
  'ada@example.com',
  'bob',
  'cy.d_e-f',
  'dora@mail.example.org',
  'e2',
  'fay',
  'gil@x.example',
  'h-0',
];
const customersPerHome = 2;

/** How the customer is written: `null` stands for the plain reference. */
const customerSpellings = choices<'plain' | 'loud' | { readonly customer?: unknown }>(
  [80, 'plain'],
  [10, 'loud'],
  [1, {}],
  [1, { customer: '' }],
  [1, { customer: 'two words' }],
  [1, { customer: 'no body@example.com' }],
  [1, { customer: 7 }],
  [1, { customer: 'ünder' }],
  [1, { customer: 'a@b@example.com' }],
);

/** A package of the moulds by its place, or a `package_id` as it is sent. */
const packageChoices = choices<number | { readonly package_id?: unknown }>(
  [30, 0],
  [18, 1],
  [16, 2],
  [8, 3],
  [3, 4],
  [3, 5],
  [1, 6],
  [1, {}],
  [1, { package_id: 999_999 }],
  [1, { package_id: 2 ** 31 }],
  [1, { package_id: -1 }],
  [1, { package_id: '1' }],
  [1, { package_id: 1.5 }],
  [1, { package_id: null }],
);

const monthsSpellings = choices<Body>(
  [30, {}],
  [12, { months: 1 }],
  [14, { months: 3 }],
  [14, { months: 12 }],
  [4, { period: 'monthly' }],
  [5, { period: 'quarterly' }],
  [5, { period: 'yearly' }],
  [3, { months: 3, period: 'quarterly' }],
  [3, { months: 12, period: 'yearly' }],
  [1, { months: 12, period: 'monthly' }],
  [1, { months: 2 }],
  [1, { months: '1' }],
  [1, { period: 'Monthly' }],
  [1, { months: null }],
);

const renewMonths = choices<Body>(
  [50, {}],
  [10, { months: 1 }],
  [10, { months: 3 }],
  [14, { months: 12 }],
  [4, { period: 'quarterly' }],
  [2, { months: 1, period: 'monthly' }],
  [1, { months: 1, period: 'yearly' }],
  [1, { months: 6 }],
);

/** A key in the header, in the body, in both; a string of the set, or as it is sent. */
const keyChoices = choices<{ readonly header?: string; readonly body?: unknown }>(
  [50, {}],
  [7, { header: 'K1' }],
  [7, { header: 'K2' }],
  [6, { header: 'K3' }],
  [6, { header: 'K4' }],
  [4, { body: 'K5' }],
  [4, { body: 'k5' }],
  [3, { header: 'K6', body: 'K6' }],
  [3, { header: `~!${'K'.repeat(78)}` }],
  [1, { header: 'K1', body: 'K2' }],
  [1, { header: 'two words' }],
  [1, { body: '' }],
  [1, { body: 'K'.repeat(81) }],
  [1, { body: 5 }],
);

const nameChoices = choices<Body>(
  [60, {}],
  [14, { customer_name: 'Ada Lovelace' }],
  [8, { customer_name: '  Ada Lovelace ' }],
  [6, { customer_name: 'Zoë 🦆' }],
  [4, { customer_name: '' }],
  [3, { customer_name: 'x'.repeat(120) }],
  [1, { customer_name: 'x'.repeat(121) }],
  [1, { customer_name: 'bell\u0007' }],
  [1, { customer_name: 5 }],
);

const loginChoices = choices<Body>(
  [80, {}],
  [12, { return_login: true }],
  [6, { return_login: false }],
  [1, { return_login: 'yes' }],
);

/** The last ones are no amounts. */
const guardChoices = choices<Body>(
  [60, {}],
  [4, { max_charge: '1000000' }],
  [5, { max_charge: '25.00' }],
  [4, { max_charge: '10' }],
  [3, { max_charge: '9.9' }],
  [3, { max_charge: '0.00' }],
  [2, { max_charge: '-0.01' }],
  [2, { max_charge: '-15.5' }],
  [1, { max_charge: 25 }],
  [1, { max_charge: '1.234' }],
  [1, { max_charge: '' }],
  [1, { max_charge: null }],
);

const orderChoices = choices<'latest' | 'any' | 'missing' | 'foreign' | { readonly text: string }>(
  [70, 'latest'],
  [18, 'any'],
  [5, 'missing'],
  [4, 'foreign'],
  [1, { text: '0' }],
  [1, { text: '99999999999999999999' }],
);

const amounts = choices<bigint>(
  [8, 10_000n],
  [5, 2500n],
  [5, 50_000n],
  [2, 1n],
  [2, 3333n],
  [4, -1000n],
  [2, -1n],
  [2, -25_000n],
  [3, -999_999_00n],
);

const memos = choices<string | undefined>([4, undefined], [2, 'top-up'], [1, 'correction']);
const creditKeys = choices<string | undefined>([5, undefined], [1, 'C1'], [1, 'C2'], [1, 'K1']);

/** What is different when an earlier request is sent again. */
const againChanges = choices(
  [24, 'nothing'],
  [22, 'spelling'],
  [18, 'afresh'],
  [8, 'months'],
  [5, 'package'],
  [5, 'customer'],
  [5, 'name'],
  [4, 'key'],
  [3, 'account'],
  [4, 'endpoint'],
  [3, 'order'],
  [6, 'guard'],
);

const priceSets: Choices<readonly [bigint, bigint, bigint]> = choices(
  [1, [1500n, 4000n, 15_000n] as const],
  [1, [100n, 299n, 1100n] as const],
  [1, [333n, 1000n, 3334n] as const],
  [1, [1n, 2n, 7n] as const],
  [1, [0n, 0n, 0n] as const],
  [1, [9999n, 1n, 20_000n] as const],
);

/** Which of the six a change of prices names. */
const namedCells = choices<(prices: Prices) => SomePrices>(
  [4, (prices) => prices],
  [2, ({ reseller }) => ({ reseller })],
  [2, ({ reseller }) => ({ reseller: { 1: reseller[1] } })],
  [1, ({ distributor }) => ({ distributor: { 1: distributor[1], 12: distributor[12] } })],
);

/** From now to the second of a schedule. */
const leads = choices(
  [3, 20 * secondsPerDay],
  [3, 5],
  [2, 3600],
  [2, 200 * secondsPerDay],
  [1, 1],
  [1, 0],
  [1, -1],
);

const waits = choices(
  [20, 'seconds'],
  [10, 'days'],
  [26, 'expiry'],
  [14, 'price'],
  [5, 'month_end'],
  [2, 'leap_day'],
  [3, 'year'],
);

// ------------------------------------------------------------------------------------------- telling

/** The history as definite requests, each with the oracle's answer. */
export function tellHistory(history: History, naming: Naming): Told {
  const world = createReader(history.world);
  let at = Date.parse(world.pick(startTimes)) / 1000;
  const oracle = createOracle(oracleWorld(naming));
  const steps: Step[] = [];
  const owners = new Map<string, number>();
  const retired = new Set(packageMoulds.flatMap((one, slot) => (one.retired ? [packageIdOf(slot)] : [])));
  /** Requests that may be sent again, by their place in `steps`. */
  const repeatable: number[] = [];
  /** Seconds for which prices were scheduled, by package. */
  const scheduled: { readonly packageId: number; readonly from: number; readonly prices: SomePrices }[] = [];

  for (const [account] of groups.entries()) {
    const amountCents = world.pick(openingBalances);
    if (amountCents > 0n) take({ type: 'credit', account, amountCents, memo: 'opening', key: undefined });
  }
  for (const genes of history.operations) {
    for (const request of requestsOf(createReader(genes))) take(request);
  }
  return { naming, steps, oracle, endedAt: at, owners };

  function take(request: Request): void {
    const expected = ask(request);
    if (request.type === 'place' || request.type === 'renew' || request.type === 'credit')
      repeatable.push(steps.length);
    steps.push({ at, request, expected });
  }

  function requestsOf(reader: Reader): readonly Request[] {
    const type = reader.pick(operationTypes);
    if (type === 'burst') return burstOf(reader);
    const request = requestOf(reader, type);
    return request === null ? [] : [request];
  }

  function requestOf(
    reader: Reader,
    type: Exclude<(typeof operationTypes)[number], 'burst'>,
  ): Request | null {
    switch (type) {
      case 'place':
        return placeOf(reader);
      case 'renew':
        return renewOf(reader);
      case 'again':
        return againOf(reader);
      case 'credit':
        return {
          type,
          account: reader.below(groups.length),
          amountCents: reader.pick(amounts),
          memo: reader.pick(memos),
          key: reader.pick(creditKeys),
        };
      case 'trial': {
        const account = reader.below(groups.length);
        const customer = customerOf(reader, account);
        const packageId = packageIdOf(reader.pick([5, 5, 5, 5, 5, 5, 6, 0]));
        return { type, account, packageId, customer };
      }
      case 'wait':
        return waitOf(reader);
      case 'group': {
        // An administrator is at distributor level whatever happens: its group is not changed here.
        const account = reader.below(groups.length - 1);
        return { type, account, group: reader.pick(['reseller', 'distributor']) };
      }
      case 'prices': {
        const slot = reader.below(4);
        const reseller = reader.pick(priceSets);
        const distributor = reader.pick(priceSets);
        const prices = reader.pick(namedCells)(pricesOf(reseller, distributor));
        return { type, packageId: packageIdOf(slot), prices };
      }
      case 'schedule': {
        const slot = reader.pick([0, 0, 0, 1, 1, 2, 3, 4, 5]);
        const from = at + reader.pick(leads);
        const prices = reader.pick(namedCells)(pricesOf(reader.pick(priceSets), reader.pick(priceSets)));
        const earlier = scheduled.at(-1 - reader.below(3));
        const how = reader.below(10);
        if (earlier === undefined || how < 7) return { type, packageId: packageIdOf(slot), from, prices };
        // The same request again, or other prices for the same second.
        return { type, ...earlier, ...(how > 8 && { prices }) };
      }
      case 'unschedule': {
        const earlier = scheduled.at(-1 - reader.below(4));
        const isMissing = earlier === undefined || reader.below(8) === 7;
        if (isMissing) return { type, packageId: packageIdOf(0), from: at + 7 };
        return { type, packageId: earlier.packageId, from: earlier.from };
      }
      case 'retire':
        return { type, packageId: packageIdOf(reader.pick([3, 3, 3, 2, 2, 1, 0])) };
      default:
        return type satisfies never;
    }
  }

  function placeOf(reader: Reader): PlaceStep {
    const account = reader.below(groups.length);
    const customer = customerOf(reader, account);
    const chosen = reader.pick(packageChoices);
    const months = reader.pick(monthsSpellings);
    const key = reader.pick(keyChoices);
    const name = reader.pick(nameChoices);
    const spelling = reader.pick(customerSpellings);
    const login = reader.pick(loginChoices);
    const guard = reader.pick(guardChoices);
    const body = {
      ...(typeof chosen === 'number' ? { package_id: packageIdOf(chosen) } : chosen),
      ...(spelling === 'plain'
        ? { customer }
        : spelling === 'loud'
          ? { customer: loud(customer) }
          : spelling),
      ...months,
      ...name,
      ...login,
      ...guard,
      ...('body' in key && { idempotency_key: key.body }),
    };
    return { type: 'place', account, body, headerKey: key.header, mintedBy: null };
  }

  /** Yearly renewals, one on top of the other, with the money for them: up to and beyond ten years. */
  function burstOf(reader: Reader): readonly Request[] {
    const account = accountWithOrders(reader.below(groups.length));
    const number = orderCountOf(account);
    if (number === 0) return [];
    const renewal: RenewStep = {
      type: 'renew',
      account,
      order: { kind: 'own', number },
      body: { months: 12 },
      headerKey: undefined,
      mintedBy: null,
    };
    const money: CreditStep = {
      type: 'credit',
      account,
      amountCents: 150_000n,
      memo: 'much',
      key: undefined,
    };
    return [money, ...new Array<Request>(7 + reader.below(5)).fill(renewal)];
  }

  /** This account, or the next one that has ordered anything. */
  function accountWithOrders(account: number): number {
    const order = groups.map((_group, step) => (account + step) % groups.length);
    return order.find((candidate) => orderCountOf(candidate) > 0) ?? account;
  }

  function renewOf(reader: Reader): RenewStep {
    const account = accountWithOrders(reader.below(groups.length));
    const chosen = reader.pick(orderChoices);
    const count = orderCountOf(account);
    const back = reader.below(chosen === 'latest' ? Math.min(4, count) : count);
    const months = reader.pick(renewMonths);
    const key = reader.pick(keyChoices);
    const body = {
      ...months,
      ...reader.pick(guardChoices),
      ...('body' in key && { idempotency_key: key.body }),
    };
    const foreign = (account + 1) % groups.length;
    const order: OrderPath =
      chosen === 'foreign'
        ? { kind: 'foreign', account: foreign, number: Math.max(1, orderCountOf(foreign)) }
        : chosen === 'missing'
          ? { kind: 'own', number: count + 1 }
          : typeof chosen === 'object'
            ? { kind: 'text', text: chosen.text }
            : { kind: 'own', number: Math.max(1, count - back) };
    const isEmpty = Object.keys(body).length === 0;
    return {
      type: 'renew',
      account,
      order,
      body: isEmpty ? undefined : body,
      headerKey: key.header,
      mintedBy: null,
    };
  }

  /** One of the last requests again: the same, spelled otherwise, or with one thing changed. */
  function againOf(reader: Reader): Request | null {
    const index = repeatable[repeatable.length - 1 - reader.below(Math.min(10, repeatable.length))];
    const earlier = index === undefined ? undefined : steps[index];
    if (index === undefined || earlier === undefined) return null;
    const change = reader.pick(againChanges);
    const { request } = earlier;
    if (request.type === 'credit') {
      if (change === 'name') return { ...request, memo: `${request.memo ?? ''}!` };
      if (change === 'months') return { ...request, amountCents: request.amountCents * 2n };
      return change === 'account' ? { ...request, account: (request.account + 1) % groups.length } : request;
    }
    if (request.type !== 'place' && request.type !== 'renew') return null;
    const sentKey = request.headerKey ?? request.body?.['idempotency_key'];
    const isOrdered = earlier.expected.type === 'order' && 'order' in earlier.expected.outcome;
    // A request without a key can be sent again with the key that its answer showed.
    const again: PlaceStep | RenewStep =
      sentKey === undefined && isOrdered && change !== 'key' && change !== 'afresh'
        ? { ...request, mintedBy: request.mintedBy ?? index }
        : request;
    return again.type === 'place' ? changePlace(again, change, reader) : changeRenew(again, change, reader);
  }

  function changePlace(request: PlaceStep, change: string, reader: Reader): Request {
    const { body } = request;
    switch (change) {
      case 'guard':
        return { ...request, body: { ...body, ...reader.pick(guardChoices) } };
      case 'spelling': {
        const { customer, return_login: returnLogin } = body;
        return {
          ...moveKey(request),
          body: {
            ...respellMonths(moveKey(request).body, reader),
            ...(typeof customer === 'string' && { customer: loud(customer) }),
            ...(returnLogin === true ? { return_login: false } : {}),
            unknown: { field: [1] },
          },
        };
      }
      case 'months':
        return { ...request, body: { ...withoutMonths(body), months: reader.pick([12, 3, 1]) } };
      case 'package':
        return { ...request, body: { ...body, package_id: packageIdOf(reader.below(3)) } };
      case 'customer':
        return { ...request, body: { ...body, customer: customerOf(reader, request.account) } };
      case 'name':
        return { ...request, body: { ...body, customer_name: reader.pick(['Eve', 'Ada Lovelace', '']) } };
      case 'key':
        return withKey(request, reader.pick(['K7', 'K8', 'K9']));
      case 'afresh':
        return withKey(request, undefined);
      case 'account':
        return { ...request, account: (request.account + 1) % groups.length };
      case 'endpoint': {
        const number = Math.max(1, orderCountOf(request.account));
        const { idempotency_key: key } = body;
        return {
          ...request,
          type: 'renew',
          order: { kind: 'own', number },
          body: { ...(key !== undefined && { idempotency_key: key }) },
        };
      }
      default:
        return request;
    }
  }

  function changeRenew(request: RenewStep, change: string, reader: Reader): Request {
    switch (change) {
      case 'guard':
        return { ...request, body: { ...request.body, ...reader.pick(guardChoices) } };
      case 'spelling': {
        const moved = moveKey(request);
        const original = originalMonths(request);
        const isAbsent = request.body?.['months'] === undefined && request.body?.['period'] === undefined;
        const body =
          isAbsent && original !== null
            ? { ...moved.body, months: original }
            : respellMonths(moved.body ?? {}, reader);
        return { ...moved, body };
      }
      case 'months':
        return {
          ...request,
          body: { ...withoutMonths(request.body ?? {}), months: reader.pick([12, 3, 1]) },
        };
      case 'order':
      case 'package': {
        const number = 1 + reader.below(orderCountOf(request.account) + 1);
        return { ...request, order: { kind: 'own', number } };
      }
      case 'key':
        return withKey(request, reader.pick(['K7', 'K8', 'K9']));
      case 'afresh':
        return withKey(request, undefined);
      case 'account':
        return { ...request, account: (request.account + 1) % groups.length };
      case 'endpoint': {
        const { idempotency_key: key } = request.body ?? {};
        const customer = customerOf(reader, request.account);
        const body = {
          package_id: packageIdOf(0),
          customer,
          ...(key !== undefined && { idempotency_key: key }),
        };
        const { account, headerKey, mintedBy } = request;
        return { type: 'place', account, body, headerKey, mintedBy };
      }
      default:
        return request;
    }
  }

  function originalMonths(request: RenewStep): Months | null {
    if (request.order.kind !== 'own') return null;
    const order = oracle.order(accountIdOf(request.account), request.order.number);
    return 'months' in order ? order.months : null;
  }

  function waitOf(reader: Reader): Request {
    const how = reader.pick(waits);
    const before = at;
    if (how === 'seconds') at += reader.pick([1, 2, 59, 3600, 43_199, secondsPerDay]);
    if (how === 'days') at += reader.below(40 * secondsPerDay);
    if (how === 'expiry') {
      const ends = [...owners].flatMap(([reference, account]) => {
        const view = oracle.customer(accountIdOf(account), reference, at);
        return 'plan' in view && view.plan.active ? [view.plan.expiresAt] : [];
      });
      // Mostly the plan that ends first: going to the end of a yearly one leaves nothing running.
      ends.sort((a, b) => a - b);
      const end = ends[reader.pick([0, 0, 0, 1, 1, 2]) % Math.max(1, ends.length)];
      if (end !== undefined) at = end + reader.pick([-1, 0, 1]);
    }
    if (how === 'price') {
      const seconds = scheduled.map(({ from }) => from).filter((from) => from >= at);
      const second = seconds[reader.below(seconds.length)];
      if (second !== undefined) at = second + reader.pick([-1, 0, 0, 1]);
    }
    if (how === 'month_end') at = startOfMonthAfter(at) + reader.pick([-1, 0, 1, -43_200]);
    if (how === 'leap_day') at = leapDayAfter(at) + reader.pick([0, 43_200, secondsPerDay - 1]);
    if (how === 'year') at = addMonths(at, reader.pick([12, 12, 24, 36]));
    at = Math.max(at, before);
    return { type: 'wait' };
  }

  /** Mostly the account's own two, sometimes anybody's: so customers are shared, and fought over. */
  function customerOf(reader: Reader, account: number): string {
    const drawn = reader.below(customers.length * customersPerHome * 2);
    const place =
      drawn < customers.length
        ? account * customersPerHome + (drawn % customersPerHome)
        : drawn < customers.length * 3
          ? (account * customersPerHome + (drawn % customersPerHome)) % customers.length
          : drawn;
    const reference = customers[place % customers.length] ?? 'bob';
    const [local, domain] = reference.split('@');
    return `${local}${naming.customerSuffix}${domain === undefined ? '' : `@${domain}`}`;
  }

  function ask(request: Request): Expected {
    switch (request.type) {
      case 'place': {
        const { account, body } = request;
        const headerKey = headerKeyOf(request);
        const outcome = oracle.placeOrder({ accountId: accountIdOf(account), body, headerKey }, at);
        if ('order' in outcome) own(outcome.order.customerReference, account);
        return { type: 'order', outcome };
      }
      case 'renew': {
        const { account, body, order } = request;
        const headerKey = headerKeyOf(request);
        const isOwn = order.kind === 'own' || (order.kind === 'foreign' && order.account === account);
        const orderId = isOwn ? String(order.number) : '0';
        const outcome = oracle.renewOrder({ accountId: accountIdOf(account), orderId, body, headerKey }, at);
        return { type: 'order', outcome };
      }
      case 'credit': {
        const { account, amountCents, memo, key } = request;
        const administrator = accountIdOf(groups.length - 1);
        const outcome = oracle.credit(
          { accountId: accountIdOf(account), amountCents, memo, key, actorId: administrator },
          at,
        );
        return { type: 'credit', outcome };
      }
      case 'trial':
        return { type: 'trial', outcome: askTrial(request) };
      case 'group':
        oracle.setGroup({ accountId: accountIdOf(request.account), group: request.group });
        return { type: 'done' };
      case 'prices':
        oracle.setPrices(request, at);
        return { type: 'done' };
      case 'schedule': {
        const outcome = oracle.schedulePrices(request, at);
        if (!('code' in outcome) && !outcome.replayed) scheduled.push(request);
        return { type: 'schedule', outcome };
      }
      case 'unschedule':
        return { type: 'schedule', outcome: oracle.unschedulePrices(request, at) };
      case 'retire':
        retired.add(request.packageId);
        oracle.retirePackage(request);
        return { type: 'done' };
      case 'wait': {
        const account = steps.length % groups.length;
        return { type: 'packages', account, views: oracle.packages(accountIdOf(account), at) };
      }
      default:
        return request satisfies never;
    }
  }

  /** With the service's choices where the documents are silent (A31). */
  function askTrial(request: Request & { type: 'trial' }): Refusal | { replayed: boolean } {
    const { account, packageId, customer: reference } = request;
    const before = oracle.customer(accountIdOf(account), reference, at);
    const outcome = oracle.grantTrial({
      accountId: accountIdOf(account),
      packageId,
      customer: reference,
      now: at,
    });
    if (!('code' in outcome)) {
      own(reference, account);
      return { replayed: false };
    }
    // An ordinary package is known, only not a trial.
    if (outcome.code === 'invalid_package')
      return { code: 'package_unavailable', details: { field: 'package_id' } };
    // A grant that is repeated finds its own trial.
    const runsTheSame = 'plan' in before && before.plan.active && before.plan.packageId === packageId;
    return outcome.code === 'order_failed' && runsTheSame ? { replayed: true } : outcome;
  }

  function own(reference: string, account: number): void {
    if (!owners.has(reference)) owners.set(reference, account);
  }

  function headerKeyOf({ headerKey, mintedBy }: Keyed): string | undefined {
    if (mintedBy === null) return headerKey;
    const expected = steps[mintedBy]?.expected;
    if (expected?.type !== 'order' || !('order' in expected.outcome))
      throw new Error(`step ${mintedBy} made no order`);
    return expected.outcome.order.idempotencyKey;
  }

  function orderCountOf(account: number): number {
    return oracle.orders(accountIdOf(account), 1, 1).total;
  }

  function accountIdOf(account: number): number {
    return naming.accountIds[account] ?? 0;
  }

  function packageIdOf(slot: number): number {
    return naming.packageIds[slot] ?? 0;
  }
}

/** Whether what was asked moves the world between two orders: a batch never reaches across it. */
export function isCommand({ type }: Request): boolean {
  return type === 'place' || type === 'renew' || type === 'credit' || type === 'trial';
}

/** "place 201 change", "renew 409 idempotency_conflict": by which the distribution is counted. */
export function labelOf({ request, expected }: Step): string {
  if (expected.type === 'done' || expected.type === 'packages') return request.type;
  const { outcome } = expected;
  if ('code' in outcome) {
    const details: Readonly<Record<string, string>> = outcome.details;
    const reason = outcome.code === 'order_failed' ? ` ${details['reason']}` : '';
    const field = details['field'] === undefined ? '' : ` (${details['field']})`;
    return `${request.type} ${outcome.code}${reason}${field}`;
  }
  const kind = 'order' in outcome ? ` ${outcome.order.kind}` : '';
  const refund = 'order' in outcome && outcome.order.refundCents > 0n ? ' with a refund' : '';
  const status = 'status' in outcome ? outcome.status : 201;
  return `${request.type} ${status}${kind}${outcome.replayed ? ', replayed' : refund}`;
}

/** What a run of many histories must have met; otherwise it has proved less than it says. */
const labelsOfEveryRun = [
  'place 201 activate',
  'place 201 renew',
  'place 201 change',
  'place 201 change with a refund',
  'place 201 activate, replayed',
  'place 201 renew, replayed',
  'place 201 change, replayed',
  'renew 201 renew',
  'renew 201 renew, replayed',
  'place idempotency_conflict',
  'renew idempotency_conflict',
  'place invalid_idempotency_key (idempotency_key)',
  'renew invalid_idempotency_key (idempotency_key)',
  'place invalid_json (customer_name)',
  'place invalid_json (return_login)',
  'place invalid_package (package_id)',
  'place invalid_customer (customer)',
  'place invalid_customer (customer_name)',
  'place invalid_months (months)',
  'place invalid_months (period)',
  'renew invalid_months (months)',
  'place package_unavailable (package_id)',
  'place customer_not_yours',
  'place invalid_max_charge (max_charge)',
  'renew invalid_max_charge (max_charge)',
  'place price_changed',
  'renew price_changed',
  'place insufficient_credit',
  'renew insufficient_credit',
  'place order_failed term_too_long',
  'renew order_failed term_too_long',
  'renew order_failed plan_changed',
  'renew order_not_found',
  'credit 201',
  'credit 201, replayed',
  'credit idempotency_conflict',
  'credit insufficient_credit',
  'trial 201',
  'trial 201, replayed',
  'trial customer_not_yours',
  'trial order_failed plan_running',
  'trial package_unavailable (package_id)',
  'group',
  'prices',
  'schedule 201',
  'schedule 201, replayed',
  'schedule validation_failed (from)',
  'schedule package_unavailable',
  'schedule price_already_scheduled',
  'unschedule 204',
  'unschedule price_not_found',
  'unschedule price_has_begun',
  'retire',
  'wait',
] as const;

export type Distribution = Map<string, number>;

export function countLabels(steps: readonly Step[], into: Distribution): void {
  for (const step of steps) {
    const label = labelOf(step);
    into.set(label, (into.get(label) ?? 0) + 1);
  }
}

export function missingLabels(counted: ReadonlyMap<string, number>): string[] {
  return labelsOfEveryRun.filter((label) => !counted.has(label));
}

export function formatDistribution(counted: ReadonlyMap<string, number>): string {
  const total = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const rows = [...counted].sort(([, a], [, b]) => b - a);
  return rows
    .map(([label, count]) => {
      const percent = ((100 * count) / total).toFixed(2);
      return `${String(count).padStart(10)} ${percent.padStart(6)} %  ${label}`;
    })
    .join('\n');
}

/** The history as a table; `answers` are what came instead of the oracle's, by step. */
export function formatHistory(told: Told, problems: ReadonlyMap<number, string>): string {
  const names = new Map(told.naming.packageIds.map((id, slot) => [id, packageMoulds[slot]?.name]));
  const packages = told.naming.packageIds.map((id) => `${id} ${names.get(id)}`).join(', ');
  const accounts = groups.map((group, account) => `${account} ${group}`).join(', ');
  const lines = told.steps.map((step, index) => {
    const time = new Date(step.at * 1000).toISOString().slice(0, 19);
    const problem = problems.get(index);
    const mark = problem === undefined ? '' : `\n      >>> ${problem}`;
    return `${String(index).padStart(4)}  ${time}  ${formatRequest(step.request)}\n      oracle: ${formatExpected(step)}${mark}`;
  });
  return [`accounts: ${accounts}`, `packages: ${packages}`, ...lines].join('\n');
}

function formatRequest(request: Request): string {
  const { type, ...rest } = request;
  return `${type} ${toText(rest)}`;
}

function formatExpected(step: Step): string {
  const { expected } = step;
  if (expected.type === 'packages') return `packages ${toText(expected.views)}`;
  return expected.type === 'done' ? 'done' : `${labelOf(step)} ${toText(expected.outcome)}`;
}

export function toText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? `${member}c` : member,
  );
}

// --------------------------------------------------------------------------------------------- pieces

function mould(
  name: string,
  { trial = false, retired = false }: { trial?: boolean; retired?: boolean },
  reseller: readonly [bigint, bigint, bigint],
  distributor: readonly [bigint, bigint, bigint],
): PackageMould {
  return { name, trial, retired, durationDays: trial ? 14 : 30, prices: pricesOf(reseller, distributor) };
}

function pricesOf(
  reseller: readonly [bigint, bigint, bigint],
  distributor: readonly [bigint, bigint, bigint],
): Prices {
  return {
    reseller: { 1: reseller[0], 3: reseller[1], 12: reseller[2] },
    distributor: { 1: distributor[0], 3: distributor[1], 12: distributor[2] },
  };
}

/** The accounts begin with nothing: their opening balances are credits. */
function oracleWorld({ accountIds, packageIds }: Naming): World {
  return {
    packages: packageMoulds.map((one, slot) => ({ ...one, id: packageIds[slot] ?? 0 })),
    accounts: groups.map((group, account) => ({
      id: accountIds[account] satisfies AccountId | undefined as AccountId,
      group,
      balanceCents: 0n,
    })),
  };
}

/** Another spelling of the same customer. */
function loud(customer: string): string {
  return `  ${customer.trim().toUpperCase()}\t`;
}

function withKey<Sent extends PlaceStep | RenewStep>(request: Sent, key: string | undefined): Sent {
  const { idempotency_key: _old, ...body } = request.body ?? {};
  return { ...request, body, headerKey: key, mintedBy: null };
}

/** The key from the header to the body, or back. */
function moveKey<Sent extends PlaceStep | RenewStep>(request: Sent): Sent {
  const { idempotency_key: inBody, ...body } = request.body ?? {};
  if (typeof inBody === 'string' && request.headerKey === undefined)
    return { ...request, body, headerKey: inBody };
  if (inBody === undefined && request.headerKey !== undefined) {
    return { ...request, body: { ...body, idempotency_key: request.headerKey }, headerKey: undefined };
  }
  return request;
}

function withoutMonths(body: Body): Body {
  const { months: _months, period: _period, ...rest } = body;
  return rest;
}

/** The same months otherwise written; what is not valid stays as it is. */
function respellMonths(body: Body, reader: Reader): Body {
  const { months, period } = body;
  const spelled: Readonly<Record<string, readonly Body[]>> = {
    1: [{}, { months: 1 }, { period: 'monthly' }],
    3: [{ months: 3 }, { period: 'quarterly' }, { months: 3, period: 'quarterly' }],
    12: [{ months: 12 }, { period: 'yearly' }, { months: 12, period: 'yearly' }],
  };
  const named: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, yearly: 12 };
  const meant = months ?? (period === undefined ? 1 : named[String(period)]);
  if (typeof meant !== 'number' || (period !== undefined && named[String(period)] !== meant)) return body;
  const ways = spelled[meant];
  return ways === undefined ? body : { ...withoutMonths(body), ...reader.pick(ways) };
}

function startOfMonthAfter(at: number): number {
  const date = new Date(at * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
}

function leapDayAfter(at: number): number {
  let year = new Date(at * 1000).getUTCFullYear();
  for (;;) {
    const day = new Date(Date.UTC(year, 1, 29));
    if (day.getUTCMonth() === 1 && day.getTime() / 1000 > at) return day.getTime() / 1000;
    year += 1;
  }
}
