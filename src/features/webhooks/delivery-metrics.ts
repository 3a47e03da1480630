import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { Deliverer } from './deliverer.ts';
import type { DeliveryFigures } from './endpoint-roster.ts';
import { type DeliveryStatus, deliveryStatuses } from './webhook-schemas.ts';

export interface DeliveryMetrics {
  onAttempt(outcome: DeliveryStatus): void;
  observe(deliverer: Pick<Deliverer, 'figures'>): void;
}

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'sellthrough_webhook_attempts_total',
    help: 'Attempts to deliver an event to an endpoint, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of deliveryStatuses) attempts.inc({ outcome }, 0);

  return {
    onAttempt: (outcome) => attempts.inc({ outcome }),
    observe(deliverer) {
      const gauge = (name: string, help: string, read: (figures: DeliveryFigures) => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read(deliverer.figures()));
          },
        });
      gauge('sellthrough_webhook_in_flight', 'Attempts under way.', ({ inFlight }) => inFlight);
      gauge(
        'sellthrough_webhook_backlog',
        'Events that still wait at enabled endpoints.',
        ({ backlog }) => backlog,
      );
      gauge(
        'sellthrough_webhook_oldest_seconds',
        'Age of the oldest event that waits for its endpoint.',
        ({ oldestAgeSeconds }) => oldestAgeSeconds,
      );
    },
  };
}
