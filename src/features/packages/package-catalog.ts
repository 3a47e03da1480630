// Packages and prices in memory, for every order and GET /packages. They are loaded at the start, on NOTIFY, and when a
// batch finds another version in the database. Scheduled prices are included, so nothing has to happen when one begins.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import {
  definedValues,
  type LimitDefinition,
  type LimitKind,
  type LimitValues,
  type NameInLanguages,
} from '../../shared/limits.ts';
import { type Group, type Months, periodOfMonths } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import { loadAccountPrices } from './account-prices.ts';
import { packages } from './package-table.ts';
import { type HeldStep, noHeldSteps, type Priced, priceAt, priceLine, priceTable } from './price-lines.ts';
import { type AccountPrices, noAccountPrices, type Payer } from './price-rules.ts';

type PackageRow = RowOf<typeof packages>;

export interface Package extends Omit<PackageRow, 'limits'>, Priced {
  readonly limits: LimitValues;
}

export interface Packages {
  readonly version: number;
  readonly limits: readonly LimitDefinition[];
  readonly byId: ReadonlyMap<number, Package>;
}

export interface PackageCatalog extends Packages {
  /** Keyed by the id of the real account. Accounts without prices of their own are left out. */
  readonly accountPrices: ReadonlyMap<number, AccountPrices>;
}

export function payerOf(
  { accountPrices }: Pick<PackageCatalog, 'accountPrices'>,
  { id, testOf, group }: Pick<Account, 'id' | 'testOf' | 'group'>,
): Payer {
  return { group, prices: accountPrices.get(testOf ?? id) ?? noAccountPrices };
}

export interface PackageCatalogHolder {
  current(): PackageCatalog;
  /** Calls made while a read is running share the next read, so each caller sees data from after its call. */
  reload(): Promise<PackageCatalog>;
}

const selectPackages: SqlStatement = {
  name: 'select_packages',
  text: `select s.packages_version, ${packages.list('p')},
      case when row_number() over (order by p.id) = 1 then
        (select json_agg(json_build_array(d.key, d.kind, d.name_en, d.name_de, d.unit_en, d.unit_de, d.position, d.hidden)
          order by d.position, d.key) from limit_definitions d) end as limit_definitions,
      (select json_agg(json_build_array(r.group_name, r.months, r.price_cents::text,
         extract(epoch from r.changed_at)::bigint))
       from package_prices r where r.package_id = p.id) as prices,
      (select json_agg(json_build_array(r.group_name, r.months, r.price_cents::text,
         extract(epoch from r.starts_at)::bigint, r.existing_plans = 'held', b.price_cents::text))
       from scheduled_prices r left join prices_before_holds b using (package_id, starts_at, group_name, months)
       where r.package_id = p.id) as scheduled
    from service_state s left join packages p on true order by p.id`,
};

export async function createPackageCatalog(database: Queryable): Promise<PackageCatalogHolder> {
  let current = await loadWhole(database);
  let running: Promise<PackageCatalog> | null = null;
  let next: Promise<PackageCatalog> | null = null;

  const load = async () => {
    // Load even a lower version: a promoted standby may lack the last change.
    current = await loadWhole(database);
    return current;
  };

  function reload(): Promise<PackageCatalog> {
    if (running === null) {
      running = load().finally(() => {
        running = null;
      });
      return running;
    }
    // The running read may have begun before the caller's change, so start another one.
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

/** The lists may be newer than the version. That is harmless: setting a list takes the account's lock, like orders. */
async function loadWhole(database: Queryable): Promise<PackageCatalog> {
  const packages = await loadCatalog(database);
  return { ...packages, accountPrices: await loadAccountPrices(database) };
}

export async function loadCatalog(database: Queryable): Promise<Packages> {
  const rows = await database.query(selectPackages);
  const definitions = (rows[0]?.['limit_definitions'] ?? []) as readonly LimitCell[];
  const limits = definitions.map(parseDefinition);
  const byId = new Map<number, Package>();
  for (const row of rows) {
    if (row['id'] === null) continue;
    const found = parsePackage(row, limits);
    byId.set(found.id, found);
  }
  return { version: Number(rows[0]?.['packages_version'] ?? 0), limits, byId };
}

type LimitCell = readonly [
  key: string,
  kind: LimitKind,
  nameEn: string,
  nameDe: string | null,
  unitEn: string | null,
  unitDe: string | null,
  position: number,
  hidden: boolean,
];

function parseDefinition([
  key,
  kind,
  nameEn,
  nameDe,
  unitEn,
  unitDe,
  position,
  hidden,
]: LimitCell): LimitDefinition {
  return {
    key,
    kind,
    name: inLanguages(nameEn, nameDe),
    unit: unitEn === null ? null : inLanguages(unitEn, unitDe),
    position,
    hidden,
  };
}

function inLanguages(en: string, de: string | null): NameInLanguages {
  return { en, ...(de !== null && { de }) };
}

type PriceCell = readonly [group: Group, months: Months, cents: string, at: EpochSeconds];
type ScheduledCell = readonly [...PriceCell, isHeld: boolean, beforeCents: string | null];

function parsePackage(row: Row, definitions: readonly LimitDefinition[]): Package {
  const prices = (row['prices'] ?? []) as readonly PriceCell[];
  const scheduled = (row['scheduled'] ?? []) as readonly ScheduledCell[];
  const priceLines = priceTable((group, months) => {
    const isThis = isOf(group, months);
    const [, , cents = '0', changedAt = 0] = prices.find(isThis) ?? [];
    const steps = scheduled.filter(isThis).map(([, , later, from]) => ({ from, cents: BigInt(later) }));
    return priceLine(BigInt(cents), changedAt, steps);
  });
  const { limits, ...rest } = packages.parse(row);
  const held = scheduled.filter(([, , , , isHeld]) => isHeld);
  const heldSteps =
    held.length === 0
      ? noHeldSteps
      : priceTable((group, months) => heldStepsOf(held, priceLines, group, months));
  return { ...rest, limits: definedValues(definitions, limits), priceLines, heldSteps };
}

function isOf(group: Group, months: Months) {
  return ([ofGroup, ofMonths]: PriceCell | ScheduledCell) => ofGroup === group && ofMonths === months;
}

function heldStepsOf(
  held: readonly ScheduledCell[],
  priceLines: Package['priceLines'],
  group: Group,
  months: Months,
): HeldStep[] {
  const steps = held.filter(isOf(group, months)).map(([, , , from, , before]) => ({
    from,
    beforeCents: before === null ? priceAt({ priceLines }, group, months, from - 1) : BigInt(before),
  }));
  return steps.sort((a, b) => a.from - b.from);
}

/** Both new orders and renewals must be for such a period. */
export function isSoldFor({ periods }: Pick<Package, 'periods'>, months: Months): boolean {
  return periods.includes(periodOfMonths(months));
}

export function canBeOrdered({ isTrial, retired }: Package): boolean {
  return !isTrial && !retired;
}
