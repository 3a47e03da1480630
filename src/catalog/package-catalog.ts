// The packages and their prices, in memory: every order and every GET /packages reads them here.
// Loaded at the start, again on NOTIFY, and whenever a batch finds another version in the database than ours:
// so no order is ever priced from another list than the database's.

import { type Group, groups, type Months } from '../contract/periods.ts';
import type { Queryable, Row, Statement } from '../database/database.ts';
import type { RowOf } from '../database/table.ts';
import { packages } from './package-table.ts';

type PackageRow = RowOf<typeof packages>;
type Limit = 'accounts' | 'postsPerDay' | 'aiImagesPerMonth';

/** A package's row, with its limits as an object of their own, and what it costs. */
export interface Package extends Omit<PackageRow, Limit> {
  readonly limits: Pick<PackageRow, Limit>;
  /** Cents for each group and months. Complete for every package that can be ordered. */
  readonly prices: Readonly<Record<Group, Readonly<Record<Months, bigint>>>>;
}

export interface PackageCatalog {
  readonly version: number;
  readonly byId: ReadonlyMap<number, Package>;
}

export interface PackageCatalogHolder {
  /** The catalog that this process read last. */
  current(): PackageCatalog;
  /** Reads the database again. Calls that overlap share a read that began after the last of them. */
  reload(): Promise<PackageCatalog>;
}

const selectPackages: Statement = {
  name: 'select_packages',
  text: `select s.packages_version, ${packages.list('p')},
      (select json_agg(json_build_array(r.group_name, r.months, r.price_cents::text))
       from package_prices r where r.package_id = p.id) as prices
    from service_state s left join packages p on true order by p.id`,
};

export async function createPackageCatalog(database: Queryable): Promise<PackageCatalogHolder> {
  let current = await loadCatalog(database);
  let running: Promise<PackageCatalog> | null = null;
  let next: Promise<PackageCatalog> | null = null;

  const load = async () => {
    // Also where its version is lower: a standby that was promoted may lack the last change.
    current = await loadCatalog(database);
    return current;
  };

  function reload(): Promise<PackageCatalog> {
    if (running === null) {
      running = load().finally(() => {
        running = null;
      });
      return running;
    }
    // The running read may have taken its snapshot before the change that this caller knows of.
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null;
        return reload();
      });
    return next;
  }

  return { current: () => current, reload };
}

/** A catalog from the database as it is now. */
export async function loadCatalog(database: Queryable): Promise<PackageCatalog> {
  const rows = await database.query(selectPackages);
  const byId = new Map<number, Package>();
  for (const row of rows) {
    if (row['id'] === null) continue;
    const found = parsePackage(row);
    byId.set(found.id, found);
  }
  return { version: Number(rows[0]?.['packages_version'] ?? 0), byId };
}

function parsePackage(row: Row): Package {
  const prices: Record<Group, Record<Months, bigint>> = {
    reseller: { 1: 0n, 3: 0n, 12: 0n },
    distributor: { 1: 0n, 3: 0n, 12: 0n },
  };
  for (const [group, months, cents] of (row['prices'] ?? []) as [Group, Months, string][]) {
    if (groups.includes(group)) prices[group][months] = BigInt(cents);
  }
  const { accounts, postsPerDay, aiImagesPerMonth, ...rest } = packages.parse(row);
  return { ...rest, limits: { accounts, postsPerDay, aiImagesPerMonth }, prices };
}

export function canBeOrdered({ isTrial, retired }: Package): boolean {
  return !isTrial && !retired;
}
