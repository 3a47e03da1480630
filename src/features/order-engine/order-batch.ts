// One batch: the orders of one lane that arrived together, decided and written in one transaction of two
// round trips. First lock the accounts and load what their orders ask about (load-batch.ts); then write everything
// and commit (write-batch.ts). Called by order-engine.ts; previews read and decide the same way (preview-orders.ts).
// The only writer of customers, customer_references, orders, order_handoffs, plan_changes and ledger_entries, and of
// the balance and the counters of accounts. The calls to the product are written with them
// (records/product-call-rows.ts).
//
// The locks come in a statement of their own, before the loads: in READ COMMITTED all parts of one
// statement share a snapshot taken before it waits for a lock, and would read what the holder has since
// changed.

import type { Database } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { writeEvents } from '../events/event-log.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { decideOrders } from './decisions/decide-orders.ts';
import type { OrderCommand, OrderOutcome } from './decisions/order-commands.ts';
import type { OrderEventData } from './decisions/order-events.ts';
import { productCall } from './decisions/product-calls.ts';
import { isTestBatch, load, PackagesChanged } from './load-batch.ts';
import type { CancelRefund } from './records/plan-life.ts';
import { addTestUsage, type TestBudget } from './records/test-usage.ts';
import { usageOf, write, writeTests } from './write-batch.ts';

/** The tables whose statistics the plans of a batch hang on. */
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
  /** Hears what was decided before it is written: what a COMMIT without an answer may have made true. */
  readonly onDecided?: (outcomes: readonly OrderOutcome[]) => void;
}

export interface BatchResult {
  /** In the order of the commands. */
  readonly outcomes: readonly OrderOutcome[];
  /** Accounts that the batch wrote events for. */
  readonly accountsWithEvents: ReadonlySet<number>;
  /** Calls of the product that were written. */
  readonly productCalls: number;
}

/**
 * Runs the commands in one transaction. When it resolves, what it says is durable.
 * @throws DatabaseUnavailable whether the batch committed is then unknown
 * @throws StatementFailed, TransactionRolledBack, PackagesChanged nothing was written
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
    onDecided,
  }: BatchDependencies,
  commands: readonly OrderCommand[],
): Promise<BatchResult> {
  const isTest = isTestBatch(commands);
  return database.transaction(
    async (transaction) => {
      const loaded = await load(transaction, commands, testBudget);
      const catalog = packages();
      if (catalog.version !== loaded.packagesVersion) throw new PackagesChanged();

      const at = now();
      const decision = decideOrders(
        { ...loaded, packages: catalog.byId, currency, cancelRefund },
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
    // Those of tests go beside the orders of real accounts, not before them.
    { rank: isTest ? 'changes' : 'orders' },
  );
}
