// Previews commands. They are loaded and decided like a batch, but without locks and without writing.

import type { EpochSeconds } from '../../shared/times.ts';
import { decideOrders } from './decisions/decide-orders.ts';
import { afterOrder } from './decisions/execute-order.ts';
import type { OrderCommand, OrderOutcome, RenewCustomer } from './decisions/order-commands.ts';
import { load, toRead } from './load-batch.ts';
import type { BatchDependencies } from './order-batch.ts';
import { orderStatus } from './records/order-table.ts';
import type { CancelRefund } from './records/plan-life.ts';

export type PreviewDependencies = Pick<
  BatchDependencies,
  'database' | 'currency' | 'now' | 'packages' | 'testBudget' | 'topupUrl'
>;

export interface OrderPreview {
  readonly outcome: OrderOutcome;
  readonly startsAt: EpochSeconds;
  readonly balanceCents: bigint;
}

/** @throws DatabaseUnavailable, PackagesChanged */
export function previewOrder(
  {
    database,
    currency,
    now,
    packages,
    testBudget,
    topupUrl,
    cancelRefund = 'none',
  }: PreviewDependencies & {
    readonly cancelRefund?: CancelRefund;
  },
  command: OrderCommand,
): Promise<OrderPreview> {
  return database.ofAccount(command.accountId).transaction(
    async (transaction) => {
      const loaded = await load(transaction, [command], { packages, testBudget }, toRead);
      const state = { ...loaded, currency, cancelRefund, topupUrl: topupUrl?.() ?? null };
      const { outcomes, changes } = decideOrders(state, [command], now());
      const [outcome] = outcomes;
      if (outcome === undefined) throw new Error('A preview was answered without an outcome.');
      const [customer] = [...changes.newCustomers, ...changes.changedCustomers, ...loaded.customers];
      // A pending order leaves the plan as it is. A replayed order changes nothing.
      const [order] = changes.orders;
      const isPending = order !== undefined && customer !== undefined && orderStatus(order) === 'pending';
      const plan = isPending ? afterOrder(customer, order).plan : customer?.plan;
      return { outcome, startsAt: plan?.anchorAt ?? 0, balanceCents: loaded.accounts[0]?.balanceCents ?? 0n };
    },
    { rank: 'lookups' },
  );
}

const enoughCents = 1_000_000_000_000_000n;

/** Previews renewals of one account's customers in the order of the commands, at any balance. */
export function previewRenewals(
  { database, currency, now, packages, testBudget }: PreviewDependencies,
  accountId: number,
  commands: readonly RenewCustomer[],
): Promise<readonly OrderOutcome[]> {
  return database.ofAccount(accountId).transaction(
    async (transaction) => {
      const loaded = await load(transaction, commands, { packages, testBudget }, toRead);
      const accounts = loaded.accounts.map((account) => ({ ...account, balanceCents: enoughCents }));
      const state = {
        ...loaded,
        accounts,
        currency,
        cancelRefund: 'none' as const,
      };
      return decideOrders(state, commands, now()).outcomes;
    },
    { rank: 'lookups' },
  );
}
