// An order as the textbook teaches it: one transaction, the account locked with SELECT … FOR UPDATE, and one prepared
// statement after another. It takes five round trips and COMMIT: the price is read with the lock, and the four writes that do
// not need each other's answers are one statement.
// Pro-rata refunds on a change of package are left out: the load never needs them, and they would only cost more.

import { createHash } from 'node:crypto';
import type pg from 'pg';

export interface TextbookOrderRequest {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly packageId: number;
  readonly customer: string;
  readonly months: number;
}

export interface TextbookOrder {
  readonly id: string;
  readonly kind: string;
  readonly package_id: number;
  readonly package_name: string;
  readonly months: number;
  readonly customer_id: string;
  readonly reference: string;
  readonly price_cents: string;
  readonly balance_after_cents: string;
  readonly expires_at: Date;
  readonly created_at: Date;
  readonly idempotency_key: string;
}

/** A refusal of the public contract. Nothing was written. */
export class TextbookRefusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export async function placeTextbookOrder(
  pool: pg.Pool,
  request: TextbookOrderRequest,
): Promise<{ order: TextbookOrder; replayed: boolean }> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const placed = await placeLocked(client, request);
    await client.query('commit');
    return placed;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function placeLocked(client: pg.PoolClient, request: TextbookOrderRequest) {
  const { accountId, idempotencyKey, packageId, customer, months } = request;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([packageId, customer, months]))
    .digest('base64url');

  const { rows: locked } = await client.query<{
    balance_cents: string;
    price_cents: string | null;
    package_name: string;
  }>({
    name: 'lock_account',
    text: `select a.balance_cents, p.price_cents, k.name as package_name
      from accounts a
      left join package_prices p on p.package_id = $2 and p.group_name = a.group_name and p.months = $3
      left join packages k on k.id = p.package_id
      where a.id = $1 for update of a`,
    values: [accountId, packageId, months],
  });

  const { rows: earlier } = await client.query<TextbookOrder & { fingerprint: string }>({
    name: 'find_by_key',
    text: `select i.fingerprint, o.id, o.kind, o.package_id, k.name as package_name, o.months, o.customer_id, c.reference,
        o.price_cents, o.balance_after_cents, o.expires_at, o.created_at, o.idempotency_key
      from idempotency_keys i
      join orders o on o.id = i.order_id
      join customers c on c.id = o.customer_id
      join packages k on k.id = o.package_id
      where i.account_id = $1 and i.key = $2`,
    values: [accountId, idempotencyKey],
  });
  if (earlier[0] !== undefined) {
    if (earlier[0].fingerprint !== fingerprint) throw new TextbookRefusal(409, 'idempotency_conflict');
    return { order: earlier[0], replayed: true };
  }

  const [account] = locked;
  if (account === undefined || account.price_cents === null)
    throw new TextbookRefusal(422, 'invalid_package');
  const balanceAfter = BigInt(account.balance_cents) - BigInt(account.price_cents);
  if (balanceAfter < 0n) throw new TextbookRefusal(402, 'insufficient_credit');

  const { rows: customers } = await client.query<{ id: string; expires_at: Date; is_new: boolean }>({
    name: 'upsert_customer',
    text: `insert into customers (account_id, reference, package_id, expires_at)
      values ($1, $2, $3, now() + make_interval(months => $4))
      on conflict (reference) do update set package_id = excluded.package_id,
        expires_at = case when customers.package_id = excluded.package_id and customers.expires_at > now()
          then customers.expires_at + make_interval(months => $4) else excluded.expires_at end
      where customers.account_id = excluded.account_id
      returning id, expires_at, xmax = 0 as is_new`,
    values: [accountId, customer, packageId, months],
  });
  const [owned] = customers;
  if (owned === undefined) throw new TextbookRefusal(409, 'customer_not_yours');
  const kind = owned.is_new ? 'activate' : 'renew';

  const { rows: written } = await client.query<{ id: string; created_at: Date }>({
    name: 'write_order',
    text: `with placed as (
        insert into orders (account_id, customer_id, package_id, months, kind, price_cents, balance_after_cents, expires_at,
          idempotency_key)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id, created_at),
      bound as (
        insert into idempotency_keys (account_id, key, fingerprint, order_id) select $1, $9, $10, id from placed),
      charged as (
        insert into ledger_entries (account_id, order_id, amount_cents, balance_after_cents)
        select $1, id, -$6::bigint, $7 from placed),
      paid as (
        update accounts set balance_cents = $7 where id = $1)
      select id, created_at from placed`,
    values: [
      ...[accountId, owned.id, packageId, months, kind, account.price_cents, balanceAfter.toString()],
      ...[owned.expires_at, idempotencyKey, fingerprint],
    ],
  });
  const [row] = written;
  if (row === undefined) throw new Error('The order was not written.');
  const order: TextbookOrder = {
    ...row,
    kind,
    package_id: packageId,
    package_name: account.package_name,
    months,
    customer_id: owned.id,
    reference: customer,
    price_cents: account.price_cents,
    balance_after_cents: balanceAfter.toString(),
    expires_at: owned.expires_at,
    idempotency_key: idempotencyKey,
  };
  return { order, replayed: false };
}
