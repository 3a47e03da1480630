// NOTIFY messages between the processes that share a database, sent at COMMIT. Each listener then drops its cached copy.

import type { SqlStatement } from './database.ts';

/** Payloads: "account 12", "new account 12", "packages", "brand", "payments", "retention", "webhook 12". */
export const changesChannel = 'sellthrough_changes';
export const notifyChange: SqlStatement = { name: 'notify_change', text: 'select pg_notify($1, $2)' };

export const packagesChanged = 'packages';
export const brandChanged = 'brand';
export const paymentsChanged = 'payments';
export const retentionChanged = 'retention';

export const accountChanged = (id: number) => `account ${id}`;
export const accountMade = (id: number) => `new account ${id}`;

export const webhookChanged = (id: number) => `webhook ${id}`;

export function webhookNews(payload: string): number | null {
  const match = /^webhook (\d+)$/.exec(payload);
  return match === null ? null : Number(match[1]);
}

export function accountNews(payload: string): { readonly id: number; readonly isNew: boolean } | null {
  const match = /^(new )?account (\d+)$/.exec(payload);
  return match === null ? null : { id: Number(match[2]), isNew: match[1] !== undefined };
}
