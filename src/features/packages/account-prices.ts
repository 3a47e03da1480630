// The table of accounts' price lists, and reading all lists for the catalog. account-price-store.ts writes them.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import {
  describeTable,
  int,
  json,
  nullableInt,
  nullableText,
  nullableTime,
  type RowOf,
  time,
} from '../../platform/database/table.ts';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import type { Months } from '../../shared/periods.ts';
import type { AccountPriceList, AccountPrices } from './price-rules.ts';

export const accountPriceLists = describeTable('account_price_lists', {
  id: int('id'),
  accountId: int('account_id'),
  from: time('starts_at'),
  until: nullableTime('ends_at'),
  percentOff: nullableInt('percent_off'),
  /** Cents, keyed by package and months, for example "7 12". */
  prices: json('prices'),
  memo: nullableText('memo'),
  /** The number of the account's newest order when the list was set, or 0. */
  afterOrder: int('after_order'),
  createdAt: time('created_at'),
});

export const newAccountPriceLists = accountPriceLists.without('id');

export type AccountPriceListRow = RowOf<typeof accountPriceLists>;

export function priceListOf({ prices, ...list }: AccountPriceListRow): AccountPriceList {
  return { ...list, priceOf: (packageId, months) => centsOf(prices, packageId, months) };
}

const selectPriceLists: SqlStatement = {
  name: 'select_price_lists',
  text: `select ${accountPriceLists.list('l')} from account_price_lists l order by l.starts_at, l.id`,
};

export async function readPriceLists(database: Queryable): Promise<readonly AccountPriceListRow[]> {
  return (await database.query(selectPriceLists)).map((row) => accountPriceLists.parse(row));
}

const selectAccountPrices: SqlStatement = {
  name: 'select_account_prices',
  text: `select ${accountPriceLists.without('prices', 'memo', 'createdAt').list('l')}, l.prices::text as prices_text
    from account_price_lists l order by l.starts_at, l.id`,
};

export async function loadAccountPrices(database: Queryable): Promise<ReadonlyMap<number, AccountPrices>> {
  const rows = await database.query(selectAccountPrices);
  const byAccount = new Map<number, AccountPriceList[]>();
  for (const row of rows) {
    const accountId = Number(row['account_id']);
    const lists = byAccount.get(accountId) ?? [];
    byAccount.set(accountId, lists);
    lists.push(parseList(row));
  }
  return byAccount;
}

const withoutPrices = accountPriceLists.pick('id', 'from', 'until', 'percentOff');

/** Parses the prices only when an order asks for one, because there may be thousands of lists. */
function parseList(row: Row): AccountPriceList {
  const text = String(row['prices_text']);
  let prices: JsonObject | null = null;
  return {
    ...withoutPrices.parse(row),
    priceOf(packageId, months) {
      if (prices === null) {
        const parsed: unknown = JSON.parse(text);
        prices = isJsonObject(parsed) ? parsed : {};
      }
      return centsOf(prices, packageId, months);
    },
  };
}

export function centsOf(prices: JsonObject, packageId: number, months: Months): bigint | undefined {
  const cents = prices[priceKey(packageId, months)];
  return typeof cents === 'number' ? BigInt(cents) : undefined;
}

export function packagesOf(prices: JsonObject): number[] {
  const ids = Object.keys(prices).map((key) => Number(key.split(' ')[0]));
  return [...new Set(ids)].sort((a, b) => a - b);
}

export function priceKey(packageId: number, months: Months): string {
  return `${packageId} ${months}`;
}
