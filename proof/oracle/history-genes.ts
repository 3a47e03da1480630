// How a history is drawn and what its numbers mean: weighted choices, the simplest first. Used by histories.ts.

import fc from 'fast-check';
import type { Prices, ProductMode, SomePrices } from './oracle.ts';
import { secondsPerDay } from './oracle-calendar.ts';
import type { ReversalKind } from './oracle-payments.ts';
import type { ExistingPlans } from './oracle-prices.ts';
import type { Period } from './oracle-request.ts';

export type Body = Readonly<Record<string, unknown>>;

export type Genes = readonly number[];

export interface History {
  readonly world: Genes;
  readonly operations: readonly Genes[];
}

const genesPerOperation = 28;
const genesPerWorld = 8;
const geneLimit = 10_000;

export function historyArbitrary(operationsMax: number): fc.Arbitrary<History> {
  // Without fast-check's bias to 0 and the maximum: the tables below define the distribution.
  const gene = fc.noBias(fc.nat(geneLimit - 1));
  const genes = (count: number) => fc.array(gene, { minLength: count, maxLength: count, size: 'max' });
  return fc.record({
    world: genes(genesPerWorld),
    operations: fc.array(genes(genesPerOperation), { maxLength: operationsMax, size: 'max' }),
  });
}

export function drawHistory(random: Random, operations: number): History {
  const genes = (count: number) => Array.from({ length: count }, () => Math.floor(random() * geneLimit));
  return {
    world: genes(genesPerWorld),
    operations: Array.from({ length: operations }, () => genes(genesPerOperation)),
  };
}

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

type Choices<Value> = readonly Value[];

export function choices<const Value>(
  ...rows: readonly (readonly [weight: number, value: Value])[]
): Choices<Value> {
  return rows.flatMap(([weight, value]) => new Array<Value>(weight).fill(value));
}

/** Missing genes are 0. */
export function createReader(genes: Genes) {
  let place = 0;
  const below = (count: number): number => {
    const gene = genes[place] ?? 0;
    place += 1;
    return Math.floor((gene * count) / geneLimit);
  };
  // The value may be undefined, so its existence is not checked.
  const pick = <Value>(from: Choices<Value>): Value => from[below(from.length)] as Value;
  return { below, pick };
}

export type Reader = ReturnType<typeof createReader>;

export const startTimes = choices(
  [2, '2026-01-15T12:00:00Z'],
  [2, '2026-01-31T12:00:00Z'],
  [1, '2027-11-30T23:59:59Z'],
  [2, '2028-02-28T23:59:58Z'],
  [2, '2028-02-29T00:00:00Z'],
  [1, '2027-02-28T06:30:00Z'],
  [1, '2025-12-31T00:00:01Z'],
  [1, '2096-02-29T06:00:00Z'],
);

export const openingBalances = choices<bigint>([2, 30_000n], [2, 5000n], [2, 100_000n], [1, 2000n], [1, 0n]);

export const firstModes = choices<ProductMode>([5, 'none'], [1, 'notify'], [3, 'confirm']);
export const modes = choices<ProductMode>([3, 'none'], [1, 'notify'], [2, 'confirm']);

export const operationTypes = choices(
  [34, 'place'],
  [18, 'renew'],
  [22, 'again'],
  [9, 'credit'],
  [4, 'trial'],
  [16, 'wait'],
  [2, 'group'],
  [3, 'prices'],
  [4, 'schedule'],
  [2, 'unschedule'],
  [1, 'retire'],
  [2, 'periods'],
  [1, 'burst'],
  [7, 'cancel'],
  [4, 'suspend'],
  [5, 'resume'],
  [9, 'auto_renew'],
  [2, 'auto_renew_off'],
  [2, 'status'],
  [9, 'jobs'],
  [2, 'swap'],
  [3, 'by_itself'],
  [1, 'blocked_while_due'],
  [2, 'halted'],
  [2, 'closed'],
  [2, 'mode'],
  [16, 'settle'],
  [7, 'handed_off'],
  [3, 'meant_to_end'],
  [4, 'list'],
  [2, 'unlist'],
  [7, 'held'],
  [8, 'payment'],
  [12, 'way_back'],
  [4, 'rename'],
  [4, 'erase'],
);

/** `again`: an order that was settled before or never waited. */
export const settleChoices = choices<'oldest' | 'newest' | 'all' | 'again' | 'missing'>(
  [8, 'oldest'],
  [6, 'newest'],
  [8, 'all'],
  [3, 'again'],
  [1, 'missing'],
);

export const settleOutcomes = choices<'completed' | 'failed'>([5, 'completed'], [4, 'failed']);
export const settleParties = choices<'product' | 'operator'>([3, 'product'], [1, 'operator']);
export const settleReasons = choices<string | null>([2, 'sold out'], [1, null], [1, 'Zoë 🦆']);

/** How long a scenario's order waits. The product is asked for 72 hours. */
export const settleWaits = choices<'end_before' | 'end_of_its_own' | number>(
  [4, 0],
  [2, 1],
  [2, 3600],
  [2, 6 * 3600],
  [3, 72 * 3600 + 1],
  [1, 9 * secondsPerDay],
  [4, 'end_before'],
  [2, 'end_of_its_own'],
);

export const meantimes = choices(
  [3, 'nothing'],
  [2, 'place'],
  [2, 'renew'],
  [2, 'trial'],
  [2, 'cancel'],
  [2, 'auto_renew'],
  [2, 'auto_renew_off'],
  [2, 'suspend'],
  [2, 'resume'],
  [2, 'jobs'],
  [2, 'again'],
  [1, 'status'],
  [1, 'prices'],
  [1, 'group'],
  [1, 'retire'],
  [1, 'mode'],
  [5, 'spend'],
  [2, 'halt'],
  [2, 'block'],
);

export const customers = [
  'ada@example.com',
  'bob',
  'cy.d_e-f',
  'dora@mail.example.org',
  'e2',
  'fay',
  'gil@x.example',
  'h-0',
];
export const customersPerHome = 2;

export const customerSpellings = choices<'plain' | 'loud' | 'erased' | { readonly customer?: unknown }>(
  [80, 'plain'],
  [10, 'loud'],
  [2, 'erased'],
  [1, {}],
  [1, { customer: '' }],
  [1, { customer: 'two words' }],
  [1, { customer: 'no body@example.com' }],
  [1, { customer: 7 }],
  [1, { customer: 'ünder' }],
  [1, { customer: 'a@b@example.com' }],
);

export const packageChoices = choices<number | { readonly package_id?: unknown }>(
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

export const monthsSpellings = choices<Body>(
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

export const renewMonths = choices<Body>(
  [50, {}],
  [10, { months: 1 }],
  [10, { months: 3 }],
  [14, { months: 12 }],
  [4, { period: 'quarterly' }],
  [2, { months: 1, period: 'monthly' }],
  [1, { months: 1, period: 'yearly' }],
  [1, { months: 6 }],
);

export const soldPeriods = choices<readonly Period[]>(
  [4, ['monthly', 'quarterly', 'yearly']],
  [2, ['monthly', 'yearly']],
  [2, ['quarterly', 'yearly']],
  [1, ['monthly']],
  [1, ['quarterly']],
);

/** `header`, `body` or both have a key: one of the set, or a literal one. */
export const keyChoices = choices<{ readonly header?: string; readonly body?: unknown }>(
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

export const nameChoices = choices<Body>(
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

export const loginChoices = choices<Body>(
  [80, {}],
  [12, { return_login: true }],
  [6, { return_login: false }],
  [1, { return_login: 'yes' }],
);

export const guardChoices = choices<Body>(
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

export const cancelChoices = choices<Body>(
  [24, { at: 'now' }],
  [18, { at: 'period_end' }],
  [1, {}],
  [1, { at: 'Now' }],
  [1, { at: null }],
);

export const reasonChoices = choices<Body>(
  [20, {}],
  [6, { reason: 'unpaid' }],
  [3, { reason: '  unpaid ' }],
  [1, { reason: ' ' }],
  [1, { reason: '🦆'.repeat(200) }],
  [1, { reason: 'x'.repeat(201) }],
  [1, { reason: 'bell\u0007' }],
  [1, { reason: null }],
);

export const autoMonths = choices<Body>(
  [24, { months: 1 }],
  [8, { period: 'monthly' }],
  [8, { months: 3 }],
  [4, { months: 12, period: 'yearly' }],
  [1, {}],
  [1, { months: 1, period: 'yearly' }],
  [1, { months: 2 }],
);

export const autoGuards = choices<Body>(
  [24, {}],
  [3, { max_charge: null }],
  [4, { max_charge: '10' }],
  [3, { max_charge: '10.00' }],
  [4, { max_charge: '25.00' }],
  [3, { max_charge: '0.00' }],
  [1, { max_charge: 10 }],
  [1, { max_charge: '' }],
);

export const hoursChoices = choices<Body>(
  [16, {}],
  [3, { hours_before: 24 }],
  [5, { hours_before: 1 }],
  [4, { hours_before: 6 }],
  [4, { hours_before: 7 }],
  [6, { hours_before: 720 }],
  [1, { hours_before: 0 }],
  [1, { hours_before: 721 }],
  [1, { hours_before: 1.5 }],
  [1, { hours_before: '24' }],
);

export const customerPaths = choices<'latest' | 'any' | 'missing' | 'foreign' | { readonly text: string }>(
  [50, 'latest'],
  [24, 'any'],
  [2, 'missing'],
  [3, 'foreign'],
  [1, { text: '0' }],
  [1, { text: '01' }],
);

export const orderChoices = choices<'latest' | 'any' | 'missing' | 'foreign' | { readonly text: string }>(
  [70, 'latest'],
  [18, 'any'],
  [5, 'missing'],
  [4, 'foreign'],
  [1, { text: '0' }],
  [1, { text: '99999999999999999999' }],
);

export const amounts = choices<bigint>(
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

export const memos = choices<string | undefined>([4, undefined], [2, 'top-up'], [1, 'correction']);
export const creditKeys = choices<string | undefined>([5, undefined], [1, 'C1'], [1, 'C2'], [1, 'K1']);
export const trialKeys = choices<string | undefined>([4, undefined], [2, 'T1'], [2, 'T2'], [1, 'K1']);

export const againChanges = choices(
  [24, 'nothing'],
  [22, 'spelling'],
  [18, 'again'],
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

export const priceSets: Choices<readonly [bigint, bigint, bigint]> = choices(
  [1, [1500n, 4000n, 15_000n] as const],
  [1, [100n, 299n, 1100n] as const],
  [1, [333n, 1000n, 3334n] as const],
  [1, [1n, 2n, 7n] as const],
  [1, [0n, 0n, 0n] as const],
  [1, [9999n, 1n, 20_000n] as const],
);

export const namedCells = choices<(prices: Prices) => SomePrices>(
  [4, (prices) => prices],
  [2, ({ reseller }) => ({ reseller })],
  [2, ({ reseller }) => ({ reseller: { 1: reseller[1] } })],
  [1, ({ distributor }) => ({ distributor: { 1: distributor[1], 12: distributor[12] } })],
);

export const leads = choices(
  [3, 20 * secondsPerDay],
  [3, 5],
  [2, 3600],
  [2, 200 * secondsPerDay],
  [1, 1],
  [1, 0],
  [1, -1],
);

export const existingPlansChoices = choices<ExistingPlans>([1, 'new'], [1, 'held']);

export const listStarts = choices<number | null>(
  [6, null],
  [1, 0],
  [1, -1],
  [2, 1],
  [2, 3600],
  [2, 9 * secondsPerDay],
  [1, 100 * secondsPerDay],
);

export const listTerms = choices<number | null>(
  [8, null],
  [1, 0],
  [1, 1],
  [2, 3600],
  [3, 12 * secondsPerDay],
  [2, 200 * secondsPerDay],
);

export const listPercents = choices<number | null>(
  [6, null],
  [3, 1250],
  [2, 3333],
  [1, 5000],
  [1, 1],
  [1, 0],
  [1, 10_000],
);

export const listMemos = choices<string | null>([5, null], [1, 'as agreed'], [1, 'Zoë 🦆']);

export const listSequels = choices([4, 'nothing'], [1, 'again'], [1, 'others'], [2, 'delete'], [1, 'begin']);

export const soonLeads = choices([3, 1], [3, 3600], [3, 6 * secondsPerDay], [2, 20 * secondsPerDay]);

export const heldStops = choices(
  [3, 'begin'],
  [2, 'end'],
  [3, 'prices'],
  [2, 'list'],
  [1, 'group'],
  [2, 'again'],
  [3, 'renew'],
);

export const heldDepartures = choices(
  [6, 'nothing'],
  [2, 'cancel'],
  [2, 'change'],
  [2, 'gap'],
  [3, 'by_itself'],
  [1, 'suspend'],
);

export const waits = choices(
  [20, 'seconds'],
  [10, 'days'],
  [22, 'expiry'],
  [18, 'due'],
  [14, 'price'],
  [5, 'month_end'],
  [2, 'leap_day'],
  [3, 'year'],
);

export const paymentTypes = choices(
  [5, 'receive_payment'],
  [5, 'reverse_payment'],
  [3, 'reinstate_payment'],
  [2, 'write_off_receivable'],
);

export function topupCents(topup: number): bigint {
  return [30_000n, 100_000n, 5000n, 30_000n, 1n, 100_000n, 1234n][topup % 7] ?? 0n;
}

export const paymentChoices = choices(
  [10, 'new'],
  [3, 'again'],
  [1, 'other_amount'],
  [1, 'other_topup'],
  [1, 'other_ref'],
  [1, 'crossed'],
);

export const reversalAmounts = choices(
  [5, 'left'],
  [3, 'part'],
  [3, 'above_balance'],
  [2, 'balance'],
  [2, 'small'],
  [1, 'too_much'],
);
export const reversalKinds = choices<ReversalKind>([3, 'dispute'], [3, 'refund'], [2, 'return']);
export const reversalCauses = choices([12, 'new'], [2, 'again'], [1, 'other_data'], [1, 'no_topup']);

export const winChoices = choices([5, 'oldest'], [5, 'newest'], [2, 'any'], [1, 'missing']);

export const writeOffAmounts = choices<'part' | 'cent' | 'more' | null>(
  [4, null],
  [5, 'part'],
  [1, 'cent'],
  [1, 'more'],
);
export const writeOffKeys = choices<string | undefined>([2, undefined], [1, 'W1'], [1, 'W2'], [1, 'W3']);
export const writeOffMemos = choices<string | null>([4, null], [1, 'bankrupt']);

export const spendings = choices([4, 'all'], [3, 'most'], [2, 'order'], [2, 'nothing']);

export const wayBackSequels = choices(
  [5, 'half'],
  [3, 'rest'],
  [3, 'payment'],
  [5, 'win'],
  [3, 'write_off'],
  [3, 'win_forgiven'],
  [2, 'halted'],
  [3, 'again'],
  [4, 'reversal'],
  [2, 'order'],
  [2, 'cancel'],
  [1, 'debit'],
);
