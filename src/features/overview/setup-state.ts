// Which steps of "Open your channel" are done. Only what an operator skipped is stored, in service_state.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findProduct } from '../fulfillment/product-settings.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { pricesAt } from '../packages/price-lines.ts';
import { type SetupStep, setupSteps } from './setup-schemas.ts';

export interface SetupFacts {
  readonly database: Database;
  readonly packages: () => PackageCatalog;
  readonly hasBrand: () => boolean;
  readonly takesPayments: () => boolean;
  readonly hasPublicUrl: boolean;
  readonly hasMail: boolean;
  readonly now: () => EpochSeconds;
}

export type SetupState = 'open' | 'done' | 'skipped';

const findSetup: SqlStatement = {
  name: 'find_setup',
  text: `select setup_skipped, backed_up_at is not null as is_backed_up,
      exists (select 1 from accounts where not is_admin and test_of is null) as has_reseller from service_state`,
};

const skip: SqlStatement = {
  name: 'skip_setup_step',
  text: `update service_state set setup_skipped = array_remove(setup_skipped, $1)
      || case when $2::boolean then array[$1] else '{}'::text[] end`,
};

const setBackedUpAt: SqlStatement = {
  name: 'note_backup',
  text: 'update service_state set backed_up_at = to_timestamp($1::bigint)',
};

const readBackups: SqlStatement = {
  name: 'find_backups',
  text: `select extract(epoch from backed_up_at)::bigint as backed_up_at,
      'backup' = any(setup_skipped) as is_elsewhere from service_state`,
};

/** What every new service begins with. They are rarely those of the operator's product. */
const limitsOfNewService = 'accounts,ai_images_per_month,posts_per_day';

export async function readSetup(facts: SetupFacts): Promise<{ name: SetupStep; state: SetupState }[]> {
  const { database, packages, now } = facts;
  const [[row = {}], product] = await Promise.all([database.query(findSetup), findProduct(database)]);
  const skipped = new Set(Array.isArray(row['setup_skipped']) ? row['setup_skipped'] : []);
  const { limits, byId } = packages();
  const sold = [...byId.values()].filter(({ retired, isTrial }) => !retired && !isTrial);
  const hasPrices = sold.every((one) => {
    const prices = pricesAt(one, now());
    return Object.values(prices).every((ofGroup) => Object.values(ofGroup).some((cents) => cents > 0n));
  });
  const done: Readonly<Record<SetupStep, boolean>> = {
    brand: facts.hasBrand(),
    limits:
      limits
        .map(({ key }) => key)
        .sort()
        .join() !== limitsOfNewService,
    packages: sold.length > 0,
    prices: sold.length > 0 && hasPrices,
    product: product.mode !== 'none',
    payments: facts.takesPayments(),
    reseller: row['has_reseller'] === true,
    address: facts.hasPublicUrl,
    mail: facts.hasMail,
    backup: row['is_backed_up'] === true,
  };
  return setupSteps.map((name) => ({
    name,
    state: done[name] ? 'done' : skipped.has(name) ? 'skipped' : 'open',
  }));
}

export async function skipSetupStep(database: Database, step: SetupStep, isSkipped: boolean): Promise<void> {
  await database.query(skip, [step, isSkipped]);
}

export async function noteBackup(database: Database, now: EpochSeconds): Promise<void> {
  await database.query(setBackedUpAt, [now]);
}

export interface Backups {
  /** null: `backup` has made none. */
  readonly madeAt: EpochSeconds | null;
  /** The operator skipped the step, because other tools make the backups. */
  readonly areElsewhere: boolean;
}

export async function findBackups(database: Database): Promise<Backups> {
  const [row] = await database.query(readBackups);
  return {
    madeAt: nullable(Number, row?.['backed_up_at']),
    areElsewhere: row?.['is_elsewhere'] === true,
  };
}
