// For the console: compares what accounts pay with what their groups pay, and counts plans that a new price would affect.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { bigint } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { formatAmount } from '../../shared/amounts.ts';
import {
  expectMonths,
  type Group,
  groups,
  type Months,
  periodOfMonths,
  periods,
} from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { ComparedPrices } from './account-price-schemas.ts';
import type { Package, PackageCatalog } from './package-catalog.ts';
import { type Payer, priceFor } from './price-rules.ts';

const accountsMax = 500;

export function comparedPrices(one: Package, payer: Payer, at: EpochSeconds): ComparedPrices {
  const ofGroup: Payer = { group: payer.group, prices: [] };
  return periods.map(({ months, period }) => {
    const { cents, rule } = priceFor(one, payer, months, at, null);
    return {
      months,
      period,
      price: formatAmount(cents),
      group_price: formatAmount(priceFor(one, ofGroup, months, at, null).cents),
      price_rule: rule.name,
    };
  });
}

const readPayers: SqlStatement = {
  name: 'read_payers',
  text: 'select id, username, display_name, group_name from accounts where id = any($1::int[]) order by id',
};

export interface PaysOtherwise {
  readonly account: {
    readonly id: number;
    readonly username: string;
    readonly display_name: string;
    readonly group: Group;
  };
  readonly prices: ComparedPrices;
}

export async function findWhoPaysOtherwise(
  database: Queryable,
  { accountPrices }: PackageCatalog,
  one: Package,
  at: EpochSeconds,
): Promise<readonly PaysOtherwise[]> {
  const rows = await queryShards(database, readPayers, [], { accounts: [...accountPrices.keys()] });
  const all = rows.map((row): PaysOtherwise => {
    const id = Number(row['id']);
    const group = groups.find((known) => known === row['group_name']) ?? 'reseller';
    const [username, displayName] = [String(row['username']), String(row['display_name'])];
    const prices = comparedPrices(one, { group, prices: accountPrices.get(id) ?? [] }, at);
    return {
      account: { id, username, display_name: displayName, group },
      prices: prices.filter((found) => found.price !== found.group_price),
    };
  });
  return all
    .filter(({ prices }) => prices.length > 0)
    .sort((a, b) => a.account.id - b.account.id)
    .slice(0, accountsMax);
}

const countPlans: SqlStatement = {
  name: 'count_running_plans',
  text: `select a.group_name, coalesce(c.renew_months, o.months) as months, count(*)::bigint as plans,
      sum(o.price_cents * 12 / o.months)::bigint as year_cents
    from customers c join accounts a on a.id = c.account_id and a.test_of is null
    join orders o on o.account_id = c.account_id and o.number = c.last_order
    where c.package_id = $1::int and c.expires_at > to_timestamp($2::bigint) and not c.cancelled
    group by 1, 2 order by 1, 2`,
};

export interface RunningPlans {
  readonly group: Group;
  readonly months: Months;
  readonly period: ReturnType<typeof periodOfMonths>;
  readonly plans: number;
  readonly monthly_revenue: string;
}

/** Reads every plan, so it waits behind all other work. */
export async function countRunningPlans(
  database: Database,
  packageId: number,
  now: EpochSeconds,
): Promise<readonly RunningPlans[]> {
  const sums = new Map<string, { group: Group; months: Months; plans: number; yearCents: bigint }>();
  for (const shard of database.accountGroups()) {
    for (const row of await shard.query(countPlans, [packageId, now], 'reads')) {
      const group = groups.find((known) => known === row['group_name']) ?? 'reseller';
      const months = expectMonths(Number(row['months']));
      const sum = sums.get(`${group} ${months}`) ?? { group, months, plans: 0, yearCents: 0n };
      sum.plans += Number(row['plans']);
      sum.yearCents += bigint(row['year_cents']);
      sums.set(`${group} ${months}`, sum);
    }
  }
  return [...sums.values()].map(({ yearCents, ...sum }) => ({
    ...sum,
    period: periodOfMonths(sum.months),
    monthly_revenue: formatAmount(yearCents / 12n),
  }));
}
