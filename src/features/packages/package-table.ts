// A row of `packages`: what is sold, and whether it can be ordered; of `package_prices`: what it costs a group for
// some months; and of `scheduled_prices`: what it costs from a later second on. Read by package-catalog.ts, written by
// package-store.ts, the last by scheduled-price-store.ts.

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
