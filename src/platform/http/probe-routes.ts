// /healthz (the process lives), /readyz (it can take orders) and /metrics (Prometheus). They need no key: keep them off the
// public side of a proxy (docs/operations.md).

import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

export interface HealthDependencies {
  readonly metrics: Metrics;
  readonly readinessProblems: () => Promise<readonly string[]>;
  readonly onReadinessAsked: (address: string) => void;
}

export function probeRoutes(
  app: FastifyInstance,
  { metrics, readinessProblems, onReadinessAsked }: HealthDependencies,
): void {
  // Monitors may also use HEAD.
  const hidden = { schema: { hide: true }, exposeHeadRoute: true };
  app.get('/healthz', hidden, async () => ({ status: 'ok' }));
  app.get('/readyz', hidden, async ({ socket }, reply) => {
    onReadinessAsked(socket.remoteAddress ?? '');
    const problems = await readinessProblems();
    if (problems.length === 0) return { status: 'ready' };
    return reply.code(503).header('retry-after', 2).send({ status: 'not ready', problems });
  });
  app.get('/metrics', hidden, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
