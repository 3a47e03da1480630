// Starts a service on the demo's year, with people whose password is known.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import type { Page } from 'playwright-core';
import { changeAccount } from '../../src/features/accounts/account-store.ts';
import { openApiKey } from '../../src/features/identity/api-key-rows.ts';
import { findAdministratorId } from '../../src/features/identity/find-accounts.ts';
import { hashPassword } from '../../src/platform/secrets/password-hash.ts';
import { createService } from '../../src/service/create-service.ts';
import { defaultLimits, readConfig } from '../../src/setup/config.ts';
import { openDatabase } from '../../src/setup/open-database.ts';
import type { JsonObject } from '../../src/shared/json.ts';
import { createAsk, type DemoAnswer, expectDone } from './demo-client.ts';
import { fillDemo } from './fill-demo.ts';

export interface DemoStage {
  readonly address: string;
  accountId(username: string): number;
  asAdministrator(method: string, path: string, body?: object): Promise<JsonObject>;
  asAccount(username: string, method: string, path: string, body?: object): Promise<DemoAnswer>;
  lookForJobs(): Promise<void>;
  close(): Promise<void>;
}

export async function openDemoStage(
  dataDir: string,
  password: string,
  say: (text: string) => void,
): Promise<DemoStage> {
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0', OUTBOUND_ALLOW: '127.0.0.0/8' });
  const now = () => Math.floor(Date.now() / 1000);
  if (!existsSync(join(dataDir, 'postgres'))) {
    await fillDemo(config, { seed: 1, share: 1, until: now(), password, say });
  }
  const { database, seal } = await openDatabase(config, now());
  let address = '';
  const service = await createService({
    config,
    limits: defaultLimits,
    database,
    seal,
    publicUrl: () => address,
    logger: pino({ level: 'silent' }),
    accessLog: null,
    now,
    monotonicNow: () => performance.now(),
  });
  address = await service.app.listen({ host: '127.0.0.1', port: 0 });
  await service.jobs.look();
  await service.jobs.idle();
  const ask = createAsk(address);
  const keyOf = async (id: number | null) =>
    (id === null ? null : await openApiKey(database, service.seal, id)) ?? '';
  const administratorKey = await keyOf(await findAdministratorId(database));
  const asAdministrator: DemoStage['asAdministrator'] = async (method, path, body) => {
    const request = { method, path: `/api/admin/v1${path}`, from: '', key: administratorKey };
    return expectDone(await ask({ ...request, ...(body !== undefined && { body }) }), path);
  };
  const { data } = await asAdministrator('GET', '/accounts?limit=100');
  const ids = new Map<string, number>();
  for (const account of Array.isArray(data) ? data : []) ids.set(account.username, account.id);
  const accountId = (username: string) => ids.get(username) ?? 0;
  const hash = await hashPassword(password);
  for (const username of ['admin', 'brightline', 'fjord-kreativ']) {
    const change = { password: { hash, isInitial: false } };
    const id = accountId(username);
    await changeAccount(database, id, change, { actorId: id, now: now() });
  }
  return {
    address,
    accountId,
    asAdministrator,
    asAccount: async (username, method, path, body) => {
      const key = await keyOf(accountId(username));
      return ask({ method, path: `/api/v1${path}`, from: '', key, ...(body !== undefined && { body }) });
    },
    lookForJobs: service.jobs.look,
    close: service.close,
  };
}

export async function signInOnStage(page: Page, username: string, password: string): Promise<void> {
  // The network is never idle with an event stream. Without one, the pages poll.
  await page.route('**/panel/api/stream', (route) => route.abort());
  await page.goto('/panel/sign-in');
  await page.getByLabel('Username').fill(username);
  await page.locator('input[type=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // Someone who has to choose another password stays on the page.
  await page.getByLabel('Username').waitFor({ state: 'detached' });
  await page.waitForLoadState();
}
