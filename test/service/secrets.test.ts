// A day's work with recognizable secrets, and failures. Then a search for the secrets in everything that must not contain
// them: logs, rows, files, other accounts' views, and /metrics.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { accountChanged, changesChannel } from '../../src/platform/database/change-notices.ts';
import type { Database, SqlStatement } from '../../src/platform/database/database.ts';
import { cookieOf, openPage, pathOfLink } from '../harness/browser-request.ts';
import { resetKey } from '../harness/shop.ts';

const admin = '/api/admin/v1';

const secrets = new Map<string, string>();
/** Allowed only in orders and the ledger. */
const idempotencyKeys = new Map<string, string>();
const shownToOthers: [where: string, text: string][] = [];

const secretKey = keep('SECRET_KEY', `MarkedSecretKey${randomBytes(24).toString('hex')}`);
/** If true, every statement fails with an error that contains its values, as many of PostgreSQL's errors do. */
let databaseFails = false;
let service: TestService;
let product: TestService;

before(async () => {
  const environment = { SECRET_KEY: secretKey, LOG_LEVEL: 'trace' };
  service = await startTestService({
    environment,
    wrapDatabase: failing,
  });
  product = await startTestService({
    environment: { ...environment, PRODUCT_URL: 'https://product.example/' },
  });
  // Keep everything about requests that can be kept.
  for (const each of [service, product]) await keepBodies(each);
});
after(async () => {
  await service.close();
  await product.close();
});

test('secrets are used in every way, and misused', async () => {
  keep('the administrator’s key', service.admin.key);
  const owner = await service.createReseller({ credit: '1000.00' });
  keep('a reseller’s key', owner.key);

  const made = await service.admin.post(`${admin}/accounts`, { username: 'with-minted', group: 'reseller' });
  assert.equal(made.status, 201, made.text);
  keep('a minted password', made.body.password);
  keep('the key of a new account', made.body.api_key);
  const chosen = keep('a chosen password', mark('Chosen-Password'));
  const withChosen = { username: 'with-chosen', group: 'reseller', password: chosen };
  const second = await service.admin.post(`${admin}/accounts`, withChosen);
  assert.equal(second.status, 201, second.text);
  keep('the key of another account', second.body.api_key);
  show('the answer to a chosen password', second.text.replace(second.body.api_key, ''));
  const changed = await service.admin.patch(`${admin}/accounts/${second.body.account.id}`, {
    password: keep('a changed password', mark('Changed-Password')),
  });
  assert.equal(changed.status, 200, changed.text);
  show('the answer to a changed password', changed.text);
  for (const [why, password] of [
    ['a refused password', `${mark('Refused-Password')}\u0007`],
    ['a password too long', mark('Long-Password').repeat(8)],
  ] as const) {
    keep(why, password);
    const refused = await service.admin.patch(`${admin}/accounts/${owner.id}`, { password });
    assert.equal(refused.status, 422, refused.text);
    show('the refusal of a password', refused.text);
  }
  const spoilt = `{"username":"with-broken","group":"reseller","password":"${keep('a password in broken JSON', mark('Broken'))}"`;
  show('the refusal of broken JSON', (await service.admin.post(`${admin}/accounts`, spoilt)).text);

  // Keys that were replaced, are wrong, or are in wrong places.
  const replaced = await resetKey(service, owner);
  keep('a key after a reset', replaced);
  show('the refusal of a revoked key', (await owner.get('/balance')).text);
  const key = replaced;
  const client = createApiClient(service.address, key);
  const unknown = keep('a key no one has', mintApiKey('live'));
  const mistyped = keep(
    'a mistyped key',
    `${key.slice(0, 20)}${key[20] === 'x' ? 'y' : 'x'}${key.slice(21)}`,
  );
  const anonymous = createApiClient(service.address, null);
  for (const authorization of [
    `Bearer ${unknown}`,
    `Bearer ${mistyped}`,
    `Basic ${Buffer.from(`${unknown}:`).toString('base64')}`,
    key,
  ]) {
    const refused = await anonymous.get('/balance', { authorization });
    assert.equal(refused.status, 401, refused.text);
    show('the refusal of a key', refused.text);
  }
  for (const path of [
    `/orders/${key}`,
    `/customers/${key}?api_key=${key}`,
    `/${key}`,
    `/api/admin/v1/${key}`,
  ]) {
    show('the refusal of a path', (await client.get(path)).text);
  }
  show('the refusal of a query', (await anonymous.get(`/orders?api_key=${key}`)).text);
  show(
    'the refusal of an order',
    (await client.post('/orders', { package_id: key, customer: `${key}@` })).text,
  );

  const keys = `${admin}/accounts/${owner.id}/keys`;
  const making = { 'idempotency-key': mark('Making-Key') };
  const shop = await service.admin.post(keys, { name: 'Shop' }, making);
  assert.equal(shop.status, 201, shop.text);
  const shopKey = keep('a further key', shop.body.api_key);
  show('the answer to a further key', shop.text.replace(shopKey, ''));
  show('the answer to the same request', (await service.admin.post(keys, { name: 'Shop' }, making)).text);
  const rotation = `${keys}/${shop.body.key.id}/rotate`;
  const rotated = await service.admin.post(rotation, { overlap_hours: 1 });
  assert.equal(rotated.status, 200, rotated.text);
  const newest = keep('a rotated key', rotated.body.api_key);
  show('the answer to a rotation', rotated.text.replace(newest, ''));
  for (const each of [shopKey, newest]) {
    assert.equal((await createApiClient(service.address, each).get('/balance')).status, 200);
  }
  show('the list of keys', (await service.admin.get(keys)).text);

  // Orders with links. An order's key may be shown to its own account.
  const place = async (customer: string, idempotencyKey: string): Promise<Answer> => {
    idempotencyKeys.set(`the key of the order for ${customer}`, idempotencyKey);
    const body = { package_id: service.packages.basic, customer, return_login: true };
    const answer = await client.post('/orders', body, { 'idempotency-key': idempotencyKey });
    assert.equal(answer.status, 201, answer.text);
    keep(`a login token of ${customer}`, pathOfLink(answer.body.login_url).slice('/login/'.length));
    return answer;
  };
  const spentKey = mark('Order-Key');
  const placed = await place('marked-spent', spentKey);
  await place('marked-spent', spentKey);
  await place('marked-open', mark('Order-Key'));
  const last = await client.post(`/orders/${placed.body.order.id}/renew`, {
    idempotency_key: mark('Renewal-Key'),
  });
  assert.equal(last.status, 201, last.text);
  idempotencyKeys.set('the key of a renewal', last.body.order.idempotency_key);
  const credited = await service.admin.post(`${admin}/accounts/${owner.id}/credit`, {
    amount: '1',
    idempotency_key: mark('Credit-Key'),
  });
  assert.equal(credited.status, 201, credited.text);

  // The replay replaced the first link, so the second one is used.
  const token = secrets.get('a login token of marked-spent, 2') ?? assert.fail('the replay gave a link');
  show('the page of a login link', (await openPage(service.address, 'GET', `/login/${token}`)).text);
  const entered = await openPage(service.address, 'POST', `/login/${token}`);
  assert.equal(entered.status, 303, entered.text);
  const cookie = cookieOf(entered);
  keep('a session', cookie.split('=')[1] ?? '');
  const page = await openPage(service.address, 'GET', '/customer', { cookie });
  assert.equal(page.status, 200, page.text);
  show('the customer’s page', page.text);
  const ended = await place('marked-ended', mark('Order-Key'));
  const ending = cookieOf(await openPage(service.address, 'POST', pathOfLink(ended.body.login_url)));
  keep('a session that was ended', ending.split('=')[1] ?? '');
  await openPage(service.address, 'POST', '/customer/logout', { cookie: ending });
  for (const path of [
    `/login/${token}`,
    `/login/${token}x`,
    `/login/${token}/${token}`,
    `/${token}?token=${token}`,
  ]) {
    show('the page of a spent link', (await openPage(service.address, 'GET', path, { cookie })).text);
  }

  // Everything again while the database fails.
  databaseFails = true;
  const failures = [
    await client.post('/orders', {
      package_id: service.packages.basic,
      customer: 'marked-lost',
      return_login: true,
    }),
    await anonymous.get('/balance', {
      authorization: `Bearer ${keep('a key while it fails', mintApiKey('live'))}`,
    }),
    await service.admin.post(`${admin}/accounts`, {
      username: 'marked-lost',
      group: 'reseller',
      password: keep('a password while it fails', mark('Lost-Password')),
    }),
    await service.admin.post(`${admin}/accounts/${owner.id}/api-key`),
    await openPage(
      service.address,
      'GET',
      `/login/${keep('a token while it fails', randomBytes(32).toString('base64url'))}`,
    ),
    await openPage(service.address, 'POST', `/login/${token}`),
    await openPage(service.address, 'GET', '/customer', { cookie }),
  ];
  databaseFails = false;
  for (const { status, text } of failures) {
    assert.equal(status, 500, text);
    show('the answer to a failure', text);
  }
});

test('a product’s one-time code is used', async () => {
  const owner = await product.createReseller({ credit: '10.00' });
  keep('a key of the other service', owner.key);
  const body = { package_id: product.packages.basic, customer: 'marked-product', return_login: true };
  const placed = await owner.post('/orders', body);
  keep('a token that leads to a product', pathOfLink(placed.body.login_url).slice('/login/'.length));
  const left = await openPage(product.address, 'POST', pathOfLink(placed.body.login_url));
  const code = new URL(left.headers.get('location') ?? '').searchParams.get('code') ?? '';
  keep('a login code', code);
  for (const status of [200, 404]) {
    const answer = await product.admin.post(`${admin}/login-codes/exchange`, { code });
    assert.equal(answer.status, status, answer.text);
    show('the exchange of a code', answer.text);
  }
});

test('neither another account nor the administrator is shown a secret', async () => {
  const other = await service.createReseller({ credit: '10.00' });
  await other.post('/orders', { package_id: service.packages.basic, customer: 'of-the-other' });
  const own = ['/balance', '/packages', '/orders', '/customers', '/orders/1', '/nowhere', '/openapi.json'];
  for (const path of own) show(`another account’s ${path}`, (await other.get(path)).text);
  searchFor(idempotencyKeys, shownToOthers);

  const accounts = await service.admin.get(`${admin}/accounts?limit=100`);
  assert.ok(accounts.body.data.length >= 5, accounts.text);
  const paths = [
    `${admin}/accounts?limit=100`,
    `${admin}/accounts?q=${encodeURIComponent(service.admin.key)}`,
    `${admin}/audit?limit=100`,
    `${admin}/packages`,
    `${admin}/verify`,
    ...accounts.body.data.flatMap(({ id }: { id: number }) =>
      ['', '/ledger', '/orders', '/customers'].map((list) => `${admin}/accounts/${id}${list}`),
    ),
  ];
  for (const path of paths) {
    const answer = await service.admin.get(path);
    assert.equal(answer.status, 200, `${path} ${answer.text}`);
    show(`the administrator’s ${path.replace(service.admin.key, '…')}`, answer.text);
  }
  assert.ok(
    shownToOthers.some(([, text]) => text.includes('account.reset_api_key')),
    'the audit was read',
  );
  for (const path of ['/healthz', '/readyz', '/metrics', '/customer', '/customer.css']) {
    show(path, (await openPage(service.address, 'GET', path)).text);
  }
  searchFor(secrets, shownToOthers);
  const metrics = shownToOthers.filter(([where]) => where === '/metrics');
  assert.match(metrics[0]?.[1] ?? '', /sellthrough_http_requests_total\{route="\/login\/:token"/);
  searchFor(idempotencyKeys, metrics);
});

test('the log holds no secret and no idempotency key, not even of requests that failed', () => {
  for (const { logLines } of [service, product]) {
    const lines = logLines.map((line, index): [string, string] => [
      `log line ${index}`,
      JSON.stringify(line),
    ]);
    assert.ok(lines.length > 5);
    searchFor(secrets, lines);
    searchFor(idempotencyKeys, lines);
  }
  const failed = service.logLines.filter((line) => Number(line['level']) >= 50);
  assert.ok(failed.length >= 5, 'the failures were logged');
});

test('no table and no file of the database holds a secret in the clear', async () => {
  for (const each of [service, product]) {
    const tables = await each.database.query({
      name: 'all_tables',
      text: `select c.relname::text as name from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') order by 1`,
    });
    assert.ok(tables.length >= 12, `${tables.length} tables`);
    const rows: [where: string, text: string][] = [];
    for (const { name } of tables) {
      const text = `select t::text as line from ${String(name)} t`;
      const found = await each.database.query({ name: '', text });
      for (const { line } of found) rows.push([String(name), String(line)]);
    }
    searchFor(secrets, rows);
    const elsewhere = rows.filter(
      ([table]) => !['orders', 'ledger_entries', 'events', 'api_request_bodies'].includes(table),
    );
    searchFor(idempotencyKeys, elsewhere);
    if (each === product) continue;
    for (const table of ['api_keys', 'login_links', 'customer_sessions', 'audit_log', 'api_request_bodies']) {
      assert.ok(
        rows.some(([where]) => where === table),
        `${table} has rows`,
      );
    }
    const hashes = rows.filter(([table, line]) => table === 'people' && line.includes('$argon2id$'));
    assert.equal(hashes.length, 2, 'the passwords that were given are kept as hashes');
    assert.ok(
      rows.some(
        ([table, line]) => table === 'orders' && line.includes([...idempotencyKeys.values()][0] ?? '…'),
      ),
      'what is searched for can be found',
    );
  }
  const { config } = service.testDatabase;
  if (config.kind !== 'embedded') return;
  const files = readdirSync(config.dataDir, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file): [string, string] => {
      const path = join(file.parentPath, file.name);
      return [path, readFileSync(path, 'latin1')];
    });
  const usernames = texts.filter(([, text]) => text.includes('with-chosen'));
  assert.ok(usernames.length > 0, 'what is not secret can be found in the files');
  searchFor(secrets, texts);
});

/** Turns capture on for every account, even future ones, as if each had done so. */
async function keepBodies({ database }: TestService): Promise<void> {
  for (const group of database.accountGroups()) {
    const text = 'alter table accounts alter column keeps_request_bodies set default true';
    await group.query({ name: '', text });
    for (const { id } of await group.query({
      name: '',
      text: 'update accounts set keeps_request_bodies = true returning id',
    })) {
      await database.query({ name: '', text: 'select pg_notify($1, $2)' }, [
        changesChannel,
        accountChanged(Number(id)),
      ]);
    }
  }
}

function keep(name: string, secret: string): string {
  assert.ok(secret.length >= 12, `${name} is long enough to be distinguished`);
  const count = [...secrets.keys()].filter((known) => known === name || known.startsWith(`${name}, `)).length;
  secrets.set(count === 0 ? name : `${name}, ${count + 1}`, secret);
  return secret;
}

function mark(name: string): string {
  return `${name}-${randomBytes(9).toString('hex')}`;
}

function show(where: string, text: string): void {
  shownToOthers.push([where, text]);
}

function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const bare = secret.replace(/^sk_live_/, '');
  const parts = [];
  for (let from = 0; from + 14 <= bare.length; from += 7) parts.push(bare.slice(from, from + 14));
  return [
    ...(parts.length > 0 ? parts : [bare]),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    encodeURIComponent(secret),
  ];
}

function searchFor(
  wanted: ReadonlyMap<string, string>,
  places: readonly (readonly [string, string])[],
): void {
  const leaks: string[] = [];
  for (const [name, secret] of wanted) {
    const spelled = spellings(secret);
    for (const [where, text] of places) {
      const found = spelled.find((each) => text.includes(each));
      if (found === undefined) continue;
      const at = text.indexOf(found);
      leaks.push(`${name} in ${where}: ${text.slice(Math.max(0, at - 80), at + 80)}`);
    }
  }
  assert.deepEqual(leaks, []);
}

function failing(database: Database): Database {
  const fail = ({ name }: SqlStatement, values: readonly unknown[] = []) => {
    throw new Error(`broken on purpose: ${name} with ${values.map(String).join()}`);
  };
  return {
    ...database,
    query: async (statement, values) =>
      databaseFails ? fail(statement, values) : database.query(statement, values),
    transaction: async (work, options) =>
      databaseFails ? fail({ name: 'a transaction', text: '' }) : database.transaction(work, options),
  };
}
