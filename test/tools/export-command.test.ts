// sellthrough export as a command, on both databases, and while orders are placed. What is in the files is tested in
// test/service/account-export.test.ts.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type ServiceHere, startServiceHere } from '../../proof/machines/service-here.ts';
import { startServiceProcess } from '../../proof/machines/service-process.ts';
import { type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { assertRefused, runCommand, runForJson } from '../harness/command-process.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../harness/postgres-database.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-export-'));
const adminKey = mintApiKey('live');
const settings = { SECRET_KEY: 'the key of a service to export from', ADMIN_API_KEY: adminKey, PORT: '0' };

/** The pause between two orders during an export, so that orders continue but leave the CPU to other tests. */
const restMilliseconds = 20;

after(() => rmSync(folder, { recursive: true, force: true }));

interface Filled {
  readonly service: ServiceHere;
  readonly reseller: ApiClient;
  readonly packageId: number;
  readonly id: number;
}

async function fill(service: ServiceHere): Promise<Filled> {
  const admin = createApiClient(service.address, adminKey);
  const account = { username: 'acme', group: 'reseller', rate_limit_per_minute: 1_000_000 };
  const { api_key: key, account: made } = await created(admin.post('/api/admin/v1/accounts', account));
  const one = { monthly: '1.00', quarterly: '2.50', yearly: '9.99' };
  const body = { name: 'Plain', limits: {}, prices: { reseller: one, distributor: one } };
  const packageId = (await created(admin.post('/api/admin/v1/packages', body))).package.id;
  const credit = { amount: '1000.00', memo: '=1+1' };
  await created(admin.post(`/api/admin/v1/accounts/${made.id}/credit`, credit));
  const reseller = createApiClient(service.address, key);
  for (let index = 0; index < 5; index += 1)
    await created(reseller.post('/api/v1/orders', { package_id: packageId, customer: `c-${index}` }));
  return { service, reseller, packageId, id: made.id };
}

async function created(answer: ReturnType<ApiClient['post']>) {
  const { status, body, text } = await answer;
  assert.equal(status, 201, text);
  return body;
}

/** In cents, from the file itself. */
function ledgerTotal(to: string): number {
  const lines = readFileSync(join(folder, to, 'ledger.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.reduce((sum, line) => sum + Math.round(Number(JSON.parse(line).amount) * 100), 0);
}

describe('with the embedded database', () => {
  const environment = { ...settings, DATA_DIR: join(folder, 'data') };
  let filled: Filled;
  before(async () => {
    copyEmbeddedTemplate(environment.DATA_DIR);
    // Only a process of its own can be asked for a copy.
    filled = await fill(await startServiceProcess({ environment }));
  });

  test('it copies the files of the running service, and says so when it is done', async () => {
    const end = await runCommand(['export', 'acme', '--to', 'running'], { cwd: folder, environment });
    assert.equal(end.code, 0, end.stderr);
    assert.match(
      end.stdout,
      /^Wrote \d+ rows of acme to \S+running, each kind as JSON lines and as CSV\.\nThe ledger adds up to the balance: 995\.00 USD\.\n$/,
    );
    assert.equal(ledgerTotal('running'), 99_500);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('unfinished')),
      [],
    );
  });

  test('it reads the database of a stopped service, by the account’s id too', async () => {
    filled.service.kill('SIGTERM');
    await filled.service.gone;
    const args = ['export', String(filled.id), '--to', 'stopped'];
    const manifest = await runForJson(args, { cwd: folder, environment });
    assert.deepEqual(
      [manifest.account.username, manifest.balance, manifest.ledger_total],
      ['acme', '995.00', '995.00'],
    );
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'stopped', 'manifest.json'), 'utf8')), manifest);
    if (process.platform !== 'win32') {
      assert.equal(statSync(join(folder, 'stopped')).mode & 0o777, 0o700);
      for (const name of readdirSync(join(folder, 'stopped')))
        assert.equal(statSync(join(folder, 'stopped', name)).mode & 0o777, 0o600, name);
    }
  });

  test('a folder with a file in it is refused and left as it is', async () => {
    mkdirSync(join(folder, 'taken'));
    writeFileSync(join(folder, 'taken', 'mine.txt'), 'mine');
    const refused = await runCommand(['export', 'acme', '--to', 'taken'], { cwd: folder, environment });
    assertRefused(refused, 1, /taken is not empty\. An export never replaces a file/);
    assert.deepEqual(readdirSync(join(folder, 'taken')), ['mine.txt']);
    const onFile = ['export', 'acme', '--to', join('taken', 'mine.txt')];
    assertRefused(await runCommand(onFile, { cwd: folder, environment }), 1, /mine\.txt cannot be written/);
  });

  test('an unknown account is refused, and the folder can be used again @nightly', async () => {
    for (const named of ['no-such', '4000', '5000001'])
      assertRefused(
        await runCommand(['export', named, '--to', 'again'], { cwd: folder, environment }),
        3,
        new RegExp(`no account "${named}" \\(account_not_found\\)`),
      );
    await runForJson(['export', 'acme', '--to', 'again'], { cwd: folder, environment });
  });
});

describe('with PostgreSQL', () => {
  let database: PostgresDatabase;
  before(async () => {
    database = await createPostgresDatabase();
  });
  after(() => database.remove());

  test('an export under load is one consistent moment: its ledger adds up to its balance', async () => {
    const environment = { ...settings, DATABASE_URL: database.url };
    const { service, reseller, packageId } = await fill(await startServiceHere(environment));
    let isOver = false;
    let placed = 0;
    const stream = (async () => {
      for (; !isOver; placed += 1) {
        await created(reseller.post('/api/v1/orders', { package_id: packageId, customer: `busy-${placed}` }));
        await pause(restMilliseconds);
      }
    })();
    const balances: string[] = [];
    try {
      for (const to of ['busy-1', 'busy-2']) {
        const manifest = await runForJson(['export', 'acme', '--to', to], { cwd: folder, environment });
        assert.equal(manifest.ledger_total, manifest.balance);
        assert.equal(ledgerTotal(to), Math.round(Number(manifest.balance) * 100));
        balances.push(manifest.balance);
        const seen = placed;
        while (placed === seen) await Promise.race([pause(restMilliseconds), stream]);
      }
    } finally {
      isOver = true;
      await stream;
    }
    assert.notEqual(balances[0], balances[1], 'orders were placed meanwhile');
    service.kill('SIGTERM');
    await service.gone;
  });
});
