// Reads what shows that something changed, for all followed accounts at once: counters and states, no data. The
// cost does not grow with an account.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { StreamTopic } from './stream-schemas.ts';

/** A topic's mark changes when there is news. Absent topics have none. */
export type Marks = Readonly<Partial<Record<StreamTopic, string>>>;

const newestTopups = 10;

/** An older top-up changes only by a payment, which adds a ledger entry. */
const markColumns = (owner: string) => `a.id, ${owner} as owner_id,
      concat_ws(' ', a.entry_count, a.access_version, a.reversal_count, a.receivable_cents,
        extract(epoch from a.test_clock)::bigint) as account,
      concat_ws(' ', a.order_count, a.plan_change_count) as orders, a.event_count,
      (select string_agg(t.number || t.status, ' ') from (select number, status from topups
        where account_id = a.id order by number desc limit ${newestTopups}) t) as topups`;

const findAccountMarks: SqlStatement = {
  name: 'find_account_marks',
  text: `select ${markColumns('a.id')} from accounts a where a.id = any($1::int[])
    union all
    select ${markColumns('a.test_of')} from accounts a where a.test_of = any($1::int[]) and a.test_state = 'current'`,
};

const findRequestMarks: SqlStatement = {
  name: 'find_request_marks',
  text: 'select account_id, request_count from api_request_counts where account_id = any($1::int[])',
};

const findDeliveryMarks: SqlStatement = {
  name: 'find_delivery_marks',
  text: `select account_id, concat_ws(' ', count(*), sum(attempt_count), sum(cursor), sum(queue_version),
      count(disabled_at)) as deliveries
    from webhooks where account_id = any($1::int[]) group by account_id`,
};

const watchedCalls = 100;

const findCallMarks: SqlStatement = {
  name: 'find_call_marks',
  text: `select (select concat_ws(' ', count(*), max(id)) from (select id from product_calls
        where status = 'attention' and id > 0 and account_id <= ${realAccountIdMax}
        order by id limit ${watchedCalls}) c) as attention,
      (select concat_ws(' ', count(*), max(id), sum(attempts)) from (select id, attempts from product_calls
        where status = 'waiting' and account_id <= ${realAccountIdMax}
        order by next_attempt_at, id limit ${watchedCalls}) c) as waiting`,
};

/** The marks of each account together with those of its test account. */
export async function readAccountMarks(
  database: Queryable,
  accountIds: readonly number[],
): Promise<ReadonlyMap<number, Marks>> {
  const accounts = await queryShards(database, findAccountMarks, [numberArray(accountIds)], 'any');
  const ids = accounts.map((row) => Number(row['id']));
  const [requests, deliveries] = await Promise.all([
    queryShards(database, findRequestMarks, [], { accounts: ids }),
    database.query(findDeliveryMarks, [numberArray(ids)]),
  ]);
  const requestsOf = new Map(requests.map((row) => [Number(row['account_id']), row['request_count']]));
  const deliveriesOf = new Map(deliveries.map((row) => [Number(row['account_id']), row['deliveries']]));
  const rows = accounts.map((row) => {
    const id = Number(row['id']);
    return {
      id,
      ownerId: Number(row['owner_id']),
      marks: {
        account: `${row['account']}`,
        orders: `${row['orders']}`,
        requests: `${requestsOf.get(id) ?? 0}`,
        deliveries: `${row['event_count']} ${deliveriesOf.get(id) ?? ''}`,
        topups: `${row['topups']}`,
      },
    };
  });
  const ofOwners = Map.groupBy(
    rows.toSorted((one, other) => one.id - other.id),
    ({ ownerId }) => ownerId,
  );
  return new Map(
    [...ofOwners].map(([ownerId, ofOwner]) => {
      const mark = (topic: keyof (typeof rows)[number]['marks']) =>
        ofOwner.map(({ id, marks }) => `${id}: ${marks[topic]}`).join();
      return [
        ownerId,
        {
          account: mark('account'),
          orders: mark('orders'),
          requests: mark('requests'),
          deliveries: mark('deliveries'),
          topups: mark('topups'),
        },
      ];
    }),
  );
}

/** Of all accounts, for operators. */
export async function readCallMark(database: Queryable): Promise<string> {
  const rows = await queryShards(database, findCallMarks, [], 'every');
  return rows.map((row) => `${row['attention']}, ${row['waiting']}`).join();
}
