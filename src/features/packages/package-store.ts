// Administrators' changes to packages and prices. Each is one transaction that raises packages_version, writes the audit
// log and notifies every process; scheduled-price-store.ts does the same. The only writer of packages and package_prices.
// Existing orders keep their prices.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { type AuditEntry, appendAudit } from '../../platform/audit-log/append-audit.ts';
import { changesChannel, packagesChanged } from '../../platform/database/change-notices.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Done, runOnce } from '../../platform/database/idempotent-change.ts';
import { writeRows } from '../../platform/database/table.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { lockAccountRow } from '../identity/account-row.ts';
import { loadCatalog, type Package } from './package-catalog.ts';
import { packagePrices, packages } from './package-table.ts';
import { namedPrices, type Prices, pricesAt, type SomePrices, steadyPrices } from './price-lines.ts';
import { writtenPrices } from './written-prices.ts';

export type PackageSettings = Omit<Package, 'id' | 'createdAt' | 'priceLines'> & { readonly prices: Prices };
export type PackageChange = Partial<Omit<PackageSettings, 'isTrial' | 'prices' | 'limits'>> & {
  readonly limits?: Partial<Package['limits']>;
  readonly prices?: SomePrices;
};
export type DatedCaller = AuditAuthor & { readonly now: EpochSeconds };

// Locks the row that serializes all package changes. The version follows the clock (seconds since 2020), so that after a
// failover that lost a change its number is not reused.
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

const notifyPackages: SqlStatement = { name: 'notify_packages', text: 'select pg_notify($1, $2)' };

/** Idempotent by key: returns the package that it created. */
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
        return { id: result.id, result };
      },
      async (id) => (await loadCatalog(transaction)).byId.get(id) ?? refusal('package_not_found'),
    );
  });
}

function textOf(settings: PackageSettings): string {
  return JSON.stringify(settings, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

async function insertNew(
  transaction: Queryable,
  { prices, ...settings }: PackageSettings,
  { now, ...author }: DatedCaller,
): Promise<Package> {
  const added = { ...settings, ...settings.limits, createdAt: now };
  const [row] = await writeRows(transaction, insertPackage, [added]);
  const created: Package = {
    ...settings,
    ...steadyPrices(prices),
    id: Number(row?.['id']),
    createdAt: now,
  };
  // Prices without a start: there were none before.
  await writePrices(transaction, created.id, prices, 0);
  const entry = { ...author, ...subjectOf(created.id), before: null, after: auditView(created, now) };
  await announce(transaction, { ...entry, action: 'package.create' }, now);
  return created;
}

/** Applies at once; scheduled prices stay. null: no such package. */
export async function changePackage(
  database: Database,
  id: number,
  { prices = {}, ...change }: PackageChange,
  { now, ...author }: DatedCaller,
): Promise<Package | null> {
  return database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    const before = (await loadCatalog(transaction)).byId.get(id);
    if (before === undefined) return null;
    const limits = { ...before.limits, ...change.limits };
    await writeRows(transaction, updatePackage, [{ ...before, ...change, ...limits }]);
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

/** Call first in every change of packages or prices: it serializes them. */
export async function lockCatalog(transaction: Queryable): Promise<void> {
  await transaction.query(moveVersion);
}

/** Call last: every process reloads at COMMIT. */
export async function announce(transaction: Queryable, entry: AuditEntry, now: EpochSeconds): Promise<void> {
  await transaction.query(notifyPackages, [changesChannel, packagesChanged]);
  await appendAudit(transaction, entry, now);
}

export function subjectOf(packageId: number): Pick<AuditEntry, 'subject'> {
  return { subject: `package ${packageId}` };
}

function auditView(one: Package, now: EpochSeconds): JsonObject {
  const { name, features, limits, durationDays, isTrial, retired } = one;
  return {
    name,
    features,
    limits: {
      accounts: limits.accounts,
      posts_per_day: limits.postsPerDay,
      ai_images_per_month: limits.aiImagesPerMonth,
    },
    duration_days: durationDays,
    trial: isTrial,
    retired,
    prices: writtenPrices(pricesAt(one, now)),
  };
}
