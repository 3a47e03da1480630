// Setting up endpoints: what is accepted and refused, repeated keys, what is never shown again, and what is deleted.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { shortenLogs } from '../../src/features/webhooks/delivery-log.ts';
import { resealTexts } from '../../src/setup/reseal.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

let service: TestService;
let receiver: WebhookReceiver;
before(async () => {
  receiver = await startWebhookReceiver();
  service = await startTestService({
    environment: { OUTBOUND_ALLOW: '127.0.0.0/8' },
    limits: {
      outbound: { callMilliseconds: 1_000 },
      webhookTests: { atOnceMax: 1, waitingMax: 1, waitMilliseconds: 5_000 },
    },
  });
});
after(async () => {
  await service.close();
  await receiver.close();
});

const sql = (text: string) => service.database.query({ name: '', text });

async function create(account: TestAccount, body: object = {}, headers: Record<string, string> = {}) {
  return account.post('/webhooks', { url: receiver.at('/').url, ...body }, headers);
}

async function rowsOf(...tables: string[]): Promise<number[]> {
  return Promise.all(
    tables.map(async (table) =>
      Number((await sql(`select count(*)::int as rows from ${table}`))[0]?.['rows']),
    ),
  );
}

describe('what is set up', () => {
  test('is shown, listed, changed and deleted, with its entries in the audit log; its secret is shown once', async () => {
    const account = await service.createReseller();
    const made = await create(account, { types: ['order.completed'], description: 'The shop' });
    assert.equal(made.status, 201, made.text);
    const { webhook, secret } = made.body;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(
      [webhook.types, webhook.description, webhook.enabled, webhook.failing_since, webhook.disabled_at],
      [['order.completed'], 'The shop', true, null, null],
    );
    const path = `/webhooks/${webhook.id}`;
    assert.deepEqual((await account.get(path)).body, { webhook });
    assert.deepEqual((await account.get('/webhooks')).body, { data: [webhook] });
    const changed = await account.patch(path, { types: [], description: null, enabled: false });
    assert.deepEqual(changed.body.webhook, { ...webhook, types: [], description: null, enabled: false });
    const rotated = await account.post(`${path}/secret`, {});
    assert.notEqual(rotated.body.secret, secret);
    assert.ok(rotated.body.webhook.previous_secret_until);
    assert.deepEqual((await account.send('DELETE', path)).body, { deleted: true });
    expectRefusal(await account.get(path), '404 webhook_not_found', {});
    const { data } = (await service.admin.get('/api/admin/v1/audit?limit=4')).body;
    assert.deepEqual(
      data.map((entry: { action: string; subject: string }) => [entry.action, entry.subject]),
      ['delete', 'new_secret', 'update', 'create'].map((verb) => [
        `webhook.${verb}`,
        `webhook ${webhook.id}`,
      ]),
    );
    assert.ok(!JSON.stringify(data).includes('whsec_'));
    assert.ok(!JSON.stringify(service.logLines).includes('whsec_'));
  });

  test('an account reaches only its own endpoints', async () => {
    const [owner, outsider] = [await service.createReseller(), await service.createReseller()];
    const { webhook } = (await create(owner)).body;
    const path = `/webhooks/${webhook.id}`;
    for (const answer of [
      await outsider.get(path),
      await outsider.patch(path, { enabled: false }),
      await outsider.send('DELETE', path),
      await outsider.post(`${path}/test`),
      await outsider.post(`${path}/secret`, {}),
      await outsider.get(`${path}/deliveries`),
      await outsider.post(`${path}/redeliver`, { from: '2026-01-01T00:00:00Z' }),
      await service.admin.get(`/api/admin/v1${path}`),
      await owner.get('/webhooks/0'),
      await owner.get('/webhooks/99999999999'),
    ]) {
      expectRefusal(answer, '404 webhook_not_found', {});
    }
    assert.deepEqual((await outsider.get('/webhooks')).body, { data: [] });
  });

  test('ten at most; the eleventh is refused, and deleting one makes room', async () => {
    const account = await service.createReseller();
    const ids: number[] = [];
    for (let count = 0; count < 10; count += 1) ids.push((await create(account)).body.webhook.id);
    expectRefusal(await create(account), '409 too_many_webhooks', { limit: 10 });
    assert.equal((await account.send('DELETE', `/webhooks/${ids[0]}`)).status, 200);
    assert.equal((await create(account)).status, 201);
  });

  const badUrls: readonly (readonly [string, unknown])[] = [
    ['an inner address by https', 'https://10.0.0.1/'],
    ['a metadata address', 'http://169.254.169.254/latest'],
    ['plain http outside', 'http://198.51.100.7/'],
    ['credentials', 'https://user:secret@127.0.0.1/'],
    ['another scheme', 'ftp://127.0.0.1/'],
    ['no address', 'shop'],
    ['nothing', ''],
    ['ten kilobytes', `http://127.0.0.1/${'x'.repeat(10_000)}`],
    ['a number', 5],
  ];
  for (const [what, url] of badUrls) {
    test(`an address with ${what} is refused, at creation and at change`, async () => {
      const account = await service.createReseller();
      for (const answer of [
        await create(account, { url }),
        await account.patch(`/webhooks/${(await create(account)).body.webhook.id}`, { url }),
      ]) {
        expectRefusal(answer, '422 validation_failed');
        assert.equal(answer.body.error.details.field, 'url');
      }
    });
  }

  test('a type that there is not, hours beyond a week and other nonsense are refused', async () => {
    const account = await service.createReseller();
    const path = `/webhooks/${(await create(account)).body.webhook.id}`;
    expectRefusal(await create(account, { types: ['order.complete'] }), '422 validation_failed');
    expectRefusal(await create(account, { types: 'order.completed' }), '422 validation_failed');
    expectRefusal(await create(account, { enabled: 'yes' }), '422 validation_failed');
    for (const hours of [-1, 169, 1.5, '24']) {
      expectRefusal(await account.post(`${path}/secret`, { overlap_hours: hours }), '422 validation_failed');
    }
    for (const query of ['status=lost', 'page=2&status=failed', 'cursor=made-up']) {
      const answer = await account.get(`${path}/deliveries?${query}`);
      assert.equal(answer.status, 422, answer.text);
    }
  });
});

test('test events to an endpoint that hangs are few at once; the others of an account have to wait', async () => {
  const account = await service.createReseller();
  const { webhook } = (await create(account, { url: receiver.at('/hangs').url })).body;
  receiver.at('/hangs').answer = () => null;
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => account.post(`/webhooks/${webhook.id}/test`)),
  );
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 1);
  assert.equal(refused[0]?.body.error.details.at_once, 1);
  for (const { body } of answers.filter(({ status }) => status === 200)) {
    assert.deepEqual([body.delivered, body.reason], [false, 'timeout']);
  }
});

describe('asked again with the same key', () => {
  test('an endpoint is made once, and its secret is in the first answer alone', async () => {
    const account = await service.createReseller();
    const key = { 'idempotency-key': 'made-once' };
    const first = await create(account, {}, key);
    const again = await create(account, {}, key);
    assert.deepEqual([again.status, again.body.secret], [201, null]);
    assert.deepEqual(again.body.webhook, first.body.webhook);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await account.get('/webhooks')).body.data.length, 1);
    expectRefusal(await create(account, { enabled: false }, key), '409 idempotency_conflict', {});
  });

  test('a secret is changed once, a change is made once, and a deletion stays one', async () => {
    const account = await service.createReseller();
    const path = `/webhooks/${(await create(account)).body.webhook.id}`;
    const rotate = () => account.post(`${path}/secret`, {}, { 'idempotency-key': 'rotate' });
    const [rotated, again] = [await rotate(), await rotate()];
    assert.ok(rotated.body.secret !== null && again.body.secret === null);
    const off = () => account.patch(path, { enabled: false }, { 'idempotency-key': 'off' });
    await off();
    await account.patch(path, { enabled: true });
    const late = await off();
    assert.deepEqual([late.body.webhook.enabled, late.headers.get('idempotent-replayed')], [true, 'true']);
    const remove = () => account.send('DELETE', path, undefined, { 'idempotency-key': 'gone' });
    assert.deepEqual([(await remove()).status, (await remove()).body], [200, { deleted: true }]);
    expectRefusal(await rotate(), '404 webhook_not_found', {});
  });
});

test('hundreds of endpoints, made and deleted in a loop, leave nothing behind', async () => {
  const tables = ['webhooks', 'webhook_attempts', 'webhook_retries', 'webhook_requests', 'webhook_leftovers'];
  const account = await service.createReseller();
  const before = await rowsOf(...tables);
  for (let round = 0; round < 200; round += 1) {
    const { id } = (await create(account)).body.webhook;
    await sql(`insert into webhook_retries values (${id}, ${account.id}, 1, 0, now(), 1)`);
    await sql(`insert into webhook_attempts select ${id}, n, ${account.id}, 1, 'plan.expired', 1, now(), 'failed', 500, null, 1, ''
      from generate_series(1, ${round === 0 ? 2_500 : 3}) n`);
    assert.equal((await account.send('DELETE', `/webhooks/${id}`)).status, 200);
  }
  const never = new AbortController().signal;
  const limits = { keptSeconds: 30 * 86_400, keptPerWebhookMax: 100 };
  assert.equal(await shortenLogs(service.database, limits, service.clock.seconds, never), 0);
  assert.deepEqual(await rowsOf(...tables), before);
});

test('the log is kept for thirty days, and so many attempts at most; keys forever', async () => {
  const account = await service.createReseller();
  const { id } = (await create(account, {}, { 'idempotency-key': 'old' })).body.webhook;
  const day = 86_400;
  await sql(`insert into webhook_attempts select ${id}, n, ${account.id}, 1, 'plan.expired', 1,
      to_timestamp(${service.clock.seconds} - (300 - n) * 86400), 'failed', 500, null, 1, '' from generate_series(1, 300) n`);
  await sql(`update webhooks set attempt_count = 300 where id = ${id}`);
  const never = new AbortController().signal;
  const shorten = (keptPerWebhookMax: number, ahead = 0) =>
    shortenLogs(
      service.database,
      { keptSeconds: 30 * day, keptPerWebhookMax },
      service.clock.seconds + ahead,
      never,
    );
  const left = async () =>
    (await sql(`select number from webhook_attempts where webhook_id = ${id} order by number`)).map((row) =>
      Number(row['number']),
    );
  await shorten(1_000);
  assert.deepEqual((await left()).slice(0, 1).concat((await left()).length), [270, 31]);
  await shorten(10);
  assert.deepEqual(await left(), [291, 292, 293, 294, 295, 296, 297, 298, 299, 300]);
  const pages: number[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await account.get(`/webhooks/${id}/deliveries?limit=4&cursor=${cursor}`);
    pages.push(body.data.length);
    if (body.next_cursor === null) break;
    cursor = body.next_cursor;
  }
  assert.deepEqual(pages, [4, 4, 2]);
  await shorten(10, 1_000 * day);
  const again = await create(account, {}, { 'idempotency-key': 'old' });
  assert.deepEqual([again.body.webhook.id, again.headers.get('idempotent-replayed')], [id, 'true']);
});

test('secrets are sealed, and are sealed again with everything else', async () => {
  const account = await service.createReseller();
  const { webhook, secret } = (await create(account)).body;
  await account.post(`/webhooks/${webhook.id}/secret`, {});
  const [row] = await sql(
    `select sealed_secret, sealed_previous_secret from webhooks where id = ${webhook.id}`,
  );
  const context = `webhook secret of account ${account.id}`;
  const { seal } = service.service;
  assert.equal(seal.open(String(row?.['sealed_previous_secret']), context), secret);
  // Like a text from before texts named their key.
  const [, unnamed] = String(row?.['sealed_secret']).split('.');
  await sql(`update webhooks set sealed_secret = '${unnamed}' where id = ${webhook.id}`);
  assert.equal((await resealTexts(service.database, seal)).unnamed, 0);
  const [after] = await sql(`select sealed_secret from webhooks where id = ${webhook.id}`);
  assert.equal(seal.stateOf(String(after?.['sealed_secret']), context), 'current');
});
