// The logged API request that placed an order, for the order's page. A line names no order, so it is found by its time, and
// counts only if its body names the order or no other request or order is that near.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { publicId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findApiKeyNames } from '../identity/api-key-rows.ts';
import type { OrderPlace } from '../orders/list-all-orders.ts';
import type { FindPlacingRequest } from '../orders/order-course.ts';
import type { OrderReads } from '../orders/order-reads.ts';
import { spanOfTime } from './find-requests.ts';
import { apiRequests, type LoggedRequest } from './request-lines.ts';
import type { RequestLog } from './request-log.ts';

/** A request is logged when it is answered, so its order is at most this much older. */
const answeredWithinSeconds = 60;
const candidatesMax = 20;

const findCandidates: SqlStatement = {
  name: 'find_placing_requests',
  text: `select ${apiRequests.list('r')}, b.number is not null as has_body,
      coalesce(strpos(b.answered, $6::text) > 0, false) as names_order
    from api_requests r left join api_request_bodies b on b.account_id = r.account_id and b.number = r.number
    where r.account_id = $1::int and r.number between $2::bigint and $3::bigint
      and r.at >= to_timestamp($4::bigint) and r.at < to_timestamp($5::bigint)
      and r.method = 'POST' and r.status = 201 and r.path ~ '/orders(/[0-9]+/renew)?$'
    order by r.number limit ${candidatesMax}`,
};

interface PlacingRequestDependencies {
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly orders: OrderReads;
  readonly requestLog: Pick<RequestLog, 'flush'>;
  readonly retention: { current(): { readonly requestLogDays: number } };
}

export function createFindPlacingRequest({
  database,
  now,
  orders,
  requestLog,
  retention,
}: PlacingRequestDependencies): FindPlacingRequest {
  return async (order) => {
    if (order.createdAt < now() - retention.current().requestLogDays * 86_400) return null;
    // Write pending lines first, so that the newest requests are included.
    await requestLog.flush();
    const line = await findLine(order);
    if (line === null) return null;
    const names = line.keyId === null ? null : await findApiKeyNames(database, [line.keyId]);
    return {
      id: line.number,
      method: line.method,
      path: line.path,
      status: line.status,
      key: names === null ? null : (names.get(line.keyId ?? 0) ?? ''),
    };
  };

  async function findLine({ accountId, number, createdAt }: OrderPlace): Promise<LoggedRequest | null> {
    const until = createdAt + answeredWithinSeconds;
    const span = await spanOfTime(database, accountId, createdAt, until);
    if (span === null) return null;
    const named = `"order":{"id":${publicId(accountId, number)},`;
    const values = [accountId, span.from, span.to, createdAt, until, named];
    const found = await database.ofAccount(accountId).query(findCandidates, values);
    const naming = found.find((row) => row['names_order'] === true);
    if (naming !== undefined) return apiRequests.parse(naming);
    const [line, other] = found
      .filter((row) => row['has_body'] === false)
      .map((row) => apiRequests.parse(row))
      .filter((one) => startOf(one) <= createdAt);
    if (line === undefined || other !== undefined || found.length === candidatesMax) return null;
    const neighbors = await Promise.all([number - 1, number + 1].map((one) => orders.find(accountId, one)));
    const isAlone = neighbors.every(
      (one) => one === null || one.createdAt < startOf(line) || one.createdAt > line.at,
    );
    return isAlone ? line : null;
  }
}

/** Times are whole seconds, so it may have begun a second earlier. */
function startOf({ at, milliseconds }: LoggedRequest): EpochSeconds {
  return at - Math.ceil(milliseconds / 1000) - 1;
}
