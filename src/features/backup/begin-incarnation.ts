// Starts a new incarnation of a restored database, or of a standby that took over with data loss, so that nothing the lost
// one may have issued is issued again (docs/decisions/0058-after-a-restore.md). Called by `sellthrough restore` and
// `new-incarnation`, in one transaction without a running service.

import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../platform/database/database.ts';
import { skipSequences } from '../../platform/database/schema/table-catalog.ts';
import { writeIncarnation } from '../../platform/secrets/service-state.ts';
import { skipEventNumbers } from '../events/event-gaps.ts';
import { renameWaitingCalls } from '../order-engine/records/product-call-rows.ts';

/** Ids of accounts, packages, people, keys and endpoints possibly created since the backup. */
const skippedIds = 1_000;
const skipTestIds = `update test_account_ids set last_id = last_id + ${skippedIds}`;
const tokenBytes = 6;

export async function beginIncarnation(transaction: Transaction): Promise<string> {
  const incarnation = randomBytes(tokenBytes).toString('hex');
  await writeIncarnation(transaction, incarnation);
  await skipEventNumbers(transaction);
  await renameWaitingCalls(transaction, incarnation);
  await skipSequences(transaction, skippedIds);
  await transaction.query({ name: '', text: skipTestIds });
  return incarnation;
}
