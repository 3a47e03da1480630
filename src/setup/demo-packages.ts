// The demo's product, a project tool: its limits, three packages and a free trial. Prices in cents.

import {
  deleteLimitsBeforePackages,
  type LimitSettings,
  setLimit,
} from '../features/packages/limit-store.ts';
import type { PackageCatalogHolder } from '../features/packages/package-catalog.ts';
import { createPackage, type DatedCaller, type PackageSettings } from '../features/packages/package-store.ts';
import type { Database } from '../platform/database/database.ts';
import { periodNames } from '../shared/periods.ts';

const demoLimits: readonly LimitSettings[] = [
  {
    key: 'seats',
    name: { en: 'Seats', de: 'Plätze' },
    kind: 'count',
    unit: null,
    position: 1,
    hidden: false,
  },
  {
    key: 'storage_gb',
    name: { en: 'Storage', de: 'Speicher' },
    kind: 'count',
    unit: { en: 'GB' },
    position: 2,
    hidden: false,
  },
  {
    key: 'sso',
    name: { en: 'Single sign-on', de: 'Single Sign-on' },
    kind: 'switch',
    unit: null,
    position: 3,
    hidden: false,
  },
];

const sold = { durationDays: 30, periods: periodNames, isTrial: false, retired: false } as const;
const free = { 1: 0n, 3: 0n, 12: 0n };

const demoPackages: readonly PackageSettings[] = [
  {
    ...sold,
    name: 'Starter',
    description: 'For one person or a small team.',
    features: ['Boards and lists', 'File sharing', 'E-mail support'],
    limits: { seats: 3, storage_gb: 10, sso: false },
    prices: {
      reseller: { 1: 900n, 3: 2_490n, 12: 8_900n },
      distributor: { 1: 750n, 3: 2_090n, 12: 7_400n },
    },
  },
  {
    ...sold,
    name: 'Business',
    description: 'For teams that plan and track their work together.',
    features: ['Boards and lists', 'Timelines', 'Time tracking', 'Guests', 'Priority support'],
    limits: { seats: 15, storage_gb: 250, sso: false },
    prices: {
      reseller: { 1: 2_900n, 3: 7_990n, 12: 28_900n },
      distributor: { 1: 2_400n, 3: 6_590n, 12: 23_900n },
    },
  },
  {
    ...sold,
    name: 'Agency',
    description: 'For agencies that work for many clients.',
    features: [
      'Boards and lists',
      'Timelines',
      'Time tracking',
      'Guests',
      'Client reports',
      'A person to call',
    ],
    limits: { seats: null, storage_gb: 2_000, sso: true },
    prices: {
      reseller: { 1: 9_900n, 3: 26_900n, 12: 98_900n },
      distributor: { 1: 8_200n, 3: 22_300n, 12: 81_900n },
    },
  },
  {
    name: 'Free trial',
    description: null,
    features: ['Boards and lists', 'File sharing'],
    limits: { seats: 2, storage_gb: 1, sso: false },
    durationDays: 14,
    periods: periodNames,
    isTrial: true,
    retired: false,
    prices: { reseller: free, distributor: free },
  },
];

/** Repeatable: only what is missing is created. A database with packages of an earlier demo keeps its limits. */
export async function createDemoPackages(
  database: Database,
  packages: PackageCatalogHolder,
  author: DatedCaller,
): Promise<void> {
  await deleteLimitsBeforePackages(database);
  for (const limit of demoLimits) await setLimit(database, limit, author);
  const names = new Set([...(await packages.reload()).byId.values()].map(({ name }) => name));
  for (const one of demoPackages) {
    if (!names.has(one.name)) await createPackage(database, one, author, null);
  }
  await packages.reload();
}
