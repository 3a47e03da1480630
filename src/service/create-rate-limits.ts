// Creates the counters of request limits and sign-ins: local or, with VALKEY_URL, also shared.

import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { createSharedRequestCounts } from '../platform/limits/distributed-rate-limit.ts';
import { createSharedAttemptCounts } from '../platform/limits/distributed-sign-in-throttle.ts';
import { createLimitServer, type LimitServerState } from '../platform/limits/limit-server.ts';
import { createRequestCounts, type RequestCounts } from '../platform/limits/request-counts.ts';
import { type AttemptCounts, createAttemptCounts } from '../platform/limits/sign-in-throttle.ts';
import { type ValkeyAddress, valkeyName } from '../platform/limits/valkey-address.ts';
import type { Limits } from '../setup/config.ts';

export interface RateLimitCountsOptions {
  readonly address: ValkeyAddress | null;
  readonly limits: Pick<Limits, 'rates' | 'attempts' | 'sharedLimits'>;
  readonly monotonicNow: () => number;
  readonly logger: Readonly<Record<'info' | 'warn', (fields: object, event: string) => void>>;
  readonly registry: Registry;
}

export interface Counting {
  readonly requests: RequestCounts;
  readonly attempts: AttemptCounts;
  state(): LimitServerState | null;
  close(): Promise<void>;
}

/** Resolves after the first attempt to connect, even if it failed: a start does not depend on the shared server. */
export async function createRateLimitCounts(options: RateLimitCountsOptions): Promise<Counting> {
  const { address, limits, monotonicNow, logger, registry } = options;
  const localRequests = createRequestCounts({ monotonicNow, ...limits.rates });
  const localAttempts = createAttemptCounts(monotonicNow, limits.attempts);
  if (address === null) {
    return { requests: localRequests, attempts: localAttempts, state: () => null, close: async () => {} };
  }
  const registers = [registry];
  const losses = new Counter({
    name: 'sellthrough_shared_limits_losses_total',
    help: 'How often the shared limits server was lost. From then on this process counted for itself.',
    registers,
  });
  const valkey = valkeyName(address);
  const server = createLimitServer({
    address,
    limits: limits.sharedLimits,
    monotonicNow,
    onAway(reason) {
      losses.inc();
      logger.warn({ valkey, reason }, 'shared limits lost');
    },
    onBack(milliseconds) {
      if (milliseconds === null) logger.info({ valkey }, 'shared limits connected');
      else logger.warn({ valkey, away_milliseconds: Math.round(milliseconds) }, 'shared limits restored');
    },
  });
  new Gauge({
    name: 'sellthrough_shared_limits_up',
    help: '1 while all processes count limits together, 0 while this one counts for itself.',
    registers,
    collect() {
      this.set(server.state().isThere ? 1 : 0);
    },
  });
  await server.tried;
  const requests = createSharedRequestCounts({ server, local: localRequests, monotonicNow });
  return {
    requests,
    attempts: createSharedAttemptCounts({
      server,
      local: localAttempts,
      limits: limits.attempts,
      monotonicNow,
    }),
    state: server.state,
    async close() {
      requests.close();
      await server.close();
    },
  };
}
