// The demo's resellers, of different sizes and in both price groups, one blocked and one new. Also what the administrator
// does to packages and accounts during the year, and the payments of its last week. Called by play-demo-year.ts.

import type { PackageSettings } from '../../features/packages/package-store.ts';
import { type Group, type Months, periodNames } from '../../shared/periods.ts';
import type { DemoPayment } from './demo-payer.ts';

export interface ResellerPlan {
  readonly username: string;
  readonly displayName: string;
  readonly group: Group;
  readonly sinceDaysAgo: number;
  readonly customersPerDay: number;
  readonly readsPerDay: number;
  readonly taste: readonly [number, number, number];
  /** In whole currency units. Paid in again when less than a quarter is left. */
  readonly topUp: number;
  readonly address: string;
  readonly rateLimitPerMinute?: number;
  readonly allowedIps?: readonly string[];
}

export const resellerPlans: readonly ResellerPlan[] = [
  {
    username: 'brightline',
    displayName: 'Brightline Media',
    group: 'distributor',
    sinceDaysAgo: 365,
    customersPerDay: 4.4,
    readsPerDay: 60,
    taste: [5, 4, 1],
    topUp: 4_000,
    address: '203.0.113.7',
    rateLimitPerMinute: 240,
    // The second address is this machine, so that the reader of the demo can try its API.
    allowedIps: ['203.0.113.0/28', '127.0.0.1'],
  },
  {
    username: 'nordlicht',
    displayName: 'Nordlicht Digital GmbH',
    group: 'distributor',
    sinceDaysAgo: 362,
    customersPerDay: 2.6,
    readsPerDay: 35,
    taste: [4, 4, 2],
    topUp: 3_000,
    address: '198.51.100.24',
    rateLimitPerMinute: 120,
    allowedIps: ['198.51.100.24', '2001:db8:42::/48'],
  },
  {
    username: 'cobalt.works',
    displayName: 'Cobalt Works',
    group: 'reseller',
    sinceDaysAgo: 330,
    customersPerDay: 1.7,
    readsPerDay: 20,
    taste: [6, 3, 0],
    topUp: 1_200,
    address: '192.0.2.61',
  },
  {
    username: 'pixelforge',
    displayName: 'Pixelforge',
    group: 'reseller',
    sinceDaysAgo: 270,
    customersPerDay: 1.2,
    readsPerDay: 25,
    taste: [7, 3, 0],
    topUp: 800,
    address: '192.0.2.140',
  },
  {
    username: 'marisol',
    displayName: 'Marisol Studio',
    group: 'reseller',
    sinceDaysAgo: 200,
    customersPerDay: 0.7,
    readsPerDay: 8,
    taste: [6, 4, 0],
    topUp: 500,
    address: '203.0.113.88',
  },
  {
    username: 'hartwig-partner',
    displayName: 'Hartwig & Partner',
    group: 'reseller',
    sinceDaysAgo: 150,
    customersPerDay: 0.6,
    readsPerDay: 6,
    taste: [8, 2, 0],
    topUp: 400,
    address: '192.0.2.201',
  },
  {
    username: 'lumen',
    displayName: 'Lumen & Co.',
    group: 'reseller',
    sinceDaysAgo: 95,
    customersPerDay: 0.35,
    readsPerDay: 4,
    taste: [9, 1, 0],
    topUp: 250,
    address: '198.51.100.130',
  },
  {
    username: 'fjord-kreativ',
    displayName: 'Fjord Kreativ',
    group: 'reseller',
    sinceDaysAgo: 2,
    customersPerDay: 0,
    readsPerDay: 0,
    taste: [1, 0, 0],
    topUp: 100,
    address: '203.0.113.199',
  },
];

interface StoryPayment extends Pick<DemoPayment, 'amountCents' | 'end'> {
  readonly daysAgo: number;
  readonly username: string;
}

/** Of the last week, one a day. Balances that orders are paid from stay as they are, so the year has the same orders. */
export const storyPayments: readonly StoryPayment[] = [
  { daysAgo: 7, username: 'marisol', end: 'expired', amountCents: 500_00n },
  { daysAgo: 6, username: 'lumen', end: 'refunded', amountCents: 250_00n },
  { daysAgo: 5, username: 'cobalt.works', end: 'failed', amountCents: 1_200_00n },
  { daysAgo: 4, username: 'marisol', end: 'disputed', amountCents: 500_00n },
  { daysAgo: 3, username: 'lumen', end: 'other_amount', amountCents: 250_00n },
  { daysAgo: 2, username: 'nordlicht', end: 'transfer_announced', amountCents: 3_000_00n },
  { daysAgo: 1, username: 'fjord-kreativ', end: 'paid_twice', amountCents: 100_00n },
];

export interface DemoPriceChange {
  readonly group: Group;
  readonly months: Months;
  readonly cents: bigint;
}

export type AdministratorsAct =
  | {
      readonly type: 'package';
      readonly name: string;
      readonly limits?: Readonly<Record<string, number>>;
      readonly features?: readonly string[];
      readonly prices?: readonly DemoPriceChange[];
      readonly retired?: true;
    }
  | {
      readonly type: 'account';
      readonly username: string;
      readonly change: {
        readonly rateLimitPerMinute?: number;
        readonly blocked?: boolean;
        readonly apiEnabled?: boolean;
      };
    }
  | { readonly type: 'credit'; readonly username: string; readonly cents: bigint; readonly memo: string }
  | { readonly type: 'new_key'; readonly username: string };

/** An old package. It is ordered in the first months, then retired, and from then on only renewed. */
export const classicPackage: PackageSettings = {
  name: 'Classic',
  description: null,
  features: ['Boards and lists', 'Time tracking'],
  limits: { seats: 5, storage_gb: 25, sso: false },
  durationDays: 30,
  periods: periodNames,
  isTrial: false,
  retired: false,
  prices: {
    reseller: { 1: 1_400n, 3: 3_900n, 12: 13_900n },
    distributor: { 1: 1_150n, 3: 3_200n, 12: 11_500n },
  },
};
export const classicRetiredDaysAgo = 240;

export const administratorsActs: readonly { readonly daysAgo: number; readonly act: AdministratorsAct }[] = [
  { daysAgo: 118, act: { type: 'package', name: 'Starter', limits: { seats: 5, storage_gb: 20 } } },
  {
    daysAgo: 41,
    act: {
      type: 'package',
      name: 'Business',
      prices: [
        { group: 'reseller', months: 3, cents: 7_890n },
        { group: 'distributor', months: 3, cents: 6_490n },
      ],
    },
  },
  {
    daysAgo: 26,
    act: {
      type: 'package',
      name: 'Agency',
      features: [
        'Client reports',
        'Boards and lists',
        'Timelines',
        'Time tracking',
        'Guests',
        'A person to call',
      ],
    },
  },
  { daysAgo: 24, act: { type: 'account', username: 'nordlicht', change: { rateLimitPerMinute: 180 } } },
  {
    daysAgo: 19,
    act: { type: 'credit', username: 'cobalt.works', cents: 2_500n, memo: 'Goodwill for a slow morning' },
  },
  {
    daysAgo: 16,
    act: {
      type: 'credit',
      username: 'pixelforge',
      cents: -4_000n,
      memo: 'Correction: invoice 1187 was booked twice',
    },
  },
  { daysAgo: 12, act: { type: 'new_key', username: 'cobalt.works' } },
  { daysAgo: 9, act: { type: 'account', username: 'hartwig-partner', change: { blocked: true } } },
  { daysAgo: 6, act: { type: 'account', username: 'lumen', change: { apiEnabled: false } } },
  { daysAgo: 5, act: { type: 'account', username: 'lumen', change: { apiEnabled: true } } },
  { daysAgo: 3, act: { type: 'account', username: 'marisol', change: { rateLimitPerMinute: 90 } } },
];
