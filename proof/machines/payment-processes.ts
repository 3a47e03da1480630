// The place of payment histories in two processes over one PostgreSQL. Processes and server are killed (-9) while histories
// run, and the database is restored from a backup while the provider went on.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import type { Random } from '../../src/setup/demo-year/seeded-random.ts';
import { startStandInStripe } from '../../src/stand-in-stripe/stand-in-stripe.ts';
import { runForJson } from '../../test/harness/command-process.ts';
import { askServer } from '../../test/harness/one-question.ts';
import { type PaymentPlace, preparePayments, sendWebhooksTo } from './payment-histories.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

export interface PaymentProcesses {
  readonly place: PaymentPlace;
  /** Kills one of the processes, or the server, and starts it again. */
  kill(): Promise<string>;
  close(): Promise<void>;
}

const preloads = ['shared-clock', 'quick-jobs'].map((name) => `proof/machines/${name}.ts`);
/** Jobs run every second. */
const jobsMilliseconds = 2_500;

export async function startPaymentProcesses(
  postgres: ThrowawayPostgres,
  folder: string,
  random: Random,
): Promise<PaymentProcesses> {
  const clockFile = join(folder, 'ahead');
  let aheadMilliseconds = 0;
  const setClock = (ahead: number) => {
    aheadMilliseconds = ahead;
    writeFileSync(clockFile, String(ahead));
  };
  setClock(0);
  const standIn = await startStandInStripe({
    milliseconds: () => Date.now() + aheadMilliseconds,
    retryMilliseconds: [200, 1_000],
  });
  const adminKey = mintApiKey('live');
  let databases = 0;
  const createDatabase = async () => {
    databases += 1;
    const name = `payments_${databases}`;
    await askServer(postgres.url, `create database ${name}`);
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  const environment = {
    PORT: '0',
    SECRET_KEY: randomBytes(32).toString('hex'),
    ADMIN_API_KEY: adminKey,
    STRIPE_API_BASE: standIn.url,
    SHARED_CLOCK: clockFile,
    DATABASE_URL: await createDatabase(),
  };
  const processes: ServiceProcess[] = [];
  const begin = async (at: number) => {
    processes[at] = await startServiceProcess({ environment, preloads });
    sendWebhooksTo(standIn, { urls: processes.map(({ address }) => address) });
  };
  await begin(0);
  await begin(1);

  async function killProcess(at: number): Promise<void> {
    processes[at]?.kill('SIGKILL');
    await processes[at]?.gone;
    await begin(at);
  }

  const place: PaymentPlace = {
    address: () => random.pick(processes).address,
    adminKey,
    standIn,
    advance: async (seconds) => setClock(aheadMilliseconds + seconds * 1_000),
    runJobs: () => pause(jobsMilliseconds),
    looks: 20,
    async backUp() {
      const file = join(folder, `backup-${databases}-${randomBytes(4).toString('hex')}`);
      await runForJson(['backup', file], { cwd: folder, environment });
      return async () => {
        for (const each of processes) each.kill('SIGKILL');
        for (const each of processes) await each.gone;
        environment.DATABASE_URL = await createDatabase();
        await runForJson(['restore', file], { cwd: folder, environment });
        await begin(0);
        await begin(1);
      };
    },
  };
  await preparePayments(place);
  return {
    place,
    async kill() {
      if (random.below(6) > 0) {
        const at = random.below(processes.length);
        await killProcess(at);
        return 'kills of a process';
      }
      await postgres.stop('kill');
      await postgres.start();
      return 'kills of PostgreSQL';
    },
    async close() {
      for (const each of processes) each.kill('SIGKILL');
      await standIn.stop();
    },
  };
}
