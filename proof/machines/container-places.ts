// The service in containers, started from the compose files.
// Invariant: every command that an operator types is in deploy/README.md; otherwise the run fails.

import { randomInt } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { type BaseImages, crash, docker, restartsOf, shell } from './docker-engine.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'deploy/README.md'), 'utf8');
const published = '127.0.0.1:3000:3000';
const readySeconds = 120;
/** The third number of the networks' range. It is random, so that two runs do not collide. The compose files use 83. */
let networks = randomInt(84, 240);

export type Kind = 'embedded' | 'postgres' | 'valkey';

const composeFiles: Readonly<Record<Kind, readonly string[]>> = {
  embedded: ['compose.embedded.yaml'],
  postgres: ['compose.yaml'],
  valkey: ['compose.yaml', 'compose.valkey.yaml'],
};

export type Part = 'service' | 'database' | 'valkey';

export interface Place {
  readonly address: string;
  install(image: string, checkout?: string): Promise<void>;
  /** Starts the service for the first time or, after another `install`, upgrades it. */
  up(): Promise<void>;
  adminKey(): Promise<string>;
  /** Runs `sellthrough doctor`. Fails if it finds anything wrong. */
  doctor(): Promise<void>;
  crash(part: Part): Promise<void>;
  restarts(part: Part): Promise<number>;
  containersOf(part: Part): Promise<string[]>;
  /** Runs `sellthrough verify`. An embedded service is stopped first. */
  verify(): Promise<string>;
  backUp(): Promise<string>;
  restore(file: string): Promise<void>;
  /** Ends the service as an upgrade does. @returns its exit code */
  stop(): Promise<number>;
  log(): Promise<string>;
  down(): Promise<void>;
}

export interface PlaceOptions {
  readonly kind: Kind;
  readonly name: string;
  readonly folder: string;
  readonly images: BaseImages;
  /** The folder whose secrets the place gets; absent: it gets new ones. */
  readonly secretsOf?: string;
}

export async function createPlace({ kind, name, folder, images, secretsOf }: PlaceOptions): Promise<Place> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  networks += 1;
  const environment = {
    COMPOSE_PROJECT_NAME: name,
    COMPOSE_FILE: composeFiles[kind].join(':'),
    FRONT_NETWORK: `172.30.${networks}.0/24`,
  };
  let installed = '';

  const run = (line: string) => shell(line, { cwd: folder, environment });
  const type = (line: string) => {
    if (!guide.includes(line) && !guide.includes(asOnPostgres(line)))
      throw new Error(`deploy/README.md does not say "${line}".`);
    return run(line);
  };

  async function containersOf(part: Part): Promise<string[]> {
    return (await run(`docker compose ps --all --quiet ${part}`)).split('\n').filter((id) => id !== '');
  }
  async function containerOf(part: Part): Promise<string> {
    const [container] = await containersOf(part);
    if (container === undefined) throw new Error(`There is no container ${part}.`);
    return container;
  }

  async function install(image: string, checkout = root): Promise<void> {
    mkdirSync(folder, { recursive: true });
    cpSync(join(checkout, 'deploy'), join(folder, 'deploy'), { recursive: true });
    for (const file of composeFiles[kind]) {
      const text = readFileSync(join(checkout, file), 'utf8');
      writeFileSync(
        join(folder, file),
        (await images.withImages(text))
          .replace('image: sellthrough\n', `image: ${image}\n`)
          .replace(/ +build: \.\n/, '')
          .replace(published, `127.0.0.1:${port}:3000`),
      );
    }
    if (secretsOf !== undefined)
      for (const file of ['.env', 'sellthrough.env', 'owner.env', 'postgres-password', 'service-password'])
        cpSync(join(secretsOf, file), join(folder, file));
    await type('sh deploy/make-secrets.sh https://sell.example.com');
    installed = image;
    // The script asks the operator to do this unless it runs as root.
    const give = ['chown', '999', '/checkout/postgres-password', '/checkout/service-password'];
    if (process.getuid?.() !== 0)
      await docker([
        ...['run', '--rm', '--name', `${name}-chown`, '--user', '0', '--volume', `${folder}:/checkout`],
        ...['--entrypoint', ...give.slice(0, 1), image, ...give.slice(1)],
      ]);
  }

  return {
    address,
    install,
    containersOf,
    async up() {
      await type('docker compose up --detach --wait');
      const endsAt = performance.now() + readySeconds * 1_000;
      while (!(await isReady(address))) {
        if (performance.now() > endsAt) throw new Error(`${name} was not ready in ${readySeconds} s.`);
        await pause(100);
      }
    },
    async adminKey() {
      const file = kind === 'embedded' ? 'sellthrough/first-administrator.txt' : 'first-administrator.txt';
      const said = await type(`docker compose exec service cat ${file}`);
      await type(`docker compose exec service rm ${file}`);
      const key = /^API key +(sk_live_\w+)$/m.exec(said)?.[1];
      if (key === undefined)
        throw new Error(`first-administrator.txt has no key: ${said.length} characters.`);
      return key;
    },
    doctor: async () => void (await type('docker compose exec service sellthrough doctor')),
    crash: async (part) => crash(await containerOf(part), installed),
    async restarts(part) {
      const counts = await Promise.all((await containersOf(part)).map(restartsOf));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async verify() {
      if (kind !== 'embedded') return type('docker compose exec service sellthrough verify');
      await type('docker compose stop service');
      return type('docker compose run --rm service verify');
    },
    async backUp() {
      await type('docker compose exec service sellthrough backup /data/today.backup');
      await type('docker compose exec --no-TTY service cat /data/today.backup > today.backup');
      return join(folder, 'today.backup');
    },
    async restore(file) {
      const by = kind === 'embedded' ? 'service' : 'migrate';
      cpSync(file, join(folder, 'today.backup'));
      await type(
        `docker compose run --rm --no-deps --no-TTY --entrypoint sh ${by} -c 'cat > /data/today.backup' < today.backup`,
      );
      await type(`docker compose run --rm ${by} restore /data/today.backup`);
    },
    async stop() {
      await run('docker compose stop service');
      return Number(
        await docker(['inspect', '--format', '{{.State.ExitCode}}', await containerOf('service')]),
      );
    },
    log: () => run('docker compose logs --no-color --tail 15 2>&1'),
    async down() {
      if (installed !== '') await run('docker compose down --volumes --timeout 30');
    },
  };
}

async function isReady(address: string): Promise<boolean> {
  const answer = await fetch(`${address}/readyz`).catch(() => null);
  await answer?.arrayBuffer().catch(() => null);
  return answer?.ok === true;
}

/** How the guide writes this line for PostgreSQL, where another container restores and files are in another folder. */
function asOnPostgres(line: string): string {
  return line.replace(/ service (restore|-c)/, ' migrate $1').replace(' sellthrough/first', ' first');
}
