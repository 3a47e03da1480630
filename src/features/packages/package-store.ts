// Administrators' changes to packages and prices. Each change is one transaction that raises packages_version, writes the
// audit log and notifies every process. The only writer of packages and package_prices.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { type AuditEntry, appendAudit } from '../../platform/audit-log/append-audit.ts';
import { changesChannel, packagesChanged } from '../../platform/database/change-notices.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Done, runOnce } from '../../platform/database/idempotent-change.ts';
import { writeRows } from '../../platform/database/table.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { JsonObject } from '../../shared/json.ts';
import { periodNames } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { lockAccountRow } from '../identity/account-row.ts';
import { changedLimits, checkNewLimits } from './check-limits.ts';
import { loadCatalog, type Package } from './package-catalog.ts';
import { packagePrices, packages, pricesBeforeHolds } from './package-table.ts';
import {
  namedPrices,
  type Priced,
  type Prices,
  pricesAt,
  type SomePrices,
  steadyPrices,
} from './price-lines.ts';
import { writtenPrices } from './written-prices.ts';

/** `limits` are as sent and are checked against the definitions. */
export type PackageSettings = Omit<Package, 'id' | 'createdAt' | 'limits' | keyof Priced> & {
  readonly limits: JsonObject;
  readonly prices: Prices;
};
export type PackageChange = Partial<Omit<PackageSettings, 'isTrial' | 'prices'>> & {
  readonly removedLimits?: readonly string[];
  readonly prices?: SomePrices;
};
export type DatedCaller = AuditAuthor & { readonly now: EpochSeconds };

const lockVersion: SqlStatement = {
  name: 'lock_packages_version',
  text: 'select packages_version from service_state for update',
};

// The version follows the clock (seconds since 2020). So after a failover that lost a change, its number is not used again.
const moveVersion: SqlStatement = {
  name: 'move_packages_version',
  text: `update service_state set packages_version =
    greatest(packages_version + 1, extract(epoch from now() - timestamptz '2020-01-01Z')::int)`,
};

const insertPackage = packages.without('id').insert('insert_package', 'returning id');
const updatePackage = packages.without('isTrial', 'createdAt').update('update_package', ['id']);

const upsertPrices = packagePrices.insert(
  'upsert_package_prices',
  `on conflict (package_id, group_name, months) do update
    set price_cents = excluded.price_cents, changed_at = excluded.changed_at`,
);

const insertPricesBeforeHolds = pricesBeforeHolds.insert(
  'insert_prices_before_holds',
  'on conflict do nothing',
);

const notifyPackages: SqlStatement = { name: 'notify_packages', text: 'select pg_notify($1, $2)' };

/** A repeated key returns the package that it created. Refusals: validation_failed, idempotency_conflict. */
export async function createPackage(
  database: Database,
  settings: PackageSettings,
  author: DatedCaller,
  idempotencyKey: string | null,
): Promise<Done<Package> | Refusal> {
  const { actorId: accountId, now } = author;
  return database.transaction(async (transaction) => {
    if (idempotencyKey !== null) await lockAccountRow(transaction, accountId);
    return runOnce(
      transaction,
      { accountId, idempotencyKey, what: ['package', textOf(settings)], now },
      async () => {
        await lockCatalog(transaction);
        const result = await insertNew(transaction, settings, author);
        return isRefusal(result) ? result : { id: result.id, result };
      },
      async (id) => (await loadCatalog(transaction)).byId.get(id) ?? refusal('package_not_found'),
    );
  });
}

/** Writes old limits as the previous version did, so that a retry matches a request that the previous version handled. */
function textOf(settings: PackageSettings): string {
  const {
    accounts,
    posts_per_day: postsPerDay,
    ai_images_per_month: aiImagesPerMonth,
    ...others
  } = settings.limits;
  const { description, periods, ...first } = settings;
  return JSON.stringify(
    {
      ...first,
      limits: { accounts, postsPerDay, aiImagesPerMonth, ...others },
      ...(description !== null && { description }),
      ...(periods.length < periodNames.length && { periods }),
    },
    (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
}

async function insertNew(
  transaction: Queryable,
  { prices, ...settings }: PackageSettings,
  { now, ...author }: DatedCaller,
): Promise<Package | Refusal> {
  const limits = checkNewLimits((await loadCatalog(transaction)).limits, settings.limits);
  if (isRefusal(limits)) return limits;
  const [row] = await writeRows(transaction, insertPackage, [{ ...settings, limits, createdAt: now }]);
  const created: Package = {
    ...settings,
    limits,
    ...steadyPrices(prices),
    id: Number(row?.['id']),
    createdAt: now,
  };
  // These prices have no start, because there were none before.
  await writePrices(transaction, created.id, prices, 0);
  const entry = { ...author, ...subjectOf(created.id), before: null, after: auditView(created, now) };
  await announce(transaction, { ...entry, action: 'package.create' }, now);
  return created;
}

/** Applies at once; scheduled prices stay. Refusals: package_not_found, validation_failed. */
export async function changePackage(
  database: Database,
  id: number,
  { prices = {}, removedLimits = [], limits: sent = {}, ...change }: PackageChange,
  { now, ...author }: DatedCaller,
): Promise<Package | Refusal> {
  return database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    const catalog = await loadCatalog(transaction);
    const before = catalog.byId.get(id);
    if (before === undefined) return refusal('package_not_found');
    const limits = changedLimits(catalog.limits, before.limits, sent, removedLimits);
    if (isRefusal(limits)) return limits;
    await writeRows(transaction, updatePackage, [{ ...before, ...change, limits }]);
    await notePricesBeforeHolds(transaction, before, prices, now);
    await writePrices(transaction, id, prices, now);
    const after = (await loadCatalog(transaction)).byId.get(id) ?? before;
    const views = { before: auditView(before, now), after: auditView(after, now) };
    await announce(transaction, { ...author, ...subjectOf(id), ...views, action: 'package.update' }, now);
    return after;
  });
}

async function writePrices(
  transaction: Queryable,
  packageId: number,
  prices: SomePrices,
  changedAt: EpochSeconds,
): Promise<void> {
  const cells = namedPrices(prices).map((cell) => ({ ...cell, packageId, changedAt }));
  await writeRows(transaction, upsertPrices, cells);
}

/** Keeps the prices that this change overwrites but that plans with held prices may still pay. */
async function notePricesBeforeHolds(
  transaction: Queryable,
  { id: packageId, heldSteps }: Package,
  prices: SomePrices,
  now: EpochSeconds,
): Promise<void> {
  const begun = namedPrices(prices).flatMap(({ group, months }) =>
    heldSteps[group][months]
      .filter(({ from }) => from <= now)
      .map(({ from, beforeCents }) => ({ packageId, from, group, months, priceCents: beforeCents })),
  );
  await writeRows(transaction, insertPricesBeforeHolds, begun);
}

/** Call first in every change of packages, limits or prices, so that changes run one after another. */
export async function lockCatalog(transaction: Queryable): Promise<void> {
  await transaction.query(lockVersion);
}

/** Call last. Every process reloads at COMMIT, and the product reads its entitlements again. */
export async function announce(transaction: Queryable, entry: AuditEntry, now: EpochSeconds): Promise<void> {
  await transaction.query(moveVersion);
  await transaction.query(notifyPackages, [changesChannel, packagesChanged]);
  await appendAudit(transaction, entry, now);
}

export function subjectOf(packageId: number): Pick<AuditEntry, 'subject'> {
  return { subject: `package ${packageId}` };
}

function auditView(one: Package, now: EpochSeconds): JsonObject {
  const { name, description, features, limits, durationDays, periods, isTrial, retired } = one;
  return {
    name,
    description,
    features,
    limits,
    duration_days: durationDays,
    periods,
    trial: isTrial,
    retired,
    prices: writtenPrices(pricesAt(one, now)),
  };
}
