// Prometheus metrics of product calls, without tests. Outcomes are those of this process; the backlog comes from the
// database and is equal in every process.

import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';

/** `retried`: there was no usable answer, so the call is sent again later. */
export const callOutcomes = ['taken', 'refused', 'retried', 'given_up'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

export interface ProductCallMetrics {
  onCall(outcome: CallOutcome): void;
  observe(database: Queryable, now: () => EpochSeconds): void;
}

interface Waiting {
  readonly calls: number;
  readonly since: EpochSeconds | null;
  readonly failing: number;
  readonly needingAttention: number;
}

const countWaiting: SqlStatement = {
  name: 'count_waiting_product_calls',
  text: `select count(*) as calls, extract(epoch from min(created_at))::bigint as oldest,
      count(*) filter (where attempts > 0) as failing,
      (select count(*) from product_calls where status = 'attention') as attention
    from product_calls where status = 'waiting' and account_id <= ${realAccountIdMax}`,
};

/** How long a scrape waits for a database that does not answer. */
const patienceMilliseconds = 500;
/** The backlog is cached this long, so that frequent scrapes cost little. */
const restMilliseconds = 1_000;

export function createProductCallMetrics(registry: Registry): ProductCallMetrics {
  const registers = [registry];
  const calls = new Counter({
    name: 'sellthrough_product_calls_total',
    help: 'Calls to the product, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of callOutcomes) calls.inc({ outcome }, 0);

  return {
    onCall: (outcome) => calls.inc({ outcome }),
    observe(database, now) {
      let known: Waiting = { calls: 0, since: null, failing: 0, needingAttention: 0 };
      let asking: Promise<void> | null = null;

      async function ask(): Promise<void> {
        const [row = {}] = await database.query(countWaiting);
        known = {
          calls: Number(row['calls']),
          since: nullable(Number, row['oldest']),
          failing: Number(row['failing']),
          needingAttention: Number(row['attention']),
        };
      }
      async function refreshed(): Promise<Waiting> {
        asking ??= ask()
          .catch(() => undefined)
          .finally(() => {
            setTimeout(() => {
              asking = null;
            }, restMilliseconds).unref();
          });
        const patience = Promise.withResolvers<void>();
        const timer = setTimeout(patience.resolve, patienceMilliseconds);
        await Promise.race([asking, patience.promise]);
        clearTimeout(timer);
        return known;
      }
      const gauge = (name: string, help: string, read: (waiting: Waiting) => number) =>
        new Gauge({
          name,
          help,
          registers,
          async collect() {
            this.set(read(await refreshed()));
          },
        });
      gauge(
        'sellthrough_product_calls_waiting',
        'Calls that the product has not accepted.',
        ({ calls: count }) => count,
      );
      gauge('sellthrough_product_call_oldest_seconds', 'Age of the oldest of them.', ({ since }) =>
        since === null ? 0 : Math.max(0, now() - since),
      );
      gauge(
        'sellthrough_product_calls_failing',
        'Of these, calls whose last attempt failed.',
        ({ failing }) => failing,
      );
      gauge(
        'sellthrough_orders_needing_attention',
        'Calls that ran out of attempts, those of pending orders and all others: an administrator has to decide.',
        ({ needingAttention }) => needingAttention,
      );
    },
  };
}
