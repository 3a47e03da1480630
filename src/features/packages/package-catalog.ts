// Packages and prices in memory, for every order and GET /packages. Loaded at the start, on NOTIFY, and when a batch finds
// another version in the database, so no order uses outdated prices. Scheduled prices are included, so nothing happens when
// one begins.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import type { Group, Months } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { packages } from './package-table.ts';
import { type Priced, priceLine, priceTable } from './price-lines.ts';

type PackageRow = RowOf<typeof packages>;
type Limit = 'accounts' | 'postsPerDay' | 'aiImagesPerMonth';

export interface Package extends Omit<PackageRow, Limit>, Priced {
  readonly limits: Pick<PackageRow, Limit>;
}

export interface PackageCatalog {
  readonly version: number;
  readonly byId: ReadonlyMap<number, Package>;
}

export interface PackageCatalogHolder {
  current(): PackageCatalog;
  /** Overlapping calls share a read that began after the last of them. */
  reload(): Promise<PackageCatalog>;
}

const selectPackages: SqlStatement = {
  name: 'select_packages',
  text: `select s.packages_version, ${packages.list('p')},
      (select json_agg(json_build_array(r.group_name, r.months, r.price_cents::text,
         extract(epoch from r.changed_at)::bigint))
       from package_prices r where r.package_id = p.id) as prices,
      (select json_agg(json_build_array(r.group_name, r.months, r.price_cents::text,
         extract(epoch from r.starts_at)::bigint))
       from scheduled_prices r where r.package_id = p.id) as scheduled
    from service_state s left join packages p on true order by p.id`,
};

export async function createPackageCatalog(database: Queryable): Promise<PackageCatalogHolder> {
  let current = await loadCatalog(database);
  let running: Promise<PackageCatalog> | null = null;
  let next: Promise<PackageCatalog> | null = null;

  const load = async () => {
    // Also if its version is lower: a promoted standby may lack the last change.
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
    // The running read may predate the caller's change.
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

type PriceCell = readonly [group: Group, months: Months, cents: string, at: EpochSeconds];

function parsePackage(row: Row): Package {
  const prices = (row['prices'] ?? []) as readonly PriceCell[];
  const scheduled = (row['scheduled'] ?? []) as readonly PriceCell[];
  const priceLines = priceTable((group, months) => {
    const isThis = ([ofGroup, ofMonths]: PriceCell) => ofGroup === group && ofMonths === months;
    const [, , cents = '0', changedAt = 0] = prices.find(isThis) ?? [];
    const steps = scheduled.filter(isThis).map(([, , later, from]) => ({ from, cents: BigInt(later) }));
    return priceLine(BigInt(cents), changedAt, steps);
  });
  const { accounts, postsPerDay, aiImagesPerMonth, ...rest } = packages.parse(row);
  return { ...rest, limits: { accounts, postsPerDay, aiImagesPerMonth }, priceLines };
}

export function canBeOrdered({ isTrial, retired }: Package): boolean {
  return !isTrial && !retired;
}
