// The tables packages, limit_definitions, package_prices (per group and months) and scheduled_prices. Read by
// package-catalog.ts; written by package-store.ts, limit-store.ts and scheduled-price-store.ts.

import {
  boolean,
  cents,
  describeTable,
  int,
  json,
  nullableText,
  oneOf,
  someOf,
  text,
  texts,
  time,
} from '../../platform/database/table.ts';
import { limitKinds } from '../../shared/limits.ts';
import { groups, periodNames } from '../../shared/periods.ts';

export const packages = describeTable('packages', {
  id: int('id'),
  name: text('name'),
  description: nullableText('description'),
  features: texts('features'),
  limits: json('limits'),
  durationDays: int('duration_days'),
  periods: someOf('periods', periodNames),
  isTrial: boolean('is_trial'),
  retired: boolean('retired'),
  createdAt: time('created_at'),
});

export const limitDefinitions = describeTable('limit_definitions', {
  key: text('key'),
  kind: oneOf('kind', limitKinds),
  nameEn: text('name_en'),
  nameDe: nullableText('name_de'),
  unitEn: nullableText('unit_en'),
  unitDe: nullableText('unit_de'),
  position: int('position'),
  hidden: boolean('hidden'),
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
