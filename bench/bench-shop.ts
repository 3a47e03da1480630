// Runs the service as an operator does, as a process that can be put under load: like `npm start` but without the demo, with
// default settings. Accounts get credit and a rate limit above every load through the administrator's API.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mintApiKey } from '../src/features/identity/api-key.ts';
import { randomBase62 } from '../src/platform/secrets/random-text.ts';
import { isJsonObject } from '../src/shared/json.ts';
import type { ShopDatabase } from './bench-database.ts';
import type { Stage } from './bench-stage.ts';

export interface ShopAccount {
  readonly id: number;
  readonly key: string;
}

/** The parts that stay the same when a prepared database is copied. */
export interface ShopPlan {
  readonly secretKey: string;
  readonly adminKey: string;
  /** The accounts over which a load is spread. */
  readonly accounts: readonly ShopAccount[];
  /** The account that takes a load alone. */
  readonly single: ShopAccount;
}

export interface Shop extends ShopPlan {
  readonly address: string;
  readonly pid: number;
  /** The package that is ordered; every account has credit for more than a hundred million of it. */
  readonly packageId: number;
  /** Orders of all accounts together, from the database. */
  countOrders(): Promise<number>;
  /** Stops the service with SIGTERM, so that it finishes accepted work. */
  stop(): Promise<void>;
}

const accountCount = 200;
/** The account that takes a load alone. It also signs in to the panel. */
const singleUsername = 'reseller-single';
const givenPassword = 'what the operator gave them';
const singlePassword = 'a password for a benchmark';
const creditUnits = '1000000000.00';
// The highest limit that the administrator's API accepts: 16,666 requests a second.
const rateLimitPerMinute = 1_000_000;
const packageId = 1;
const root = fileURLToPath(new URL('..', import.meta.url));

export interface ShopOptions {
  /** A folder for a CPU profile of the process; written when it ends. */
  readonly profileFolder?: string;
}

interface PreparedShop {
  readonly count?: number;
  /** On sale besides the demo's. */
  readonly packages?: number;
  /** Each account has a price of its own for each of them. */
  readonly accountPrices?: boolean;
}

/** Fills a new database with the demo's packages and the accounts of a load. The service is stopped again. */
export async function prepareShop(
  stage: Stage,
  database: ShopDatabase,
  { count = accountCount, packages = 0, accountPrices = false }: PreparedShop = {},
): Promise<ShopPlan> {
  const secretKey = randomBase62(48);
  const adminKey = mintApiKey('live');
  const running = await startShopProcess(stage, {
    ...database.environment,
    SECRET_KEY: secretKey,
    ADMIN_API_KEY: adminKey,
    DEMO: '1',
  });
  const ask = createAdminClient(running.address, adminKey);
  const makeAccount = async (username: string, more: object = {}): Promise<ShopAccount> => {
    const made = await ask('POST', '/accounts', {
      ...more,
      username,
      group: 'reseller',
      rate_limit_per_minute: rateLimitPerMinute,
    });
    const account = isJsonObject(made['account']) ? made['account'] : {};
    await ask('POST', `/accounts/${account['id']}/credit`, { amount: creditUnits });
    return { id: Number(account['id']), key: String(made['api_key']) };
  };
  const accounts: ShopAccount[] = [];
  // Two at a time, because hashing the password of each takes a core.
  for (let number = 1; number <= count; number += 2) {
    const names = [number, number + 1].map((each) => `reseller-${String(each).padStart(3, '0')}`);
    accounts.push(...(await Promise.all(names.map((name) => makeAccount(name)))));
  }
  const single = await makeAccount(singleUsername, { password: givenPassword });
  const prices = await makePackages(ask, packages);
  if (accountPrices) {
    for (const { id } of [...accounts, single]) await ask('PUT', `/accounts/${id}/prices`, { prices });
  }
  // A person who was given a password must choose another one before anything else.
  const headers = await signIn(running.address, givenPassword);
  const chosen = await fetch(`${running.address}/panel/api/password`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ current_password: givenPassword, new_password: singlePassword }),
  });
  if (!chosen.ok) throw new Error(`Choosing a password: ${chosen.status} ${await chosen.text()}`);
  await running.stop();
  return { secretKey, adminKey, accounts, single };
}

/** @returns prices for these packages and for the package that the loads order */
async function makePackages(ask: Ask, count: number): Promise<readonly object[]> {
  const amounts = { monthly: '20.00', quarterly: '57.00', yearly: '200.00' };
  const prices: object[] = [{ package_id: packageId, monthly: '4.00' }];
  for (let number = 1; number <= count; number += 1) {
    const made = await ask('POST', '/packages', {
      name: `Package ${number}`,
      limits: {},
      prices: { reseller: amounts, distributor: amounts },
    });
    const one = isJsonObject(made['package']) ? made['package'] : {};
    prices.push({ package_id: one['id'], monthly: '19.00' });
  }
  return prices;
}

/** Signs the single account in to the panel. @returns headers for its requests there */
export async function signIn(
  address: string,
  password = singlePassword,
): Promise<{ readonly cookie: string }> {
  const answer = await fetch(`${address}/panel/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ username: singleUsername, password }),
  });
  if (!answer.ok) throw new Error(`Signing in: ${answer.status} ${await answer.text()}`);
  return { cookie: (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' };
}

/** Starts the service on a prepared database or a copy of one. */
export async function openShop(
  stage: Stage,
  database: ShopDatabase,
  plan: ShopPlan,
  { profileFolder }: ShopOptions = {},
): Promise<Shop> {
  const words = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const environment = { ...database.environment, SECRET_KEY: plan.secretKey };
  const running = await startShopProcess(stage, environment, words);
  const ask = createAdminClient(running.address, plan.adminKey);
  return {
    ...plan,
    ...running,
    packageId,
    async countOrders() {
      let sum = 0;
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const list = await ask('GET', `/accounts?limit=100&page=${page}`);
        pages = Math.ceil(Number(list['total']) / 100);
        const accounts = Array.isArray(list['data']) ? list['data'] : [];
        for (const account of accounts) sum += Number(isJsonObject(account) && account['order_count']);
      }
      return sum;
    },
  };
}

/** Runs `sellthrough verify` on the database of a shop that was stopped. @throws when the books do not add up */
export async function verifyShop(
  stage: Stage,
  database: ShopDatabase,
  { secretKey }: ShopPlan,
): Promise<string> {
  const environment = { ...database.environment, SECRET_KEY: secretKey };
  return stage.run(process.execPath, [join(root, 'src/sellthrough.ts'), 'verify'], { environment });
}

// ---- the process

async function startShopProcess(
  stage: Stage,
  environment: Readonly<Record<string, string>>,
  nodeWords: readonly string[] = [],
): Promise<Pick<Shop, 'address' | 'pid' | 'stop'>> {
  // Run in a separate folder, so that a .env of the checkout is not read.
  const folder = mkdtempSync(join(stage.folder('services'), 'service-'));
  // Write a line for each request, as in production, to a file, as under a service manager.
  const log = openSync(join(folder, 'service.log'), 'w');
  const child = spawn(process.execPath, [...nodeWords, ...startWords()], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', ...environment },
    stdio: ['ignore', log, 'pipe'],
  });
  closeSync(log);
  const stop = stage.later(async () => {
    await endProcess(child, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return { address: await addressOf(child, 'The service'), pid: child.pid ?? 0, stop };
}

/** The arguments that `npm start` gives to node, without the demo: node's options, if any, and the program. */
function startWords(): string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const scripts = isJsonObject(manifest) && isJsonObject(manifest['scripts']) ? manifest['scripts'] : {};
  const [program, ...words] = String(scripts['start']).split(' ');
  if (program !== 'node' || !words.includes('src/main.ts'))
    throw new Error(`The script "start" of package.json is not "node … src/main.ts": ${scripts['start']}`);
  return words
    .filter((word) => word !== '--demo')
    .map((word) => (/^(\.\/|src\/)/.test(word) ? join(root, word) : word));
}

/** Resolves to what a process says it "listens at" on standard error; rejects when it ends before. */
export async function addressOf(child: ChildProcess, name: string): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      said = (said + piece).slice(-10_000);
      const found = /listens at (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${name} ended before it listened:\n${said}`)));
  });
}

const endMilliseconds = 20_000;

export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  const patience = setTimeout(() => child.kill('SIGKILL'), endMilliseconds);
  await exit;
  clearTimeout(patience);
}

// ---- the administrator's API

type Ask = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
) => Promise<Readonly<Record<string, unknown>>>;

export function createAdminClient(address: string, key: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${address}/api/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed: unknown = answer.ok ? JSON.parse(text) : null;
    if (!isJsonObject(parsed)) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return parsed;
  };
}
