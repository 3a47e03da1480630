// The service as a process: `node src/main.ts`, `npm start`, `sellthrough serve`. Reads the configuration,
// starts, says on the terminal what a person needs to begin, and ends cleanly on SIGTERM and SIGINT.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, isIPv6 } from 'node:net';
import pino from 'pino';
import { copyWish, guardCopy } from './features/backup/copy-running-service.ts';
import type { Database } from './platform/database/database.ts';
import {
  type ControlConnection,
  type ControlSocket,
  openControlSocket,
} from './platform/database/embedded/control-socket.ts';
import { createAccessLog, timeMember } from './platform/http/access-log.ts';
import type { Seal } from './platform/secrets/seal.ts';
import { type Config, defaultLimits, readConfig } from './setup/config.ts';
import { prepareDemo } from './setup/demo-reseller.ts';
import { demoResellerFile, keepDemoSecrets } from './setup/demo-reseller-file.ts';
import { errorMessageOf } from './setup/error-message.ts';
import { createFirstAdministrator } from './setup/first-administrator.ts';
import { draftSecrets, firstAdministratorFile, nothingDrafted } from './setup/first-administrator-file.ts';
import { hasEmbeddedDatabase, openDatabase } from './setup/open-database.ts';
import { resealTexts, resealWish } from './setup/reseal.ts';
import { ConfigProblem } from './setup/settings.ts';
import { addressText, administratorText, demoText } from './setup/welcome.ts';
import type { JsonObject } from './shared/json.ts';

export interface ServeOptions {
  /** What DEMO is where the environment does not say. */
  readonly demo: boolean;
}

/** Runs until a signal; the exit code says how it went. Problems of the start end it with one sentence. */
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

/** `npm start` is always a demo, and shows its key at each start: other machines reach it only where that was asked for. */
function refuseOpenDemo({ demo, host }: Config, asked: string | undefined): void {
  const isLoopback = host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
  if (!demo || isLoopback || asked === '1') return;
  throw new ConfigProblem(
    `A demo listens on this machine alone, and HOST is ${host}. Set DEMO=1 to offer it there, or start without it: npx sellthrough serve.`,
  );
}

async function run(config: Config): Promise<void> {
  const output = pino.destination({ fd: 1, sync: false });
  const logger = createLogger(config, output);
  const now = () => Math.floor(Date.now() / 1000);
  const say = (text: string) => process.stderr.write(text);
  // On a terminal, lines of requests would push the password that is shown once off the screen.
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
  // An address that stands for all of the machine's is not one that a link can lead to.
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host;
  const address = () => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;

  let close: () => Promise<void> = () => database.close();
  try {
    // Most of the program: a start that is refused does not wait for it to load.
    const { createService } = await import('./service/create-service.ts');
    const service = await createService({
      config,
      limits: defaultLimits,
      database,
      seal,
      publicUrl: () => config.publicUrl ?? address(),
      logger,
      accessLog: logsRequests && logger.isLevelEnabled('info') ? createAccessLog(output) : null,
      now,
      monotonicNow: () => performance.now(),
    });
    const controlSocket = await openServiceControlSocket(config, database, seal, logger);
    close = async () => {
      await controlSocket?.close();
      await service.close();
    };
    endOnSignals(service.depart, close, logger);

    // A start that cannot listen makes no secrets.
    await tryAddress(config);
    // Without a person in front of it, what a start says is a log.
    const isWatched = process.stderr.isTTY;
    const file = isWatched ? null : firstAdministratorFile(config);
    const administrator = await createFirstAdministrator(database, service.seal, config, now(), (first) =>
      file === null ? nothingDrafted : draftSecrets(file, first),
    );
    if (administrator !== null) say(administratorText(administrator, file));
    const demo = config.demo ? await prepareDemo(database, service, now()) : null;
    const demoFile = isWatched ? null : demoResellerFile(config);
    if (demo !== null && demoFile !== null) keepDemoSecrets(demoFile, demo);
    // Ready means ready: until here connections are refused, so a proxy or a client tries again.
    await service.app.listen({ host: config.host, port, listenTextResolver: listeningFields });
    service.jobs.start();
    // With PORT=0 the system has chosen one.
    const bound = service.app.server.address();
    if (typeof bound === 'object' && bound !== null) port = bound.port;
    const isOpen = !['127.0.0.1', '::1', 'localhost'].includes(config.host);
    say(addressText(address(), config.database, { publicUrl: config.publicUrl, isOpen, logsRequests }));
    say(demo === null ? '\n' : demoText(address(), demo, demoFile));
  } catch (error) {
    await close();
    throw error;
  }
}

/** Fastify passes what this returns to the logger as it is: fields in place of a sentence. */
const listeningFields = (address: string) => ({ address, msg: 'listening' }) as unknown as string;

/** Throws as listening there would. */
async function tryAddress({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** What commands of this machine ask of the process that has the folder. */
async function openServiceControlSocket(
  config: Config,
  database: Database,
  seal: Seal,
  logger: pino.Logger,
): Promise<ControlSocket | null> {
  if (config.database.kind !== 'embedded') return null;
  const answer = async ({ wish, key }: JsonObject, connection: ControlConnection) => {
    if (wish === copyWish.wish) return guardCopy(database, connection, defaultLimits);
    if (wish === resealWish.wish && key !== seal.keyName) return connection.send({ isOtherKey: true });
    if (wish === resealWish.wish) return connection.send({ ...(await resealTexts(database, seal)) });
    connection.send({ problem: 'This service does not know what that is: it is of another version.' });
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
  // Nothing logs headers, bodies or addresses of links; should something ever, these are cut out. Each place
  // by its name: one wildcard path made a line cost 6 µs instead of 0.6.
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

/** What signals a whole group of processes reaches this one twice: directly, and passed on by the command that started it. */
const sameSignalMilliseconds = 1_000;

/** SIGTERM departs before it closes. SIGINT, from a person who waits for it, does not, and a second signal ends that. */
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
      // A log that cannot be written must not keep the process.
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
