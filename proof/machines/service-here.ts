// Runs the service in the test's process: a separate process takes three times the CPU.

import pino from 'pino';
import { patientLimits } from '../../scripts/throwaway/patience.ts';
import { createService } from '../../src/service/create-service.ts';
import { defaultLimits, readConfig } from '../../src/setup/config.ts';
import { createFirstAdministrator } from '../../src/setup/first-administrator.ts';
import { openDatabase } from '../../src/setup/open-database.ts';
import type { ServiceProcess } from './service-process.ts';

/** kill() ends it normally, with any signal. */
export type ServiceHere = Pick<ServiceProcess, 'address' | 'gone' | 'kill'>;

const limits = {
  ...defaultLimits,
  engine: { ...defaultLimits.engine, ...patientLimits.engine },
  database: { ...defaultLimits.database, ...patientLimits.database },
};

export async function startServiceHere(environment: Readonly<Record<string, string>>): Promise<ServiceHere> {
  const config = readConfig({ ADMIN_PASSWORD: 'of no use to a test', ...environment });
  const now = () => Math.floor(Date.now() / 1000);
  const { database, seal } = await openDatabase(config, now(), { limits: limits.database });
  let address = '';
  const service = await createService({
    config,
    limits,
    database,
    seal,
    publicUrl: () => config.publicUrl ?? address,
    logger: pino({ level: 'silent' }),
    accessLog: null,
    now,
    monotonicNow: () => performance.now(),
  });
  await createFirstAdministrator(database, service.seal, config, now());
  address = await service.app.listen({ host: config.host, port: config.port });
  service.jobs.start();
  const { promise: gone, resolve, reject } = Promise.withResolvers<Awaited<ServiceProcess['gone']>>();
  let isEnding = false;
  return {
    address,
    gone,
    kill() {
      if (isEnding) return;
      isEnding = true;
      service.close().then(() => resolve({ code: 0, signal: null }), reject);
    },
  };
}
