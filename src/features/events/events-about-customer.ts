// Finds an account's events about one customer, newest first. Events have no index by customer, so the texts are searched, a
// bounded range of numbers for each statement.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { isJsonObject } from '../../shared/json.ts';
import { type AccountEvent, events } from './event-log.ts';

const rowsAtOnce = 2_000;
/** Documented: older events are not searched. */
const eventsSearchedMax = 200_000;

// The id may be that of an order or an event as well, so the rows found are checked again.
const search: SqlStatement = {
  name: 'search_events_about_customer',
  text: `with looked as materialized (select * from events e where e.account_id = $1::int and e.number < $2::int
      order by e.account_id desc, e.number desc limit ${rowsAtOnce})
    select seen.reached, seen.rows as looked, ${events.list('e')}
    from (select min(number) as reached, count(*) as rows from looked) seen
    left join (select * from looked where strpos(data::text, $3::text) > 0) e on true
    order by e.number desc`,
};

export async function* eventsAboutCustomer(
  database: Queryable,
  accountId: number,
  customerId: number,
): AsyncGenerator<readonly AccountEvent[]> {
  const group = database.ofAccount(accountId);
  let before = 2_147_483_647;
  for (let searched = 0; searched < eventsSearchedMax; searched += rowsAtOnce) {
    const rows = await group.query(search, [accountId, before, String(customerId)]);
    const found = rows
      .filter((row) => row['number'] !== null)
      .map((row) => events.parse(row))
      .filter(({ data }) => isAbout(JSON.parse(data), customerId));
    if (found.length > 0) yield found;
    const reached = nullable(Number, rows[0]?.['reached']);
    if (reached === null || Number(rows[0]?.['looked']) < rowsAtOnce) return;
    before = reached;
  }
}

/** An event names its customer in `customer`, or in the `customer` of its order. */
function isAbout(data: unknown, customerId: number): boolean {
  if (!isJsonObject(data)) return false;
  const { customer, order } = data;
  const [own, ofOrder] = [customer, isJsonObject(order) ? order['customer'] : undefined];
  return [own, ofOrder].some((one) => isJsonObject(one) && one['id'] === customerId);
}
