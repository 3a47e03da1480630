// Starts a new incarnation of a database that was restored, or of a standby that took over with data loss. It skips all
// numbers and ids that the lost database may have issued (docs/decisions/0058-after-a-restore.md). Runs in one transaction
// while no service runs.

import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../platform/database/database.ts';
import { skipSequences } from '../../platform/database/schema/table-catalog.ts';
import { writeIncarnation } from '../../platform/secrets/service-state.ts';
import { skipEventNumbers } from '../events/event-gaps.ts';
import { renameWaitingCalls } from '../order-engine/records/product-call-rows.ts';
import { holdAutoTopups } from '../payments/auto-topup-store.ts';

/** The lost database may have created this many accounts, packages, people, keys and endpoints since the backup. */
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
  await holdAutoTopups(transaction);
  return incarnation;
}
