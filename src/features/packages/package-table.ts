// The tables packages, package_prices (per group and months) and scheduled_prices. Read by package-catalog.ts; written by
// package-store.ts and scheduled-price-store.ts.

import {
  boolean,
  cents,
  describeTable,
  int,
  oneOf,
  text,
  texts,
  time,
} from '../../platform/database/table.ts';
import { groups } from '../../shared/periods.ts';

export const packages = describeTable('packages', {
  id: int('id'),
  name: text('name'),
  features: texts('features'),
  accounts: int('limit_accounts'),
  postsPerDay: int('limit_posts_per_day'),
  aiImagesPerMonth: int('limit_ai_images_per_month'),
  durationDays: int('duration_days'),
  isTrial: boolean('is_trial'),
  retired: boolean('retired'),
  createdAt: time('created_at'),
});

export const packagePrices = describeTable('package_prices', {
  packageId: int('package_id'),
  group: oneOf('group_name', groups),
  months: int('months'),
  priceCents: cents('price_cents'),
  changedAt: time('changed_at'),
});

export const scheduledPrices = describeTable('scheduled_prices', {
  packageId: int('package_id'),
  from: time('starts_at'),
  group: oneOf('group_name', groups),
  months: int('months'),
  priceCents: cents('price_cents'),
});
