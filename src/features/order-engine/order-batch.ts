// One batch of a lane's orders, decided and written in one transaction of two round trips: lock and load (load-batch.ts),
// then write and commit (write-batch.ts). Called by order-engine.ts; preview-orders.ts decides the same way. The only
// writer of customers, customer_references, orders, order_handoffs, plan_changes, ledger_entries, and of accounts' balances
// and counters; product calls are written with them (records/product-call-rows.ts).
// Danger: the locks must be a statement of their own before the loads. In READ COMMITTED, all parts of one statement read
// from a snapshot taken before the wait for the lock, so they would read outdated rows.

import type { Database } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { writeEvents } from '../events/event-log.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { decideOrders } from './decisions/decide-orders.ts';
import type { OrderCommand, OrderOutcome } from './decisions/order-commands.ts';
import type { OrderEventData } from './decisions/order-events.ts';
import { productCall } from './decisions/product-calls.ts';
import { isTestBatch, load } from './load-batch.ts';
import type { CancelRefund } from './records/plan-life.ts';
import { addTestUsage, type TestBudget } from './records/test-usage.ts';
import { usageOf, write, writeTests } from './write-batch.ts';

/** The statistics of these tables determine a batch's query plans. */
export const orderTables = [
  'accounts',
  'customers',
  'customer_references',
  'orders',
  'ledger_entries',
] as const;

export interface BatchDependencies {
  readonly database: Database;
  readonly currency: string;
  readonly now: () => EpochSeconds;
  readonly packages: () => PackageCatalog;
  readonly cancelRefund: CancelRefund;
  readonly testBudget: TestBudget;
  readonly orderEventData: OrderEventData;
  /** Where the account adds funds, for refusals; null if it cannot. */
  readonly topupUrl?: () => string | null;
  /** Called before the batch is written. If its COMMIT is not answered, these outcomes may still become true. */
  readonly onDecided?: (outcomes: readonly OrderOutcome[]) => void;
}

export interface BatchResult {
  readonly outcomes: readonly OrderOutcome[];
  readonly accountsWithEvents: ReadonlySet<number>;
  readonly productCalls: number;
}

/**
 * Resolves when the batch is durable.
 * @throws DatabaseUnavailable: it is unknown whether the batch was committed
 * @throws StatementFailed, TransactionRolledBack, PackagesChanged: nothing was written
 */
export function runBatch(
  {
    database,
    currency,
    cancelRefund,
    now,
    packages,
    testBudget,
    orderEventData,
    topupUrl,
    onDecided,
  }: BatchDependencies,
  commands: readonly OrderCommand[],
): Promise<BatchResult> {
  const isTest = isTestBatch(commands);
  return database.transaction(
    async (transaction) => {
      const loaded = await load(transaction, commands, { packages, testBudget });
      const { catalog } = loaded;
      const at = now();
      const decision = decideOrders(
        { ...loaded, currency, cancelRefund, topupUrl: topupUrl?.() ?? null },
        commands,
        at,
      );
      onDecided?.(decision.outcomes);
      const { events } = decision.changes;
      const newEvents = events.map(({ accountId, number, at: createdAt, event }) => ({
        accountId,
        number,
        type: event.type,
        createdAt,
        data: JSON.stringify(orderEventData(event, { packages: catalog, currency, now: createdAt })),
      }));
      const calls = decision.changes.productCalls.map((call) =>
        productCall(call, { incarnation: loaded.incarnation, now: at }),
      );
      const wait = isTest ? writeTests(transaction, decision) : [];
      if (isTest) wait.push(addTestUsage(transaction, usageOf(decision, calls, newEvents)));
      const written = [
        ...wait,
        ...write(transaction, decision, calls, { hashes: loaded.hashes, isTest, now: at }),
        ...writeEvents(transaction, newEvents, at),
      ];
      const committed = transaction.commit();
      await Promise.all([...written, committed]);
      return {
        outcomes: decision.outcomes,
        accountsWithEvents: new Set(events.map(({ accountId }) => accountId)),
        productCalls: calls.length,
      };
    },
    // Test batches run beside real orders, never before them.
    { rank: isTest ? 'changes' : 'orders' },
  );
}
