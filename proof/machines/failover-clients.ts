// Clients that order through several processes of the service while its database fails over, and what they saw.
// Invariant: answers are 201, final 422, or 503 with Retry-After; anything else is a problem.

import { randomBytes } from 'node:crypto';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import {
  type Attempt,
  compareBooks,
  emptyJournal,
  isRefusedForGood,
  openShop,
  startRetryingClients,
  untilTaken,
} from './kill-proof.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

export interface FailoverFigures {
  readonly gapMilliseconds: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly replayed: number;
}

export interface FailoverEnd {
  readonly acknowledged: number;
  readonly missing: readonly string[];
  readonly doubled: readonly string[];
  readonly problems: readonly string[];
}

export const processCount = 2;
const clientCount = 16;
const customersPerAccount = 200;
const problemsMax = 20;
const patienceMilliseconds = 120_000;

export interface FailoverClientsOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly onPlaced?: (accountId: number, answeredAt: number) => void;
}

export async function startFailoverClients(
  databaseUrl: string,
  seed: number,
  { environment: more = {}, onPlaced = () => undefined }: FailoverClientsOptions = {},
) {
  const adminKey = mintApiKey('live');
  const environment = {
    PORT: '0',
    LOG_LEVEL: 'error',
    SECRET_KEY: randomBytes(32).toString('hex'),
    ADMIN_API_KEY: adminKey,
    DATABASE_URL: databaseUrl,
    ...more,
  };
  const services: ServiceProcess[] = [];
  for (let count = 0; count < processCount; count += 1)
    services.push(await startServiceProcess({ environment }));
  const [first] = services;
  if (first === undefined) throw new Error('There is no process.');
  const shop = await openShop(first.address, adminKey);
  const journal = emptyJournal(shop);
  const problems: string[] = [];
  const add = (problem: string) => {
    if (problems.length < problemsMax) problems.push(problem);
  };
  let isEnding = false;
  for (const service of services)
    service.gone.then(({ code, signal }) => {
      if (!isEnding)
        add(`A process of the service ended (${code ?? signal}): ${service.said().slice(-2_000)}`);
    });

  let figures = { gapMilliseconds: 0, acknowledged: 0, refused: 0, replayed: 0 };
  let total = 0;
  let lastAt = performance.now();
  const waits = new Set<() => void>();
  const onAttempt = ({ accountId, key, answer, answeredAt }: Attempt): void => {
    if (answer?.status === 201) {
      figures.gapMilliseconds = Math.max(figures.gapMilliseconds, answeredAt - lastAt);
      figures.acknowledged += 1;
      if (answer.headers.has('idempotent-replayed')) figures.replayed += 1;
      lastAt = answeredAt;
      total += 1;
      onPlaced(accountId, answeredAt);
      for (const look of [...waits]) look();
    } else if (answer?.status === 503 && answer.headers.has('retry-after')) {
      figures.refused += 1;
    } else if (answer === null || !isRefusedForGood(answer)) {
      add(
        `The order ${key} was answered ${answer === null ? 'by a connection that broke' : answer.text}. ${services.map((service) => service.logged().slice(-1_500)).join('\n')}`,
      );
    }
  };
  let turn = 0;
  const clients = startRetryingClients({
    ...{ shop, seed, journal, clientCount, customersPerAccount, onAttempt },
    address: () => {
      turn += 1;
      return services[turn % services.length]?.address ?? first.address;
    },
  });

  return {
    accountIds: shop.accounts.map(({ id }) => id),
    pids: services.map(({ pid }) => pid),
    total: () => total,
    placed(count: number): Promise<void> {
      const wanted = total + count;
      return new Promise((resolve, reject) => {
        const look = () => {
          if (total < wanted) return;
          clearTimeout(patience);
          waits.delete(look);
          resolve();
        };
        const patience = setTimeout(
          () =>
            reject(
              new Error(`${patienceMilliseconds} ms passed without ${count} orders. ${problems.join(' ')}`),
            ),
          patienceMilliseconds,
        );
        waits.add(look);
        look();
      });
    },
    figures(): FailoverFigures {
      const seen = figures;
      figures = { gapMilliseconds: 0, acknowledged: 0, refused: 0, replayed: 0 };
      return {
        ...seen,
        gapMilliseconds: Math.round(Math.max(seen.gapMilliseconds, performance.now() - lastAt)),
      };
    },
    async finish(): Promise<FailoverEnd> {
      await clients.finish();
      const { lost, doubled } = await compareBooks(first.address, adminKey, journal);
      const admin = createApiClient(first.address, adminKey);
      const { status, body, text } = await untilTaken(() => admin.get('/api/admin/v1/verify'));
      if (status !== 200) add(`verify was answered ${status}: ${text}`);
      else for (const problem of body.problems) add(`verify: ${JSON.stringify(problem)}`);
      isEnding = true;
      for (const service of services) {
        service.kill('SIGTERM');
        const { code, signal } = await service.gone;
        if (code !== 0) add(`After SIGTERM a process ended with ${code ?? signal}.`);
      }
      return { acknowledged: total, missing: lost, doubled, problems };
    },
    async kill(): Promise<void> {
      isEnding = true;
      for (const service of services) service.kill('SIGKILL');
      await Promise.all(services.map(({ gone }) => gone));
    },
  };
}

export type FailoverClients = Awaited<ReturnType<typeof startFailoverClients>>;
