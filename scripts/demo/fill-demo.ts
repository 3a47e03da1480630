// Fills a fresh database with the demo's year and verifies every ledger.

import pino from 'pino';
import { openApiKey } from '../../src/features/identity/api-key-rows.ts';
import { findAdministratorId } from '../../src/features/identity/find-accounts.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { verifyLedger } from '../../src/features/verification/verify-ledger.ts';
import type { Database, SqlStatement } from '../../src/platform/database/database.ts';
import { createService } from '../../src/service/create-service.ts';
import { type Config, defaultLimits } from '../../src/setup/config.ts';
import { createDemoPackages } from '../../src/setup/demo-packages.ts';
import { setDemoPayments } from '../../src/setup/demo-payments.ts';
import { demoYearStart } from '../../src/setup/demo-state.ts';
import { createDemoPayer } from '../../src/setup/demo-year/demo-payer.ts';
import { playDemoYear } from '../../src/setup/demo-year/play-demo-year.ts';
import { createFirstAdministrator } from '../../src/setup/first-administrator.ts';
import { openDatabase } from '../../src/setup/open-database.ts';
import { ConfigProblem } from '../../src/setup/settings.ts';
import { createAsk } from './demo-client.ts';
import { createClientShop } from './demo-client-shop.ts';

export interface FillOptions {
  readonly seed: number;
  readonly share: number;
  readonly until: number;
  readonly password: string;
  readonly say: (text: string) => void;
}

export interface FilledDemo {
  /** The password is null if an administrator already existed with another password. */
  readonly administrator: { readonly username: string; readonly password: string | null } | null;
  readonly orders: number;
  readonly entries: number;
}

const findUse: SqlStatement = {
  name: 'demo_data_find_use',
  text: `select exists (select from orders) or exists (select from customers)
      or exists (select from accounts where not is_admin and id is distinct from s.demo_account_id)
      or (exists (select from packages) and not s.demo_started) as is_used
    from service_state s`,
};

/** @throws ConfigProblem if the database is in use; Error if its ledgers do not add up at the end */
export async function fillDemo(config: Config, options: FillOptions): Promise<FilledDemo> {
  const { until, say } = options;
  const { database, seal } = await openDatabase(config, until);
  let close: () => Promise<void> = () => database.close();
  try {
    await refuseUsed(database);
    const start = demoYearStart(until);
    let clock = start;
    const service = await createService({
      config: { ...config, trustProxy: ['127.0.0.1'] },
      // Requests arrive much faster than in real operation, and no line of the request log may be dropped.
      limits: { ...defaultLimits, requestLog: { ...defaultLimits.requestLog, linesMax: 50_000 } },
      database,
      seal,
      publicUrl: () => 'http://127.0.0.1',
      logger: pino({ level: 'silent' }),
      accessLog: null,
      now: () => clock,
      monotonicNow: () => (clock - start) * 1_000,
      pagesFolder: '/nowhere',
    });
    close = service.close;
    const created = await createFirstAdministrator(database, service.seal, config, clock);
    const actorId = await findAdministratorId(database);
    const key = actorId === null ? null : await openApiKey(database, service.seal, actorId);
    if (actorId === null || key === null) throw new Error('There is no administrator with a key.');
    await createDemoPackages(database, service.packages, { actorId, now: clock });
    await setDemoPayments(database, service.seal, { actorId, now: clock });

    const engine = service.engineAt(() => clock);
    const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const shop = createClientShop({
      ask: createAsk(address),
      administratorKey: key,
      password: options.password,
      pay: createDemoPayer({ database, engine, currency: config.currency, now: () => clock }),
      setClock: (seconds) => {
        clock = seconds;
      },
    });
    const orders = await playDemoYear({ ...options, shop }).finally(engine.drain);
    say('Adding up every ledger …\n');
    await createDailyTotals(database).bringAllUpToDate();
    const report = await verifyLedger(database, clock);
    const [problem] = report.problems;
    if (problem !== undefined)
      throw new Error(`account ${problem.account_id}, ${problem.subject}: ${problem.problem}`);
    await close();
    return {
      administrator: created === null ? null : { username: created.username, password: created.password },
      orders,
      entries: report.entries,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function refuseUsed(database: Database): Promise<void> {
  const [row] = await database.query(findUse);
  if (row?.['is_used'] !== true) return;
  throw new ConfigProblem(
    'This database is in use: it holds accounts, packages, customers or orders of its own. The demo data goes into a fresh one (DATA_DIR=./demo, or another DATABASE_URL).',
  );
}
