// /healthz: the process lives. /readyz: it can take orders now. /metrics: for Prometheus.
// None of them needs a key; keep them off the public side of a proxy (docs/operations.md).

import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

export interface HealthDependencies {
  readonly metrics: Metrics;
  /** What keeps the service from taking orders, in a few words each; empty when it is ready. */
  readonly readinessProblems: () => Promise<readonly string[]>;
}

export function healthRoutes(app: FastifyInstance, { metrics, readinessProblems }: HealthDependencies): void {
  // Some monitors ask with HEAD.
  const hidden = { schema: { hide: true }, exposeHeadRoute: true };
  app.get('/healthz', hidden, async () => ({ status: 'ok' }));
  app.get('/readyz', hidden, async (_request, reply) => {
    const problems = await readinessProblems();
    if (problems.length === 0) return { status: 'ready' };
    return reply.code(503).header('retry-after', 2).send({ status: 'not ready', problems });
  });
  app.get('/metrics', hidden, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
