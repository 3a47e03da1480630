// The table login_links, with at most one valid link per order. Order batches and login-links.ts write it; login-links.ts
// also uses links up.

import type { Queryable } from '../../../platform/database/database.ts';
import { describeTable, int, text, time, writeRows } from '../../../platform/database/table.ts';
import type { EpochSeconds } from '../../../shared/times.ts';

export const whoseAndWhen = {
  accountId: int('account_id'),
  customerNumber: int('customer_number'),
  createdAt: time('created_at'),
  expiresAt: time('expires_at'),
};

export const loginLinks = describeTable('login_links', {
  tokenHash: text('token_hash'),
  orderNumber: int('order_number'),
  ...whoseAndWhen,
});

export interface LinkToWrite {
  readonly tokenHash: string;
  readonly validSeconds: number;
  readonly at?: number;
  /** `number` is 0 if the customer has a trial and never ordered. */
  readonly order: { readonly accountId: number; readonly number: number; readonly customerNumber: number };
}

// Replaces the order's live link. "do update" also covers a batch that runs again after a lost COMMIT.
const putLinks = loginLinks.insert(
  'put_login_links',
  `on conflict (account_id, order_number, customer_number) where spent_at is null and replaced_at is null
    do update set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`,
);

export async function writeLoginLinks(
  database: Queryable,
  links: readonly LinkToWrite[],
  now: EpochSeconds,
): Promise<void> {
  await writeRows(
    database,
    putLinks,
    links.map(({ tokenHash, validSeconds, order, at = now }) => ({
      tokenHash,
      orderNumber: order.number,
      accountId: order.accountId,
      customerNumber: order.customerNumber,
      createdAt: at,
      expiresAt: at + validSeconds,
    })),
  );
}
