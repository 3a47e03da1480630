// The service process: `node src/main.ts`, `npm start`, `sellthrough serve`. Reads the configuration, starts, prints how to
// begin, and shuts down on SIGTERM and SIGINT.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, isIPv6 } from 'node:net';
import pino from 'pino';
import { copyWish, guardCopy, noteBackupWish } from './features/backup/copy-running-service.ts';
import { noteBackup } from './features/overview/setup-state.ts';
import type { Database } from './platform/database/database.ts';
import {
  type ControlConnection,
  type ControlSocket,
  openControlSocket,
} from './platform/database/embedded/control-socket.ts';
import { createAccessLog, timeMember } from './platform/http/access-log.ts';
import type { Seal } from './platform/secrets/seal.ts';
import type { Service } from './service/create-service.ts';
import { type Config, defaultLimits, readConfig } from './setup/config.ts';
import { type DemoProvider, endDemoPayments, startDemoProvider } from './setup/demo-payments.ts';
import { prepareDemo } from './setup/demo-reseller.ts';
import { demoResellerFile, keepDemoSecrets } from './setup/demo-reseller-file.ts';
import { createLookAround, mayLookAround } from './setup/demo-visitors.ts';
import { errorMessageOf } from './setup/error-message.ts';
import { createFirstAdministrator } from './setup/first-administrator.ts';
import { draftSecrets, firstAdministratorFile, nothingDrafted } from './setup/first-administrator-file.ts';
import { hasEmbeddedDatabase, openDatabase } from './setup/open-database.ts';
import { resealTexts, resealWish } from './setup/reseal.ts';
import { ConfigProblem } from './setup/settings.ts';
import { addressText, administratorText, demoText } from './setup/welcome.ts';
import type { JsonObject } from './shared/json.ts';

export interface ServeOptions {
  readonly demo: boolean;
}

/** Runs until a signal and sets the exit code. Start problems are reported in one sentence. */
export async function serve({ demo }: ServeOptions): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const config = readConfig({ ...(demo ? { DEMO: '1' } : {}), ...process.env });
    refuseOpenDemo(config, process.env['DEMO']);
    await run(config);
  } catch (error) {
    process.stderr.write(`sellthrough: ${errorMessageOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** `npm start` is always a demo and prints its key, so it listens on other interfaces only if DEMO=1 is explicit. */
function refuseOpenDemo({ demo, host }: Config, asked: string | undefined): void {
  const isLoopback = host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
  if (!demo || isLoopback || asked === '1') return;
  throw new ConfigProblem(
    `A demo listens only on this machine, but HOST is ${host}. Set DEMO=1 to allow it there, or start without it: npx sellthrough serve.`,
  );
}

async function run(config: Config): Promise<void> {
  const output = pino.destination({ fd: 1, sync: false });
  const logger = createLogger(config, output);
  const now = () => Math.floor(Date.now() / 1000);
  const say = (text: string) => process.stderr.write(text);
  // On a terminal, request lines would scroll the password, which is shown only once, off the screen.
  const logsRequests = config.logRequests ?? !process.stdout.isTTY;
  // The first start of an embedded database takes a few seconds: say why.
  if (config.database.kind === 'embedded' && !hasEmbeddedDatabase(config)) {
    say(`Setting up the embedded database in ${config.database.dataDir} …\n`);
  }
  const { database, seal, migrated } = await openDatabase(config, now(), {
    say: (_sentence, { seconds, ...progress }) =>
      'migration' in progress
        ? logger.info({ migration: progress.migration, seconds }, 'migration running')
        : logger.info({ holder: progress.holder, seconds }, 'migration waiting'),
  });
  if (migrated.length > 0) logger.info({ migrated }, 'schema migrated');
  let port = config.port;
  // A wildcard address cannot be used in a link.
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host;
  const address = () => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const publicUrl = () => config.publicUrl ?? address();

  let close: () => Promise<void> = () => database.close();
  try {
    // Loaded late, so that a refused start is fast.
    const { createService } = await import('./service/create-service.ts');
    let demoProvider: DemoProvider | null = null;
    const service = await createService({
      config,
      limits: defaultLimits,
      database,
      seal,
      publicUrl,
      logger,
      accessLog: logsRequests && logger.isLevelEnabled('info') ? createAccessLog(output) : null,
      now,
      monotonicNow: () => performance.now(),
      ...(config.demo && { demoProvider: () => demoProvider }),
      ...(mayLookAround(config) && { lookAround: createLookAround(database, now) }),
    });
    const controlSocket = await openServiceControlSocket(config, database, seal, logger);
    const leaving = new AbortController();
    let filling: Promise<void> = Promise.resolve();
    close = async () => {
      leaving.abort();
      await filling;
      await controlSocket?.close();
      await demoProvider?.stop();
      await service.close();
    };
    endOnSignals(service.depart, close, logger);

    // Try the address before creating secrets: a start that cannot listen must create none.
    await tryAddress(config);
    // Without a terminal, output is probably a log, so secrets go to files.
    const isWatched = process.stderr.isTTY;
    const file = isWatched ? null : firstAdministratorFile(config);
    const administrator = await createFirstAdministrator(database, service.seal, config, now(), (first) =>
      file === null ? nothingDrafted : draftSecrets(file, first),
    );
    if (administrator !== null) say(administratorText(administrator, file));
    const demo = config.demo ? await prepareDemo(database, service, now()) : null;
    const demoFile = isWatched ? null : demoResellerFile(config);
    if (demo !== null && demoFile !== null) keepDemoSecrets(demoFile, demo);
    if (config.demo) demoProvider = await startDemoProvider(database, seal, { publicUrl, now: now() });
    else await endDemoPayments(database, seal, now());
    // Listen only when ready: until then connections are refused, so a proxy or a client tries again.
    await service.app.listen({ host: config.host, port, listenTextResolver: listeningFields });
    service.jobs.start();
    // With PORT=0 the system chooses the port.
    const bound = service.app.server.address();
    if (typeof bound === 'object' && bound !== null) port = bound.port;
    demoProvider?.announceTo(address());
    const isOpen = !['127.0.0.1', '::1', 'localhost'].includes(config.host);
    say(addressText(address(), config.database, { publicUrl: config.publicUrl, isOpen, logsRequests }));
    say(
      demo === null
        ? '\n'
        : demoText(address(), demo, demoFile, {
            takesPayments: demoProvider !== null,
            isOpen: mayLookAround(config),
          }),
    );
    if (demo !== null)
      filling = fillYear(database, service, demo.password, config.currency, {
        logger,
        signal: leaving.signal,
      });
  } catch (error) {
    await close();
    throw error;
  }
}

/** After the service listens, so that the first order does not wait for the demo's year. */
async function fillYear(
  database: Database,
  service: Service,
  password: string | null,
  currency: string,
  { logger, signal }: { readonly logger: pino.Logger; readonly signal: AbortSignal },
): Promise<void> {
  const begun = performance.now();
  const { fillDemoYear } = await import('./setup/demo-year/fill-demo-year.ts');
  try {
    const orders = await fillDemoYear({ ...service, database, password, currency, signal });
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    if (orders !== null) logger.info({ orders, seconds }, 'demo filled');
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, 'demo not filled');
  }
}

/** Fastify logs the returned value unchanged, so it consists of fields instead of a sentence. */
const listeningFields = (address: string) => ({ address, msg: 'listening' }) as unknown as string;

/** Throws the error that listening there would throw. */
async function tryAddress({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

async function openServiceControlSocket(
  config: Config,
  database: Database,
  seal: Seal,
  logger: pino.Logger,
): Promise<ControlSocket | null> {
  if (config.database.kind !== 'embedded') return null;
  const answer = async ({ wish, key, at }: JsonObject, connection: ControlConnection) => {
    if (wish === copyWish.wish) return guardCopy(database, connection, defaultLimits);
    if (wish === noteBackupWish.wish) {
      await noteBackup(database, Number(at));
      return connection.send({ noted: true });
    }
    if (wish === resealWish.wish && key !== seal.keyName) return connection.send({ isOtherKey: true });
    if (wish === resealWish.wish) return connection.send({ ...(await resealTexts(database, seal)) });
    connection.send({ problem: 'The running service has another version and does not know this command.' });
  };
  const onProblem = (error: unknown) => logger.warn({ err: error }, 'control command failed');
  const controlSocket = await openControlSocket(config.database.dataDir, answer, onProblem).catch(
    (error: unknown) => {
      onProblem(error);
      return null;
    },
  );
  if (controlSocket === null) logger.warn('control socket unavailable');
  return controlSocket;
}

const lastFlushMilliseconds = 1_000;

function createLogger({ logLevel }: Config, output: pino.DestinationStream): pino.Logger {
  // A safety net: no line should contain headers, bodies or URLs anyway. The paths are explicit, because one wildcard made
  // a line cost 6 µs instead of 0.6.
  const secrets = ['authorization', 'cookie', 'api_key', 'apiKey', 'password', 'login_url', 'token'];
  const places = ['', 'headers.', 'req.headers.', 'body.', 'err.'];
  const paths = places.flatMap((place) => secrets.map((secret) => place + secret));
  return pino(
    {
      level: logLevel,
      base: { service: 'sellthrough' },
      timestamp: timeMember,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '…' },
    },
    output,
  );
}

/** A signal to the process group arrives twice: directly, and forwarded by the parent command. */
const sameSignalMilliseconds = 1_000;

/** SIGTERM drains connections before closing; SIGINT closes at once. A second signal cuts the drain short. */
function endOnSignals(
  depart: (hurry: AbortSignal) => Promise<void>,
  close: () => Promise<void>,
  logger: pino.Logger,
): void {
  const hurry = new AbortController();
  let firstAt: number | null = null;
  const end = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (signal === 'SIGINT' || (firstAt !== null && now - firstAt > sameSignalMilliseconds)) hurry.abort();
    if (firstAt !== null) return;
    firstAt = now;
    logger.info({ signal }, 'shutting down');
    const exit = (code: number) => {
      // An unwritable log must not keep the process alive.
      setTimeout(() => process.exit(code), lastFlushMilliseconds);
      logger.flush(() => process.exit(code));
    };
    const departed = hurry.signal.aborted ? Promise.resolve() : depart(hurry.signal);
    departed.then(close).then(
      () => exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'shutdown failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

if (import.meta.main) await serve({ demo: process.argv.includes('--demo') });
