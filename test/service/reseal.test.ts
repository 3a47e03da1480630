// SECRET_KEY is replaced while a service runs. Every text can be opened at any time and, finally, with the new key alone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TOTP } from 'otpauth';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { createTotpStore } from '../../src/features/auth/totp-store.ts';
import { openApiKey, sealedKeys } from '../../src/features/identity/api-key-rows.ts';
import { type Database, inEachGroup } from '../../src/platform/database/database.ts';
import { createSeal } from '../../src/platform/secrets/seal.ts';
import { checkState, findState } from '../../src/platform/secrets/service-state.ts';
import { countSealed, resealTexts } from '../../src/setup/reseal.ts';
import { expectStatus } from '../harness/refusals.ts';

const [oldKey, newKey] = ['the key that is replaced, of 32 or more', 'the key that takes its place, of 32+'];
const old = createSeal(oldKey);
const both = createSeal(newKey, oldKey);
const young = createSeal(newKey);
const pendingSeconds = 900;
const revokedKeys = 450;
let service: TestService;

before(async () => {
  service = await startTestService({ environment: { SECRET_KEY: oldKey, SECRET_KEY_PREVIOUS: newKey } });
});
after(() => service?.close());

async function secretCheck(database: Database) {
  return String((await findState(database))?.secretKeyCheck);
}

test('everything is sealed again in pieces, from any state before, and opens at every moment', async () => {
  const { database, clock } = service;
  const owner = await service.createReseller();
  const texts = Array.from({ length: revokedKeys }, (_, index) =>
    old.seal(`revoked ${index}`, `api key of account ${owner.id}`),
  );
  await database.query(
    {
      name: '',
      text: `insert into api_keys (lookup_hash, account_id, sealed_key, last_four, created_at, revoked_at)
        select 'hash ' || place, $1::int, sealed, 'xxxx', now(), now()
        from unnest($2::text[]) with ordinality as s (sealed, place)`,
    },
    [owner.id, texts],
  );
  const totp = createTotpStore(database, old, pendingSeconds);
  const begun = await totp.begin({ id: owner.id, username: 'owner' }, null, clock.seconds);
  assert.ok(begun);
  // Secrets of the payment provider: the key, the webhook secret and the one before it.
  for (const webhookSecret of ['whsec_first', 'whsec_second']) {
    const set = await service.admin.send('PUT', '/api/admin/v1/payments', {
      methods: {
        card: { provider: 'stripe', enabled: true, secret_key: 'sk_test_1', webhook_secret: webhookSecret },
      },
      minimum: '10.00',
      maximum: '100.00',
    });
    assert.equal(set.status, 200, set.text);
  }
  // An erased customer's words are kept until the second pass.
  const body = { package_id: service.packages.basic, customer: 'forgotten' };
  await service.admin.post(`/api/admin/v1/accounts/${owner.id}/credit`, { amount: '100.00' });
  const { id } = expectStatus(await owner.post('/orders', body), 201).order.customer;
  expectStatus(await owner.post(`/customers/${id}/cancel`, { at: 'now' }), 200);
  expectStatus(await owner.post(`/customers/${id}/erase`, {}), 200);
  const all = revokedKeys + 7;
  assert.deepEqual(await countSealed(database, both), {
    current: 0,
    unnamed: 0,
    previous: all,
    unreadable: 0,
  });

  // The change was killed halfway: one text has the new key, and all can be opened.
  const [first] = await sealedKeys.list(database, 0);
  assert.ok(first);
  const renewed = both.seal(both.open(first.sealed, first.context), first.context);
  await sealedKeys.replace(database, [{ id: first.id, from: first.sealed, to: renewed }]);
  await sealedKeys.replace(database, [{ id: first.id, from: first.sealed, to: 'of one that came too late' }]);
  assert.equal(await openApiKey(database, both, owner.id), owner.key);
  assert.equal(checkState(both, await secretCheck(database)), 'previous');

  const done = await resealTexts(database, both);
  assert.deepEqual(done, { resealed: all - 1, current: all, unnamed: 0, previous: 0, unreadable: 0 });
  assert.equal(checkState(young, await secretCheck(database)), 'current');
  assert.equal((await resealTexts(database, young)).resealed, 0);
  assert.equal(await openApiKey(database, young, owner.id), owner.key);
  assert.equal(await openApiKey(database, young, service.admin.id), service.admin.key);
  assert.equal((await countSealed(database, old)).unreadable, all);
  assert.equal((await owner.get('/balance')).status, 200, 'a key is looked up by its hash');
  // Delete these keys, because the audit log does not contain them.
  await database.query({ name: '', text: "delete from api_keys where last_four = 'xxxx'" });
});

test('what neither key opens is counted and left as it is', async () => {
  const { database } = service;
  const [first] = await sealedKeys.list(database, 0);
  assert.ok(first);
  await sealedKeys.replace(database, [{ id: first.id, from: first.sealed, to: 'spoilt' }]);
  assert.equal((await resealTexts(database, both)).unreadable, 1);
  assert.equal((await sealedKeys.list(database, 0))[0]?.sealed, 'spoilt');
  await sealedKeys.replace(database, [{ id: first.id, from: 'spoilt', to: first.sealed }]);
});

test('a code that is spent while its secret is sealed again counts, once', async () => {
  const { database, clock } = service;
  const owner = await service.createReseller();
  const begun = await createTotpStore(database, old, pendingSeconds).begin(
    { id: owner.id, username: 'second' },
    null,
    clock.seconds,
  );
  const secret = begun?.secret ?? assert.fail('begun');
  const codeAt = (seconds: number) => new TOTP({ secret }).generate({ timestamp: seconds * 1000 });
  const enabled = await createTotpStore(database, both, pendingSeconds).enable(
    { actorId: owner.id, now: clock.seconds },
    codeAt(clock.seconds),
  );
  assert.ok(Array.isArray(enabled));
  let isResealed = false;
  const between = inEachGroup(database, (each) => ({
    ...each,
    async query(statement, values) {
      if (statement.name === 'spend_totp_step' && !isResealed) {
        isResealed = true;
        assert.equal((await resealTexts(database, both)).resealed, 2);
      }
      return each.query(statement, values);
    },
  }));
  const later = clock.seconds + 60;
  const store = createTotpStore(between, both, pendingSeconds);
  assert.equal(await store.spend(owner.id, codeAt(later), later), true);
  assert.ok(isResealed);
  assert.equal(await store.spend(owner.id, codeAt(later), later), false);
});

test('the second factor of someone who was invited is sealed again with the others, and bound to its person', async () => {
  const { database, clock } = service;
  const account = await service.createReseller();
  const invite = async (username: string): Promise<number> => {
    const body = { username, role: 'viewer' };
    const made = await service.admin.post(`/api/admin/v1/accounts/${account.id}/people`, body);
    return made.body.person.id;
  };
  const [id, other] = [await invite('sealed'), await invite('another')];
  const person = { id, accountId: account.id };
  const begun = await createTotpStore(database, old, pendingSeconds).begin(
    { id, username: 'sealed' },
    null,
    clock.seconds,
  );
  const secret = begun?.secret ?? assert.fail('begun');
  const codeAt = (seconds: number) => new TOTP({ secret }).generate({ timestamp: seconds * 1000 });
  const author = { actorId: account.id, now: clock.seconds };
  const totp = createTotpStore(database, both, pendingSeconds);
  assert.ok(await totp.enable(author, codeAt(clock.seconds), person));
  await resealTexts(database, both);
  assert.equal((await countSealed(database, young)).unreadable, 0);
  const later = clock.seconds + 60;
  const youngTotp = createTotpStore(database, young, pendingSeconds);
  assert.equal(await youngTotp.spend(id, codeAt(later), later), true);
  const move = 'update totp_secrets set person_id = $2::int where person_id = $1::int';
  await database.query({ name: '', text: move }, [id, other]);
  await assert.rejects(youngTotp.spend(other, codeAt(later + 60), later + 60));
  await database.query({ name: '', text: move }, [other, id]);
});
