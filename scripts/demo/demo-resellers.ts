// The demo's resellers, of different sizes and in both price groups, one blocked and one new. Also what the administrator
// does to packages and accounts during the year. Called by demo-year.ts.

import type { Group } from '../../src/shared/periods.ts';

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
    username: 'cobalt.social',
    displayName: 'Cobalt Social',
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

/** An old package. It is ordered in the first months, then retired, and from then on only renewed. */
export const classicPackage = {
  name: 'Classic',
  features: ['Boards and lists', 'Time tracking'],
  limits: { seats: 5, storage_gb: 25, sso: false },
  prices: {
    reseller: { monthly: '14.00', quarterly: '39.00', yearly: '139.00' },
    distributor: { monthly: '11.50', quarterly: '32.00', yearly: '115.00' },
  },
} as const;
export const classicRetiredDaysAgo = 240;

export interface AdministratorsAct {
  readonly daysAgo: number;
  readonly method: 'PATCH' | 'POST';
  readonly path: string;
  readonly body?: object;
}

export const administratorsActs: readonly AdministratorsAct[] = [
  {
    daysAgo: 118,
    method: 'PATCH',
    path: '/packages/{Starter}',
    body: { limits: { seats: 5, storage_gb: 20 } },
  },
  {
    daysAgo: 41,
    method: 'PATCH',
    path: '/packages/{Business}',
    body: { prices: { reseller: { quarterly: '78.90' }, distributor: { quarterly: '64.90' } } },
  },
  {
    daysAgo: 26,
    method: 'PATCH',
    path: '/packages/{Agency}',
    body: {
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
  { daysAgo: 24, method: 'PATCH', path: '/accounts/{nordlicht}', body: { rate_limit_per_minute: 180 } },
  {
    daysAgo: 19,
    method: 'POST',
    path: '/accounts/{cobalt.social}/credit',
    body: { amount: '25.00', memo: 'Goodwill for a slow morning' },
  },
  {
    daysAgo: 16,
    method: 'POST',
    path: '/accounts/{pixelforge}/credit',
    body: { amount: '-40.00', memo: 'Correction: invoice 1187 was booked twice' },
  },
  { daysAgo: 12, method: 'POST', path: '/accounts/{cobalt.social}/api-key' },
  { daysAgo: 9, method: 'PATCH', path: '/accounts/{hartwig-partner}', body: { blocked: true } },
  { daysAgo: 6, method: 'PATCH', path: '/accounts/{lumen}', body: { api_enabled: false } },
  { daysAgo: 5, method: 'PATCH', path: '/accounts/{lumen}', body: { api_enabled: true } },
  { daysAgo: 3, method: 'PATCH', path: '/accounts/{marisol}', body: { rate_limit_per_minute: 90 } },
];
