// What processes on one database tell each other, by NOTIFY at the COMMIT of the change: that an
// account's rights, a package, an endpoint or the operator's brand moved. Each listener drops what it had in memory.

import type { SqlStatement } from './database.ts';

/** The channel. Payloads: "account 12", "new account 12", "packages", "brand", "webhook 12". */
export const changesChannel = 'sellthrough_changes';
export const notifyChange: SqlStatement = { name: 'notify_change', text: 'select pg_notify($1, $2)' };

export const packagesChanged = 'packages';
export const brandChanged = 'brand';

export const accountChanged = (id: number) => `account ${id}`;
/** Nobody remembers anything of it yet. */
export const accountMade = (id: number) => `new account ${id}`;

export const webhookChanged = (id: number) => `webhook ${id}`;

/** The endpoint that changed; null for any other payload. */
export function webhookNews(payload: string): number | null {
  const match = /^webhook (\d+)$/.exec(payload);
  return match === null ? null : Number(match[1]);
}

/** What is said of an account; null for any other payload. */
export function accountNews(payload: string): { readonly id: number; readonly isNew: boolean } | null {
  const match = /^(new )?account (\d+)$/.exec(payload);
  return match === null ? null : { id: Number(match[2]), isNew: match[1] !== undefined };
}
