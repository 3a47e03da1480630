// Limits that the operator defines, from the definition to the package, the product, the customer's page and every refusal.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const api = '/api/admin/v1';
const limitOf = (key: string) => `${api}/limits/${key}`;
const seats = { name: { en: 'Seats', de: 'Plätze' }, kind: 'count' };
const storage = { name: { en: 'Storage', de: 'Speicher' }, kind: 'count', unit: { en: 'GB' } };
const signOn = { name: { en: 'Single sign-on' }, kind: 'switch' };
const support = { name: { en: 'Support' }, kind: 'text', hidden: true };
const three = { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 };
const amounts = { monthly: '10.00', quarterly: '27.00', yearly: '96.00' };
const prices = { reseller: amounts, distributor: amounts };

const define = async (key: string, body: object) =>
  expectStatus(await service.admin.send('PUT', limitOf(key), body), 200).limit;
const remove = (key: string) => service.admin.send('DELETE', limitOf(key));
const defined = async (): Promise<{ key: string }[]> =>
  expectStatus(await service.admin.get(`${api}/limits`), 200).data;
const keys = async () => (await defined()).map(({ key }) => key);
const create = (limits: unknown, name = 'Limited') =>
  service.admin.post(`${api}/packages`, { name, limits, prices });
const change = (id: number, body: object) => service.admin.patch(`${api}/packages/${id}`, body);

async function written() {
  const text = 'select packages_version, audit_count from service_state';
  return service.database.query({ name: '', text });
}

test('a new service has the three limits of the first edition, for the operator and for every account', async () => {
  const all = await defined();
  assert.deepEqual(all, [
    {
      key: 'accounts',
      name: { en: 'Accounts', de: 'Konten' },
      kind: 'count',
      position: 1,
      hidden: false,
    },
    {
      key: 'posts_per_day',
      name: { en: 'Posts per day', de: 'Beiträge pro Tag' },
      kind: 'count',
      position: 2,
      hidden: false,
    },
    {
      key: 'ai_images_per_month',
      name: { en: 'AI images per month', de: 'KI-Bilder pro Monat' },
      kind: 'count',
      position: 3,
      hidden: false,
    },
  ]);
  const reseller = await service.createReseller({ credit: '1.00' });
  assert.deepEqual(expectStatus(await reseller.get('/limits'), 200).data, all);
});

test('a name in a language that is not known is left out', async () => {
  const odd = { ...storage, unit: { en: 'GB', 'a\u0000b': [1] }, name: { en: 'Odd', fr: 'Bizarre' } };
  const limit = await define('odd', odd);
  assert.deepEqual([limit.name, limit.unit], [{ en: 'Odd' }, { en: 'GB' }]);
  const log = expectStatus(await service.admin.get(`${api}/audit?limit=1`), 200);
  assert.ok(!JSON.stringify(log).includes('Bizarre'));
  assert.equal((await remove('odd')).status, 200);
});

test('what is defined reaches packages, orders, entitlements and the customer’s page, in its order and language', async () => {
  assert.deepEqual(await define('seats', seats), { key: 'seats', ...seats, position: 4, hidden: false });
  await define('storage_gb', { ...storage, position: 0 });
  await define('sso', signOn);
  await define('support', support);
  assert.deepEqual(
    (await keys()).filter((key) => !(key in three)),
    ['storage_gb', 'seats', 'sso', 'support'],
  );
  const limits = { support: 'By phone', sso: true, seats: null, storage_gb: 500 };
  const created = expectStatus(await create(limits, 'Team'), 201).package;
  assert.equal(
    JSON.stringify(created.limits),
    '{"storage_gb":500,"seats":null,"sso":true,"support":"By phone"}',
  );

  const reseller = await service.createReseller({ credit: '100.00' });
  const offered = expectStatus(await reseller.get('/packages'), 200).data;
  const own = offered.find(({ id }: { id: number }) => id === created.id);
  assert.deepEqual(own.limits, limits);
  const order = { package_id: created.id, customer: 'ada', return_login: true };
  const placed = expectStatus(await reseller.post('/orders', order), 201);
  const entitled = await service.admin.get('/api/product/v1/entitlements/ada');
  assert.deepEqual(expectStatus(entitled, 200).limits, limits);

  const page = await pageOf(placed.login_url, 'en');
  assert.match(page, /<dt>Storage<\/dt><dd>500 GB<\/dd>/);
  assert.match(page, /<dt>Seats<\/dt><dd>Unlimited<\/dd>/);
  assert.match(page, /<dt>Single sign-on<\/dt><dd>Included<\/dd>/);
  assert.doesNotMatch(page, /posts|By phone/i);
  const again = expectStatus(await reseller.post('/orders', { ...order, months: 3 }), 201);
  const german = await pageOf(again.login_url, 'de');
  assert.match(german, /<dt>Speicher<\/dt><dd>500 GB<\/dd>/);
  assert.match(german, /<dt>Plätze<\/dt><dd>Unbegrenzt<\/dd>/);
});

async function pageOf(loginUrl: string, language: string): Promise<string> {
  const { pathname } = new URL(loginUrl);
  const headers = { 'accept-language': language };
  const confirmed = await fetch(service.address + pathname, { method: 'POST', headers, redirect: 'manual' });
  const cookie = confirmed.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const answer = await fetch(`${service.address}/customer`, { headers: { ...headers, cookie } });
  assert.equal(answer.status, 200);
  return answer.text();
}

test('a package changes and gives up single limits; a limit in use keeps its kind and is not deleted', async () => {
  await define('hosts', { name: { en: 'Hosts' }, kind: 'count' });
  const { id } = expectStatus(await create({ ...three, hosts: 4 }, 'Hosting'), 201).package;
  assert.deepEqual(expectStatus(await change(id, { limits: { hosts: 9 } }), 200).package.limits, {
    ...three,
    hosts: 9,
  });
  const inUse = { package_id: id, package: 'Hosting' };
  expectRefusal(
    await service.admin.send('PUT', limitOf('hosts'), { name: { en: 'Hosts' }, kind: 'text' }),
    '409 limit_in_use',
    inUse,
  );
  expectRefusal(await remove('hosts'), '409 limit_in_use', inUse);
  const gone = expectStatus(await change(id, { remove_limits: ['hosts', 'never_had'] }), 200).package;
  assert.deepEqual(gone.limits, three);
  await define('hosts', { name: { en: 'Hosts' }, kind: 'text' });
  expectStatus(await remove('hosts'), 200);
  expectRefusal(await remove('hosts'), '404 limit_not_found', {});
});

test('a retired package does not keep a limit from being deleted, and shows it no longer', async () => {
  await define('old_one', seats);
  const { id } = expectStatus(await create({ old_one: 7 }, 'Old'), 201).package;
  expectStatus(await change(id, { retired: true }), 200);
  expectRefusal(
    await service.admin.send('PUT', limitOf('old_one'), { ...seats, kind: 'switch' }),
    '409 limit_in_use',
    { package_id: id, package: 'Old' },
  );
  expectStatus(await remove('old_one'), 200);
  const { package: one } = expectStatus(await service.admin.get(`${api}/packages/${id}`), 200);
  assert.deepEqual(one.limits, {});
  // A value of another kind does not come back with the limit.
  await define('old_one', { ...seats, kind: 'text' });
  const again = expectStatus(await service.admin.get(`${api}/packages/${id}`), 200);
  assert.deepEqual(again.package.limits, {});
  expectStatus(await remove('old_one'), 200);
});

test('what does not fit a definition is validation_failed with its path, and changes nothing', async () => {
  await define('seats', seats);
  await define('sso', signOn);
  await define('support', support);
  const { id } = expectStatus(await create({ seats: 1 }, 'Checked'), 201).package;
  const before = await written();
  const wrong: [object, string][] = [
    [{ seats: -1 }, 'limits.seats'],
    [{ seats: 2 ** 53 }, 'limits.seats'],
    [{ seats: 1.5 }, 'limits.seats'],
    [{ seats: '1' }, 'limits.seats'],
    [{ seats: true }, 'limits.seats'],
    [{ sso: 1 }, 'limits.sso'],
    [{ sso: null }, 'limits.sso'],
    [{ support: 'x'.repeat(81) }, 'limits.support'],
    [{ support: 'a\u0000b' }, 'limits.support'],
    [{ support: null }, 'limits.support'],
    [{ unheard_of: 1 }, 'limits.unheard_of'],
    [{ constructor: 1 }, 'limits.constructor'],
    [JSON.parse('{"__proto__": 1}'), 'limits.__proto__'],
    [{ ['x'.repeat(300)]: 1 }, `limits.${'x'.repeat(40)}`],
  ];
  for (const [limits, field] of wrong) {
    for (const answer of [await create(limits), await change(id, { limits })]) {
      expectRefusal(answer, '422 validation_failed', undefined, field);
      assert.equal(answer.body.error.details.field, field);
    }
  }
  expectRefusal(
    await change(id, { limits: { seats: 2 }, remove_limits: ['seats'] }),
    '422 validation_failed',
    undefined,
  );
  assert.deepEqual(await written(), before);
  const kept = expectStatus(await change(id, { limits: { seats: null, support: 'x'.repeat(80) } }), 200);
  assert.deepEqual(kept.package.limits, { seats: null, support: 'x'.repeat(80) });
});

test('a definition with a wrong key, kind or name is refused; names of JavaScript are names like any other', async () => {
  const before = await written();
  const bodies: [string, object][] = [
    ['Seats', seats],
    ['1st', seats],
    ['a-b', seats],
    ['__proto__', seats],
    ['x'.repeat(41), seats],
    ['fine', { ...seats, kind: 'number' }],
    ['fine', { kind: 'count' }],
    ['fine', { ...seats, name: { de: 'Plätze' } }],
    ['fine', { ...seats, name: { en: ' ' } }],
    ['fine', { ...seats, name: { en: 'x'.repeat(81) } }],
    ['fine', { ...seats, unit: { en: '' } }],
    ['fine', { ...seats, position: -1 }],
    ['fine', { ...seats, hidden: 'yes' }],
  ];
  for (const [key, body] of bodies) {
    expectRefusal(await service.admin.send('PUT', limitOf(key), body), '422 validation_failed', undefined);
  }
  assert.deepEqual(await written(), before);
  for (const key of ['constructor', 'hasownproperty', 'x'.repeat(40)]) {
    await define(key, seats);
    const made = expectStatus(await create({ [key]: 3 }, key), 201).package;
    assert.deepEqual(made.limits, { [key]: 3 });
    expectStatus(await change(made.id, { remove_limits: [key] }), 200);
    expectStatus(await remove(key), 200);
  }
});

test('there are 50 definitions at most; one that exists can still be changed', async () => {
  const free = 50 - (await keys()).length;
  for (let number = 1; number <= free; number += 1) await define(`number_${number}`, seats);
  expectRefusal(await service.admin.send('PUT', limitOf('one_more'), seats), '409 too_many_limits', {
    limit: 50,
  });
  const changed = await define('number_1', { ...seats, hidden: true });
  assert.equal(changed.hidden, true);
  expectStatus(await remove('number_1'), 200);
  await define('number_1', { ...seats, position: 1_000_000 });
  expectStatus(await remove('number_2'), 200);
  assert.equal((await define('number_2', seats))['position'], 1_000_000, 'the last position is shared');
  for (let number = 1; number <= free; number += 1) expectStatus(await remove(`number_${number}`), 200);
});

test('a definition can be set again, and each change is in the audit log', async () => {
  const first = await define('seats', seats);
  const before = await written();
  assert.deepEqual(await define('seats', seats), first);
  assert.deepEqual(await written(), before, 'the product need not read its entitlements again');
  await define('seats', { ...seats, hidden: true });
  const log = expectStatus(await service.admin.get(`${api}/audit?action=limit`), 200).data;
  assert.equal(log[0].action, 'limit.set');
  assert.equal(log[0].subject, 'limit seats');
});

test('a process of the previous version writes the three columns, and their values count', async () => {
  const ask = (text: string) => service.database.query({ name: '', text });
  const shown = async (id: number) =>
    expectStatus(await service.admin.get(`${api}/packages/${id}`), 200).package.limits;
  const [row] = await ask(`insert into packages (name, features, limit_accounts, limit_posts_per_day,
    limit_ai_images_per_month, duration_days, created_at) values ('Old', '{}', 4, 5, 6, 30, now()) returning id`);
  const id = Number(row?.['id']);
  assert.deepEqual(await shown(id), { accounts: 4, posts_per_day: 5, ai_images_per_month: 6 });
  await define('seats', seats);
  expectStatus(await change(id, { limits: { seats: 9 } }), 200);
  await ask(`update packages set name = 'Older', limit_accounts = 7, limit_posts_per_day = 5,
    limit_ai_images_per_month = 6 where id = ${id}`);
  const after = { accounts: 7, posts_per_day: 5, ai_images_per_month: 6, seats: 9 };
  assert.deepEqual(await shown(id), after);
  // Saving the same value again must not undo anything.
  expectStatus(await change(id, { limits: { accounts: 8 } }), 200);
  await ask(`update packages set limit_accounts = 7 where id = ${id}`);
  assert.deepEqual(await shown(id), { ...after, accounts: 8 });
});
