// A whole service for one test file, with a real database and real sockets. The test sets its clock and limits. On close it
// verifies every ledger, and that no route refused with an undeclared code.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import pino from 'pino';
import { createAccount } from '../../src/features/accounts/account-store.ts';
import { appendEvents, listenToAccount } from '../../src/features/events/event-log.ts';
import { verifyLedger } from '../../src/features/verification/verify-ledger.ts';
import { type Database, inEachGroup } from '../../src/platform/database/database.ts';
import { createAccessLog, type LogOutput } from '../../src/platform/http/access-log.ts';
import { undeclaredCode } from '../../src/platform/http/error-responses.ts';
import type { Outbound } from '../../src/platform/outbound/outbound.ts';
import { createService, type Service } from '../../src/service/create-service.ts';
import { type Config, defaultLimits, type Limits, readConfig } from '../../src/setup/config.ts';
import { openDatabase } from '../../src/setup/open-database.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { citusServers } from './citus-database.ts';
import { eventProblems } from './event-problems.ts';
import { proxySource, startFrontProxy, wantedProxy } from './front-proxy.ts';
import { patientLimits, patientMilliseconds } from './patience.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export interface TestClock {
  /** Unix seconds. The clock stands still until the test sets it. */
  seconds: number;
  /** Milliseconds for rate limits and waiting; the real time unless set. */
  monotonic: (() => number) | null;
}

export interface TestAccount extends ApiClient {
  readonly id: number;
  readonly key: string;
}

export interface TestPackages {
  /** Costs 10.00 / 27.00 / 96.00 for resellers and 8.00 / 21.00 / 72.00 for distributors (1, 3, 12 months). */
  readonly basic: number;
  /** Costs 25.00 / 70.00 / 250.00 for resellers and 20.00 / 55.00 / 190.00 for distributors (1, 3, 12 months). */
  readonly plus: number;
  readonly retired: number;
  readonly trial: number;
}

export interface TestService {
  readonly address: string;
  readonly directAddress: string;
  readonly database: Database;
  readonly service: Service;
  readonly clock: TestClock;
  readonly packages: TestPackages;
  readonly admin: TestAccount;
  readonly logLines: Record<string, unknown>[];
  readonly testDatabase: TestDatabase;
  createReseller(options?: {
    credit?: string;
    group?: 'reseller' | 'distributor';
    rateLimitPerMinute?: number;
  }): Promise<TestAccount>;
  /** Starts a second process of the service on the same PostgreSQL. Its clock may differ. */
  startAnother(aheadSeconds?: number): Promise<{ address: string; service: Service; close(): Promise<void> }>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: { readonly [Part in keyof Limits]?: Partial<Limits[Part]> };
  readonly pagesFolder?: string;
  readonly port?: number;
  /** If true, login links and the API's address point to this service, so that a browser can follow them. */
  readonly linksLeadHere?: boolean;
  readonly docsFolder?: string;
  readonly outbound?: Outbound;
  readonly wrapDatabase?: (database: Database) => Database;
}

/** scripts/worker-reporter.ts shows these beside a failed test. */
const loggedErrors = channel('sellthrough:logged-error');

const secretKey = randomBytes(32).toString('hex');
const startSeconds = 1_768_478_400;
const manyPerMinute = 1_000_000;
const patience: { readonly [Part in keyof Limits]?: Partial<Limits[Part]> } = {
  ...patientLimits,
  verify: { waitMilliseconds: patientMilliseconds },
  // No retry may run by real time, because tests move the clock between attempts.
  deliveries: { shortRetryMilliseconds: [] },
  // Connections stay open long, because one that closes just as a test reuses it would cause an error.
  http: { keepAliveMilliseconds: 2 * patientMilliseconds, idleMilliseconds: 4 * patientMilliseconds },
};

/** A hash that takes no time, unlike the program's 30 ms. Its cost is higher than the costs that tests store. */
const quickHash = { memory: 16, passes: 1 };

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const testDatabase = await createTestDatabase();
  const { config: databaseConfig } = testDatabase;
  const config: Config = readConfig({
    PORT: '0',
    SECRET_KEY: secretKey,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    ...(wantedProxy() === null ? {} : { TRUST_PROXY: proxySource }),
    ...(databaseConfig.kind === 'embedded'
      ? { DATA_DIR: databaseConfig.dataDir }
      : { DATABASE_URL: databaseConfig.connectionString }),
    ...(citusServers() === null ? {} : { ACCOUNT_GROUPS: '2' }),
    ...options.environment,
  });
  const limits = withLimits(options.limits ?? {});
  const clock: TestClock = { seconds: startSeconds, monotonic: null };
  const logLines: Record<string, unknown>[] = [];
  const output: LogOutput = {
    write(text) {
      for (const line of text.split('\n').filter((each) => each !== '')) {
        const parsed = JSON.parse(line);
        logLines.push(parsed);
        const { level, msg, err } = parsed;
        if (level >= 50) loggedErrors.publish(err === undefined ? line : `${msg}: ${err.stack}`);
      }
    },
  };
  const logger = pino({ level: 'info' }, output);
  const accessLog = createAccessLog(output);

  async function start(aheadSeconds = 0, port = 0) {
    const opened = await openDatabase(config, clock.seconds, { limits: limits.database });
    let publicUrl = config.publicUrl ?? 'http://127.0.0.1';
    const service = await createService({
      config,
      limits,
      database: inEachGroup(opened.database, options.wrapDatabase ?? ((each) => each)),
      seal: opened.seal,
      publicUrl: () => publicUrl,
      logger,
      accessLog,
      now: () => clock.seconds + aheadSeconds,
      monotonicNow: () => (clock.monotonic ?? performance.now.bind(performance))(),
      jobsClock: () => clock.seconds,
      pagesFolder: options.pagesFolder ?? '/nowhere',
      docsFolder: options.docsFolder ?? '/nowhere',
      ...(options.outbound === undefined ? {} : { outbound: options.outbound }),
    });
    const listen = (port: number) => service.app.listen({ host: '127.0.0.1', port });
    const directAddress = await listen(port).catch(() => listen(0));
    const wanted = wantedProxy();
    const proxy = wanted === null ? null : await startFrontProxy(wanted, directAddress);
    const address = proxy?.address ?? directAddress;
    if (options.linksLeadHere) publicUrl = address;
    const close = async () => {
      await proxy?.close();
      await service.close();
    };
    return { address, directAddress, service, database: opened.database, close };
  }

  const { address, directAddress, service, database, close } = await start(0, options.port);
  const admin = await makeAccount('admin', true, 'distributor', manyPerMinute);

  async function makeAccount(
    username: string,
    isAdmin: boolean,
    group: 'reseller' | 'distributor',
    rateLimitPerMinute: number,
  ): Promise<TestAccount> {
    const created = await createAccount(
      database,
      service.seal,
      {
        username,
        displayName: username,
        group,
        isAdmin,
        passwordHash: 'none',
        rateLimitPerMinute,
        allowedIps: [],
      },
      { actorId: null, now: clock.seconds },
    );
    assert.ok(created, `the username ${username} is free`);
    const { account, apiKey } = created;
    // Every second reseller gets a listener from the beginning, so that all tests check events.
    if (!isAdmin && account.id % 2 === 0) await hearFromTheBeginning(account.id, apiKey);
    return { id: account.id, key: apiKey, ...createApiClient(address, apiKey) };
  }

  async function hearFromTheBeginning(accountId: number, apiKey: string): Promise<void> {
    await listenToAccount(database, accountId);
    const event = { type: 'key.created', data: { key: { last_four: apiKey.slice(-4) } } } as const;
    await database.transaction((transaction) => appendEvents(transaction, accountId, [event], clock.seconds));
  }

  const newPackage = async (body: object): Promise<number> => {
    const answer = await admin.post('/api/admin/v1/packages', body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.package.id;
  };
  const limitsOfPackage = { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 };
  const prices = (monthly: string, quarterly: string, yearly: string) => ({ monthly, quarterly, yearly });
  const packages: TestPackages = {
    basic: await newPackage({
      name: 'Basic',
      features: ['One', 'Two'],
      limits: limitsOfPackage,
      prices: { reseller: prices('10.00', '27.00', '96.00'), distributor: prices('8.00', '21.00', '72.00') },
    }),
    plus: await newPackage({
      name: 'Plus',
      limits: limitsOfPackage,
      prices: {
        reseller: prices('25.00', '70.00', '250.00'),
        distributor: prices('20.00', '55.00', '190.00'),
      },
    }),
    retired: await newPackage({
      name: 'Old',
      retired: true,
      limits: limitsOfPackage,
      prices: { reseller: prices('5.00', '15.00', '60.00'), distributor: prices('5.00', '15.00', '60.00') },
    }),
    trial: await newPackage({ name: 'Trial', trial: true, duration_days: 14, limits: limitsOfPackage }),
  };
  let accountCount = 0;

  return {
    address,
    directAddress,
    database,
    service,
    clock,
    packages,
    admin,
    logLines,
    testDatabase,
    async createReseller({ credit, group = 'reseller', rateLimitPerMinute = manyPerMinute } = {}) {
      accountCount += 1;
      const account = await makeAccount(`account-${accountCount}`, false, group, rateLimitPerMinute);
      if (credit !== undefined) {
        const answer = await admin.post(`/api/admin/v1/accounts/${account.id}/credit`, { amount: credit });
        assert.equal(answer.status, 201, answer.text);
      }
      return account;
    },
    async startAnother(aheadSeconds) {
      const another = await start(aheadSeconds);
      return { address: another.address, service: another.service, close: another.close };
    },
    async close() {
      const lookAtAll = async () => ({
        report: await verifyLedger(database, clock.seconds),
        eventFindings: await eventProblems(database),
      });
      const { report, eventFindings } = await lookAtAll().finally(async () => {
        await close();
        await testDatabase.remove();
      });
      assert.deepEqual(report.problems, [], 'the books add up after the tests');
      assert.deepEqual(eventFindings, [], 'the events say what the books say');
      const undeclared = logLines.filter(({ msg }) => msg === undeclaredCode);
      assert.deepEqual(undeclared, [], 'routes refuse with the codes that they declare');
    },
  };
}

function withLimits(changes: NonNullable<TestServiceOptions['limits']>): Limits {
  return {
    ...defaultLimits,
    ...changes,
    engine: { ...defaultLimits.engine, ...patience.engine, ...changes.engine },
    database: { ...defaultLimits.database, ...patience.database, ...changes.database },
    http: { ...defaultLimits.http, ...patience.http, ...changes.http },
    rates: { ...defaultLimits.rates, ...changes.rates },
    sessions: { ...defaultLimits.sessions, ...changes.sessions },
    verify: { ...defaultLimits.verify, ...patience.verify, ...changes.verify },
    attempts: { ...defaultLimits.attempts, ...changes.attempts },
    passwordCost: { ...quickHash, ...changes.passwordCost },
    jobs: { ...defaultLimits.jobs, ...changes.jobs },
    scheduledJobs: { ...defaultLimits.scheduledJobs, ...changes.scheduledJobs },
    deliveries: { ...defaultLimits.deliveries, ...patience.deliveries, ...changes.deliveries },
    outbound: { ...defaultLimits.outbound, ...changes.outbound },
    // Write the request log only on a test's request and at the end, never while a test counts round trips.
    requestLog: { ...defaultLimits.requestLog, flushMilliseconds: 1_000_000_000, ...changes.requestLog },
  } as Limits;
}
