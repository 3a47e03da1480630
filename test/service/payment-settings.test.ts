// The settings of payments: methods, secrets that are sealed and never shown, limits.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const path = '/api/admin/v1/payments';
const bank = { enabled: true, holder: 'Example Ltd', iban: 'DE89 3704 0044 0532 0130 00' };
const card = {
  provider: 'stripe',
  secret_key: 'sk_test_51Example',
  webhook_secret: 'whsec_FirstSecret',
  enabled: true,
};
const limits = { minimum: '10', maximum: '5000.00' };

test('a currency that the provider counts without cents takes no cards', async () => {
  const other = await startTestService({ environment: { CURRENCY: 'MGA' } });
  try {
    const set = (methods: object) => other.admin.send('PUT', path, { ...limits, methods });
    expectRefusal(await set({ card }), '422 validation_failed');
    expectStatus(await set({ bank_transfer: bank }), 200);
  } finally {
    await other.close();
  }
});

const put = (body: object) => service.admin.send('PUT', path, { ...limits, ...body });
const shown = async () => expectStatus(await service.admin.get(path), 200).payments;

test('a new service takes no payments, and has limits that fit most', async () => {
  assert.deepEqual(await shown(), {
    methods: {},
    minimum: '10.00',
    maximum: '10000.00',
    daily_maximum: null,
    currency: 'USD',
  });
});

test('methods are set and shown without secrets, and a method that is left out is removed', async () => {
  const set = expectStatus(await put({ methods: { card, bank_transfer: bank }, daily_maximum: '5000' }), 200);
  assert.deepEqual(set.payments, {
    methods: {
      card: { provider: 'stripe', enabled: true, is_test: true, previous_webhook_secret_until: null },
      bank_transfer: { enabled: true, holder: 'Example Ltd', iban: 'DE89370400440532013000', bic: null },
    },
    minimum: '10.00',
    maximum: '5000.00',
    daily_maximum: '5000.00',
    currency: 'USD',
  });
  const again = { provider: 'stripe', enabled: false };
  const kept = expectStatus(await put({ methods: { card: again, bank_transfer: bank } }), 200).payments;
  assert.deepEqual(
    [kept.methods.card.enabled, kept.methods.card.is_test, kept.daily_maximum],
    [false, true, null],
  );
  const rows = JSON.stringify(
    await service.database.query({
      name: '',
      text: 'select card_key_sealed, card_webhook_sealed from payment_settings',
    }),
  );
  const log = expectStatus(await service.admin.get('/api/admin/v1/audit?limit=5'), 200);
  for (const secret of [card.secret_key, card.webhook_secret])
    assert.ok(!`${rows}${JSON.stringify(log)}`.includes(secret.slice(8)));

  assert.deepEqual(expectStatus(await put({ methods: {} }), 200).payments.methods, {});
  expectRefusal(await put({ methods: { card: again } }), '422 validation_failed', {
    field: 'methods.card.secret_key',
    reason: 'is needed the first time',
  });
});

test('a webhook secret that was replaced is accepted for a day', async () => {
  expectStatus(await put({ methods: { card } }), 200);
  const same = expectStatus(await put({ methods: { card } }), 200).payments.methods.card;
  assert.equal(same.previous_webhook_secret_until, null);
  const [logged] = expectStatus(await service.admin.get('/api/admin/v1/audit?limit=1'), 200).data;
  assert.deepEqual([logged.action, logged.after.secrets_changed], ['payments.update', undefined]);
  const rolled = { ...card, webhook_secret: 'whsec_SecondSecret' };
  service.clock.seconds = Date.parse('2026-03-01T12:00:00Z') / 1000;
  const until = expectStatus(await put({ methods: { card: rolled } }), 200).payments.methods.card;
  assert.equal(until.previous_webhook_secret_until, '2026-03-02T12:00:00Z');
  service.clock.seconds += 86_400;
  assert.equal((await shown()).methods.card.previous_webhook_secret_until, null);
});

test('what cannot be set is refused with its field, and nothing changes', async () => {
  const earlier = await shown();
  const refusals: readonly (readonly [object, string])[] = [
    [
      { methods: { bank_transfer: { ...bank, iban: 'DE89370400440532013001' } } },
      'methods.bank_transfer.iban',
    ],
    [{ methods: { bank_transfer: { ...bank, bic: 'NOBIC' } } }, 'methods.bank_transfer.bic'],
    [{ methods: { bank_transfer: { ...bank, holder: ' ' } } }, 'methods.bank_transfer.holder'],
    [{ methods: { card: { ...card, secret_key: 'pk_test_1' } } }, 'methods.card.secret_key'],
    [{ methods: { card: { ...card, webhook_secret: 'secret' } } }, 'methods.card.webhook_secret'],
    [{ methods: { card: { ...card, provider: 'paypal' } } }, 'methods.card.provider'],
    [{ methods: {}, minimum: '0.00' }, 'minimum'],
    [{ methods: {}, minimum: '-1' }, 'minimum'],
    [{ methods: {}, minimum: '10.001' }, 'minimum'],
    [{ methods: {}, maximum: '9.99' }, 'maximum'],
    [{ methods: {}, maximum: '100000000.01' }, 'maximum'],
    [{ methods: {}, daily_maximum: '4999.99' }, 'daily_maximum'],
  ];
  for (const [body, field] of refusals) {
    const { error } = expectStatus(await put(body), 422);
    assert.deepEqual([error.code, error.details.field], ['validation_failed', field]);
  }
  assert.deepEqual(await shown(), earlier);
});
