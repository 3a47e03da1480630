// A demo as `npm start` makes it: its year, and who may look around in it without a password.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { runCommand } from '../harness/command-process.ts';
import { type DemoProcess, startDemo } from '../harness/demo-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-demo-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly cookie: string | undefined;
}

/** fetch sets Host and the Sec-Fetch headers itself, so these requests are made by hand. */
async function send(
  { address }: Pick<DemoProcess, 'address'>,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<Answer> {
  const asked = request(new URL(path, address), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = await once(asked, 'response');
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += piece;
  const [cookie] = answer.headers['set-cookie'] ?? [];
  const isJson = String(answer.headers['content-type']).includes('json');
  return { status: answer.statusCode, body: isJson ? JSON.parse(text) : {}, cookie };
}

const lookAround = (demo: DemoProcess, role: string, headers: Record<string, string> = {}) =>
  send(demo, '/panel/api/look-around', { origin: demo.address, ...headers }, { role });

const offered = async (demo: DemoProcess, headers: Record<string, string> = {}) =>
  (await send(demo, '/panel/api/sign-in', headers)).body['demo'];

const dataDir = join(folder, 'demo');

describe('a demo', () => {
  let demo: DemoProcess;
  before(async () => {
    copyEmbeddedTemplate(dataDir);
    demo = await startDemo(dataDir);
  });
  after(() => demo.stop());

  test('takes its first order while its year is filled, and a year that was interrupted goes on', async () => {
    const key = /^API key +(\S+)$/m.exec(readFileSync(join(dataDir, 'demo-reseller.txt'), 'utf8'))?.[1] ?? '';
    const placed = await createApiClient(demo.address, key).post('/orders', {
      package_id: 1,
      customer: 'ada@example.com',
    });
    assert.equal(placed.status, 201, placed.text);
    assert.equal(await offered(demo), 'filling');
    assert.equal((await lookAround(demo, 'operator')).status, 404, 'closed until the year is there');
    await demo.stop('SIGKILL');
    demo = await startDemo(dataDir);
    await demo.logged('demo filled');
    assert.equal(await offered(demo), 'ready');
  });

  test('lets a browser on this machine in as operator, reseller or customer', async () => {
    for (const [role, path, isAdmin] of [
      ['operator', '/panel/admin', true],
      ['reseller', '/panel/', false],
    ] as const) {
      const entered = await lookAround(demo, role);
      assert.deepEqual(entered.body, { path });
      const cookie = entered.cookie?.split(';')[0] ?? '';
      const me = await send(demo, '/panel/api/me', { cookie });
      assert.equal(me.status, 200, role);
      const { account } = me.body as { account: Record<string, unknown> };
      assert.equal(account['is_admin'], isAdmin);
      const { data } = (await send(demo, '/panel/api/v1/orders?limit=1', { cookie })).body;
      assert.equal(Array.isArray(data) && data.length, isAdmin ? 0 : 1, 'the reseller has orders');
    }
    const { body, cookie } = await lookAround(demo, 'customer');
    assert.equal(cookie, undefined, 'a customer gets a link, not a session of the panel');
    const page = await send(demo, String(body['path']));
    assert.equal(page.status, 200);
  });

  for (const [what, headers] of [
    ['through a proxy', { 'x-forwarded-for': '203.0.113.7' }],
    ['through a proxy that says so otherwise', { forwarded: 'for=203.0.113.7' }],
    ['under a public name', { host: 'shop.example', origin: 'http://shop.example' }],
    ['from a page of another site', { origin: 'https://evil.example' }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
  ] as const) {
    test(`stays closed ${what}`, async () => {
      for (const role of ['operator', 'reseller', 'customer']) {
        const refused = await lookAround(demo, role, headers);
        assert.ok([401, 403, 404].includes(refused.status), `${role}: ${refused.status}`);
        assert.equal(refused.cookie, undefined);
      }
    });
  }

  test('does not offer it through a proxy or under a public name', async () => {
    assert.equal(await offered(demo, { 'x-forwarded-for': '203.0.113.7' }), 'off');
    assert.equal(await offered(demo, { host: 'shop.example' }), 'off');
  });

  test('does not offer it once it runs with a public address, behind a proxy, or not as a demo; and its books are right @nightly', async () => {
    await demo.stop();
    for (const options of [
      { environment: { PUBLIC_URL: 'http://shop.example' } },
      { environment: { TRUST_PROXY: '127.0.0.1' } },
      { environment: { HOST: '0.0.0.0', DEMO: '1' } },
      { args: [] },
    ]) {
      demo = await startDemo(dataDir, options);
      assert.equal(await offered(demo), 'off', JSON.stringify(options));
      const refused = await lookAround(demo, 'operator', { origin: demo.address });
      assert.ok([401, 403, 404].includes(refused.status), JSON.stringify(options));
      assert.equal(refused.cookie, undefined);
      await demo.stop();
    }
    const { code, stdout } = await runCommand(['verify', '--json'], {
      cwd: folder,
      environment: { DATA_DIR: dataDir },
    });
    assert.equal(code, 0, stdout);
  });
});

test('a database that is no demo’s never becomes one that can be looked around in', async () => {
  const own = join(folder, 'own');
  copyEmbeddedTemplate(own);
  let service = await startDemo(own, { args: [] });
  const key =
    /^ *API key +(\S+)$/m.exec(readFileSync(join(own, 'first-administrator.txt'), 'utf8'))?.[1] ?? '';
  const made = await createApiClient(service.address, key).post('/api/admin/v1/accounts', {
    username: 'real.reseller',
    display_name: 'Real',
    group: 'reseller',
  });
  assert.equal(made.status, 201, made.text);
  await service.stop();
  service = await startDemo(own);
  assert.equal(await offered(service), 'off');
  assert.equal((await lookAround(service, 'operator')).status, 404);
  await service.stop();
});
