// Administrators' changes to the limits that packages can have. The only writer of limit_definitions.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { writeRows } from '../../platform/database/table.ts';
import { fieldRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import {
  type LimitDefinition,
  limitDefinitionsMax,
  limitKeyPattern,
  limitPositionMax,
} from '../../shared/limits.ts';
import { limitView } from './limit-view.ts';
import { loadCatalog, type Package, type Packages } from './package-catalog.ts';
import { announce, type DatedCaller, lockCatalog } from './package-store.ts';
import { limitDefinitions } from './package-table.ts';

/** `position` null leaves an existing limit where it is and puts a new one last. */
export type LimitSettings = Omit<LimitDefinition, 'position'> & { readonly position: number | null };

const upsertLimit = limitDefinitions.insert(
  'upsert_limit_definition',
  `on conflict (key) do update set kind = excluded.kind, name_en = excluded.name_en, name_de = excluded.name_de,
    unit_en = excluded.unit_en, unit_de = excluded.unit_de, position = excluded.position, hidden = excluded.hidden`,
);

const deleteDefinition: SqlStatement = {
  name: 'delete_limit_definition',
  text: 'delete from limit_definitions where key = $1',
};

const deleteBeforePackages: SqlStatement = {
  name: 'delete_limits_before_packages',
  text: 'delete from limit_definitions where not exists (select 1 from packages)',
};

/** Writes nothing if it is unchanged. Refusals: validation_failed, limit_in_use, too_many_limits. */
export async function setLimit(
  database: Database,
  settings: LimitSettings,
  { now, ...author }: DatedCaller,
): Promise<LimitDefinition | Refusal> {
  return database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    const catalog = await loadCatalog(transaction);
    const { key } = settings;
    const before = catalog.limits.find((one) => one.key === key);
    if (before === undefined) {
      if (!new RegExp(limitKeyPattern).test(key)) {
        return fieldRefusal(
          'validation_failed',
          'key',
          'must be like "storage_gb", with at most 40 characters',
        );
      }
      if (catalog.limits.length >= limitDefinitionsMax) {
        return refusal('too_many_limits', { limit: limitDefinitionsMax });
      }
    } else if (before.kind !== settings.kind) {
      const [user] = usersOf(catalog, key);
      if (user !== undefined) return inUse(user);
    }
    const last = Math.max(0, ...catalog.limits.map(({ position }) => position));
    const after = {
      ...settings,
      position: settings.position ?? before?.position ?? Math.min(last + 1, limitPositionMax),
    };
    if (before !== undefined && isSame(before, after)) return before;
    const { name, unit } = after;
    await writeRows(transaction, upsertLimit, [
      {
        ...after,
        nameEn: name.en,
        nameDe: name.de ?? null,
        unitEn: unit?.en ?? null,
        unitDe: unit?.de ?? null,
      },
    ]);
    const views = { before: before === undefined ? null : limitView(before), after: limitView(after) };
    await announce(transaction, { ...author, action: 'limit.set', subject: `limit ${key}`, ...views }, now);
    return after;
  });
}

/** Refusals: limit_not_found (also if it was deleted before), limit_in_use. */
export async function deleteLimit(
  database: Database,
  key: string,
  { now, ...author }: DatedCaller,
): Promise<LimitDefinition | Refusal> {
  return database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    const catalog = await loadCatalog(transaction);
    const before = catalog.limits.find((one) => one.key === key);
    if (before === undefined) return refusal('limit_not_found');
    const user = usersOf(catalog, key).find(({ retired }) => !retired);
    if (user !== undefined) return inUse(user);
    await transaction.query(deleteDefinition, [key]);
    const views = { before: limitView(before), after: null };
    await announce(
      transaction,
      { ...author, action: 'limit.delete', subject: `limit ${key}`, ...views },
      now,
    );
    return before;
  });
}

/** For the demo. It is not logged, so that the log does not begin with another product's limits. */
export async function deleteLimitsBeforePackages(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    await transaction.query(deleteBeforePackages);
  });
}

function isSame(one: LimitDefinition, other: LimitDefinition): boolean {
  return JSON.stringify(limitView(one)) === JSON.stringify(limitView(other));
}

function usersOf({ byId }: Packages, key: string): readonly Package[] {
  return [...byId.values()].filter(({ limits }) => Object.hasOwn(limits, key));
}

function inUse({ id, name }: Package): Refusal {
  return refusal('limit_in_use', { package_id: id, package: name });
}
