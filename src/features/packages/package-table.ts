// The tables of packages, limit definitions, package prices (per group and months) and scheduled prices.

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
import { groups, periodNames, plansAtNewPrice } from '../../shared/periods.ts';

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

const datedPrice = {
  packageId: int('package_id'),
  from: time('starts_at'),
  group: oneOf('group_name', groups),
  months: int('months'),
  priceCents: cents('price_cents'),
};

export const scheduledPrices = describeTable('scheduled_prices', {
  ...datedPrice,
  existingPlans: oneOf('existing_plans', plansAtNewPrice),
});

/** `from` is when the held change began. `priceCents` is the price just before it. */
export const pricesBeforeHolds = describeTable('prices_before_holds', datedPrice);
