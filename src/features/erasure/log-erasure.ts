// The list of erasures outside the database, for `restore --erasures`. A test's customer is not in it.

import { isTestAccount, publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';

interface ErasureLog {
  info(fields: { readonly customer: number; readonly created_at: string }, event: string): void;
}

export function logErasure(log: ErasureLog, { accountId, number, createdAt }: Customer): void {
  if (isTestAccount(accountId)) return;
  const created_at = formatTime(createdAt);
  log.info({ customer: publicId(accountId, number), created_at }, 'customer erased');
}
