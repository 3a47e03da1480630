// What the service counts, for Prometheus at /metrics. No labels that a client can make up: routes are
// patterns, codes and kinds are closed lists.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Database } from '../database/database.ts';
import type { OrderCommand, OrderOutcome } from '../orders/order-commands.ts';
import type { OrderEngine } from '../orders/order-engine.ts';

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  onRequest(request: {
    route: string;
    method: string;
    status: number;
    seconds: number;
    errorCode: string | null;
  }): void;
  onBatch(commands: readonly OrderCommand[], outcomes: readonly OrderOutcome[]): void;
  onBatchBroken(): void;
  onRequestLinesDropped(lines: number): void;
  /** Gauges that read the engine and the database when they are asked. */
  observe(engine: OrderEngine, database: Database): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'sellthrough_http_requests_total',
    help: 'Requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'sellthrough_http_request_seconds',
    help: 'Time to answer, by route.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const refusals = new Counter({
    name: 'sellthrough_refusals_total',
    help: 'Error answers by code.',
    labelNames: ['code'],
    registers,
  });
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
  const batchOrders = new Histogram({
    name: 'sellthrough_batch_orders',
    help: 'Orders decided together in one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const broken = new Counter({
    name: 'sellthrough_batches_broken_total',
    help: 'Batches that were rolled back for good and run one by one.',
    registers,
  });
  const droppedLines = new Counter({
    name: 'sellthrough_request_log_dropped_total',
    help: 'Requests that the log of an account does not show, because they could not be written in time.',
    registers,
  });

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    onRequest({ route, method, status, seconds: took, errorCode }) {
      requests.inc({ route, method, status });
      seconds.observe({ route }, took);
      if (errorCode !== null) refusals.inc({ code: errorCode });
    },
    onBatch(commands, outcomes) {
      batchOrders.observe(commands.length);
      for (const outcome of outcomes) {
        if (outcome.type !== 'ordered') continue;
        if (outcome.replayed) replays.inc();
        else orders.inc({ kind: outcome.order.kind });
      }
    },
    onBatchBroken: () => broken.inc(),
    onRequestLinesDropped: (lines) => droppedLines.inc(lines),
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
      gauge('sellthrough_queue_depth', 'Orders that wait or are under way.', () => engine.queueDepth());
      gauge('sellthrough_lanes_busy', 'Lanes with a batch under way.', () => engine.batchesInFlight());
      gauge('sellthrough_database_round_trips', 'Round trips to the database since the start.', () =>
        database.roundTrips(),
      );
    },
  };
}
