// The demo's packages: three and a free trial. Prices in cents.

import type { PackageSettings } from '../features/packages/package-store.ts';

const free = { 1: 0n, 3: 0n, 12: 0n };

export const demoPackages: readonly PackageSettings[] = [
  {
    name: 'Starter',
    features: ['3 connected accounts', 'Post scheduling', 'E-mail support'],
    limits: { accounts: 3, posts_per_day: 10, ai_images_per_month: 20 },
    durationDays: 30,
    isTrial: false,
    retired: false,
    prices: {
      reseller: { 1: 900n, 3: 2_490n, 12: 8_900n },
      distributor: { 1: 750n, 3: 2_090n, 12: 7_400n },
    },
  },
  {
    name: 'Business',
    features: ['10 connected accounts', 'Post scheduling', 'AI images', 'Team inbox', 'Priority support'],
    limits: { accounts: 10, posts_per_day: 50, ai_images_per_month: 200 },
    durationDays: 30,
    isTrial: false,
    retired: false,
    prices: {
      reseller: { 1: 2_900n, 3: 7_990n, 12: 28_900n },
      distributor: { 1: 2_400n, 3: 6_590n, 12: 23_900n },
    },
  },
  {
    name: 'Agency',
    features: [
      '50 connected accounts',
      'Post scheduling',
      'AI images',
      'Team inbox',
      'Client reports',
      'A person to call',
    ],
    limits: { accounts: 50, posts_per_day: 500, ai_images_per_month: 2_000 },
    durationDays: 30,
    isTrial: false,
    retired: false,
    prices: {
      reseller: { 1: 9_900n, 3: 26_900n, 12: 98_900n },
      distributor: { 1: 8_200n, 3: 22_300n, 12: 81_900n },
    },
  },
  {
    name: 'Free trial',
    features: ['1 connected account', 'Post scheduling'],
    limits: { accounts: 1, posts_per_day: 3, ai_images_per_month: 5 },
    durationDays: 14,
    isTrial: true,
    retired: false,
    prices: { reseller: free, distributor: free },
  },
];
