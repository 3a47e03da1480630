// The administrator's changes to packages and prices: each is one transaction that moves
// packages_version, notes the change in the audit log and tells every process. The only writer of
// packages and package_prices. Orders that were placed keep the prices that were paid for them.

import { formatAmount } from '../contract/amounts.ts';
import type { JsonObject } from '../contract/json.ts';
import { type Group, groups, type Months, periods } from '../contract/periods.ts';
import type { EpochSeconds } from '../contract/times.ts';
import { changesChannel, packagesChanged } from '../database/changes.ts';
import type { Database, Queryable, Statement } from '../database/database.ts';
import { writeRows } from '../database/table.ts';
import { type AuditAuthor, appendAudit } from '../journal/audit-log.ts';
import { loadCatalog, type Package } from './package-catalog.ts';
import { packagePrices, packages } from './package-table.ts';

/** What an administrator decides about a package; whether it is a free trial is decided once. */
export type PackageSettings = Omit<Package, 'id' | 'createdAt'>;
export type PackageChange = Partial<Omit<PackageSettings, 'isTrial' | 'prices' | 'limits'>> & {
  readonly limits?: Partial<Package['limits']>;
  readonly prices?: Partial<Record<Group, Partial<Record<Months, bigint>>>>;
};

// Takes the lock that orders all changes of packages, before anything is read. The version follows the clock, in seconds
// since 2020: after a failover that lost a change, the next change must not get the number that was lost with it.
const moveVersion: Statement = {
  name: 'move_packages_version',
  text: `update service_state set packages_version =
    greatest(packages_version + 1, extract(epoch from clock_timestamp() - timestamptz '2020-01-01Z')::int)`,
};

const insertPackage = packages.without('id').insert('insert_package', 'returning id');
const updatePackage = packages.without('isTrial', 'createdAt').update('update_package', ['id']);

const upsertPrices = packagePrices.insert(
  'upsert_package_prices',
  'on conflict (package_id, group_name, months) do update set price_cents = excluded.price_cents',
);

const notifyPackages: Statement = { name: 'notify_packages', text: 'select pg_notify($1, $2)' };

export async function createPackage(
  database: Database,
  settings: PackageSettings,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
): Promise<Package> {
  return database.transaction(async (transaction) => {
    await transaction.query(moveVersion);
    const added = { ...settings, ...settings.limits, createdAt: now };
    const [row] = await writeRows(transaction, insertPackage, [added]);
    const created: Package = { ...settings, id: Number(row?.['id']), createdAt: now };
    await writePrices(transaction, created);
    await announce(transaction, 'package.create', author, null, created, now);
    return created;
  });
}

/** null: there is no such package. */
export async function changePackage(
  database: Database,
  id: number,
  change: PackageChange,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
): Promise<Package | null> {
  return database.transaction(async (transaction) => {
    await transaction.query(moveVersion);
    const before = (await loadCatalog(transaction)).byId.get(id);
    if (before === undefined) return null;
    const after: Package = {
      ...before,
      ...change,
      limits: { ...before.limits, ...change.limits },
      prices: {
        reseller: { ...before.prices.reseller, ...change.prices?.reseller },
        distributor: { ...before.prices.distributor, ...change.prices?.distributor },
      },
    };
    await writeRows(transaction, updatePackage, [{ ...after, ...after.limits }]);
    await writePrices(transaction, after);
    await announce(transaction, 'package.update', author, before, after, now);
    return after;
  });
}

async function writePrices(transaction: Queryable, { id, prices }: Package): Promise<void> {
  const cells = groups.flatMap((group) =>
    periods.map(({ months }) => ({ packageId: id, group, months, priceCents: prices[group][months] })),
  );
  await writeRows(transaction, upsertPrices, cells);
}

async function announce(
  transaction: Queryable,
  action: string,
  author: AuditAuthor,
  before: Package | null,
  after: Package,
  now: EpochSeconds,
): Promise<void> {
  await transaction.query(notifyPackages, [changesChannel, packagesChanged]);
  await appendAudit(
    transaction,
    {
      ...author,
      action,
      subject: `package ${after.id}`,
      before: before === null ? null : auditView(before),
      after: auditView(after),
    },
    now,
  );
}

function auditView({ name, features, limits, durationDays, isTrial, retired, prices }: Package): JsonObject {
  const priceView = (group: Group) =>
    Object.fromEntries(periods.map(({ months, period }) => [period, formatAmount(prices[group][months])]));
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
    prices: Object.fromEntries(groups.map((group) => [group, priceView(group)])),
  };
}
