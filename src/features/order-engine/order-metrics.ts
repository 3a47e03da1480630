// Prometheus metrics of the engine: orders, replays, batches, queue.

import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Database } from '../../platform/database/database.ts';
import type { OrderCommand, OrderOutcome } from './decisions/order-commands.ts';
import type { OrderEngine } from './order-engine.ts';

export interface OrderMetrics {
  onBatch(commands: readonly OrderCommand[], outcomes: readonly OrderOutcome[]): void;
  onBatchBroken(): void;
  observe(engine: OrderEngine, database: Database): void;
}

export function createOrderMetrics(registry: Registry): OrderMetrics {
  const registers = [registry];
  const orders = new Counter({
    name: 'sellthrough_orders_total',
    help: 'Orders placed, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const replays = new Counter({
    name: 'sellthrough_replays_total',
    help: 'Repeated requests answered with their first order.',
    registers,
  });
  const renewals = new Counter({
    name: 'sellthrough_renewals_total',
    help: 'Plans that were due to renew themselves, by what became of it.',
    labelNames: ['result'],
    registers,
  });
  const batchOrders = new Histogram({
    name: 'sellthrough_batch_orders',
    help: 'Orders decided together in one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const broken = new Counter({
    name: 'sellthrough_batches_broken_total',
    help: 'Batches that were rolled back for good, and whose orders were run one by one.',
    registers,
  });

  return {
    onBatch(commands, outcomes) {
      batchOrders.observe(commands.length);
      for (const [index, outcome] of outcomes.entries()) {
        if (commands[index]?.type === 'renew_automatically') {
          if (outcome.type === 'ordered') renewals.inc({ result: 'renewed' });
          if (outcome.type === 'refused') renewals.inc({ result: 'refused' });
        }
        if (outcome.type !== 'ordered') continue;
        if (outcome.replayed) replays.inc();
        else orders.inc({ kind: outcome.order.kind });
      }
    },
    onBatchBroken: () => broken.inc(),
    observe(engine, database) {
      const gauge = (name: string, help: string, read: () => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read());
          },
        });
      gauge('sellthrough_queue_depth', 'Orders that are waiting or under way.', () => engine.queueDepth());
      gauge('sellthrough_lanes_busy', 'Lanes with a batch under way.', () => engine.batchesInFlight());
      gauge('sellthrough_database_round_trips', 'Round trips to the database since the start.', () =>
        database.roundTrips(),
      );
    },
  };
}
