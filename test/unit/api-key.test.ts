// API keys and seals (src/features/identity/api-key.ts).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isApiKey, lastFour, lookupHash, mintApiKey } from '../../src/features/identity/api-key.ts';
import { randomBase62 } from '../../src/platform/secrets/random-text.ts';
import { createSeal } from '../../src/platform/secrets/seal.ts';

describe('a key', () => {
  const keys = Array.from({ length: 500 }, () => mintApiKey('live'));

  test('has the documented shape, and no two are the same', () => {
    for (const key of keys) assert.match(key, /^sk_live_[0-9A-Za-z]{46}$/);
    assert.equal(new Set(keys).size, keys.length);
  });

  test('is known by its checksum: one character changed anywhere, or two swapped, and it is not a key', () => {
    for (const key of keys.slice(0, 40)) {
      assert.equal(isApiKey(key, 'any'), true);
      for (let place = 8; place < key.length; place += 1) {
        const other = key.charAt(place) === 'x' ? 'y' : 'x';
        assert.equal(isApiKey(key.slice(0, place) + other + key.slice(place + 1), 'any'), false);
        const [one, two] = [key.charAt(place), key.charAt(place + 1)];
        if (two !== '' && one !== two)
          assert.equal(isApiKey(key.slice(0, place) + two + one + key.slice(place + 2), 'any'), false);
      }
    }
  });

  test('is nothing else', () => {
    const [key = ''] = keys;
    const others = [
      '',
      key.slice(1),
      key.slice(0, -1),
      `${key} `,
      ` ${key}`,
      `${key}\n`,
      key.replace('live', 'test'),
      key.toUpperCase(),
      `sk_live_${'0'.repeat(46)}`,
    ];
    for (const other of others) assert.equal(isApiKey(other, 'any'), false, JSON.stringify(other));
  });

  test('is looked up by a hash that is always the same and does not contain it', () => {
    const [key = '', another = ''] = keys;
    assert.equal(lookupHash(key), lookupHash(key));
    assert.notEqual(lookupHash(key), lookupHash(another));
    assert.match(lookupHash(key), /^[\w-]{43}$/);
    assert.equal(lastFour('sk_live_abcdWXYZ'), 'WXYZ');
  });
});

test('random characters are base62, of the length asked for, each about as often as the others', () => {
  const text = randomBase62(248_000);
  assert.match(text, /^[0-9A-Za-z]{248000}$/);
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.equal(counts.size, 62);
  // Each should come 4,000 times, give or take 63. Bytes modulo 62 would give the first eight characters 4,844 times.
  for (const [character, count] of counts) assert.ok(count > 3500 && count < 4500, `${character}: ${count}`);
  assert.deepEqual(
    [0, 1, 22].map((length) => randomBase62(length).length),
    [0, 1, 22],
  );
});

describe('a seal', () => {
  const seal = createSeal('a secret of at least 32 characters');

  test('opens under the same secret and context, and never twice to the same sealed text', () => {
    const sealed = seal.seal('sk_live_€', 'account 7');
    assert.equal(seal.open(sealed, 'account 7'), 'sk_live_€');
    assert.equal(createSeal('a secret of at least 32 characters').open(sealed, 'account 7'), 'sk_live_€');
    assert.notEqual(seal.seal('sk_live_€', 'account 7'), sealed);
    assert.equal(seal.open(seal.seal('', ''), ''), '');
  });

  test('does not open under another secret or context, changed, cut or made up', () => {
    const sealed = seal.seal('text', 'account 7');
    const swapped = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1);
    assert.throws(() => seal.open(sealed, 'account 8'));
    assert.throws(() => createSeal('another secret of 32 characters..').open(sealed, 'account 7'));
    assert.throws(() => seal.open(swapped, 'account 7'));
    for (const length of [0, 5, 12, 20, 28, sealed.length - 4])
      assert.throws(() => seal.open(sealed.slice(0, length), 'account 7'), `${length} characters`);
  });
});

describe('a seal whose key is replaced', () => {
  const [old, young] = ['a secret of at least 32 characters', 'the secret that takes its place, 32+'];
  const before = createSeal(old);
  const between = createSeal(young, old);
  const after = createSeal(young);
  /** Made by the first edition, whose texts did not name their key. */
  const unnamed = 'GeoZaiVPf-6whW_evtzbsl-kfnXiAIevp8lWqkHGRH59BHkqlhmQ';

  test('names its key, and the name is the same for the same key and says nothing of it', () => {
    const sealed = before.seal('text', 'account 7');
    assert.match(sealed, /^[\w-]{8}\.[\w-]+$/);
    assert.ok(sealed.startsWith(`${before.keyName}.`));
    assert.equal(createSeal(old, young).keyName, before.keyName);
    assert.notEqual(between.keyName, before.keyName);
    assert.ok(!Buffer.from(old).includes(Buffer.from(before.keyName, 'base64url')));
  });

  test('opens what the key before it sealed, and seals with its own', () => {
    const sealed = before.seal('text', 'account 7');
    assert.equal(between.open(sealed, 'account 7'), 'text');
    assert.throws(() => after.open(sealed, 'account 7'), /a key that is not known here/);
    assert.throws(() => between.open(sealed, 'account 8'));
    const renewed = between.seal('text', 'account 7');
    assert.equal(after.open(renewed, 'account 7'), 'text');
    assert.throws(() => before.open(renewed, 'account 7'));
    assert.equal(createSeal(old, young).open(renewed, 'account 7'), 'text', 'a process that comes second');
  });

  test('opens texts from before there were names, with either key', () => {
    for (const seal of [before, between]) assert.equal(seal.open(unnamed, 'account 7'), 'sk_live_old');
    assert.throws(() => after.open(unnamed, 'account 7'));
  });

  test('shows what is sealed under which key', () => {
    const states = [before.seal('', ''), between.seal('', ''), 'not sealed'].map((sealed) =>
      [before, between, after].map((seal) => seal.stateOf(sealed, '')),
    );
    assert.deepEqual(states, [
      ['current', 'previous', 'unreadable'],
      ['unreadable', 'current', 'current'],
      ['unreadable', 'unreadable', 'unreadable'],
    ]);
    assert.deepEqual(
      [before, between, after].map((seal) => seal.stateOf(unnamed, 'account 7')),
      ['unnamed', 'previous', 'unreadable'],
    );
  });
});

test('every column of sealed texts is resealed', () => {
  const schema = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8');
  const columns = [...schema.matchAll(/^(\w+\.(?:sealed_\w+|secret_key_check)) /gm)].map(([, name]) => name);
  // These are sealedKeys, sealedErasures, sealedSecrets, sealedMails and sealedWebhookSecrets (setup/reseal.ts), followed by the check.
  assert.deepEqual(columns, [
    'api_keys.sealed_key',
    'erasures.sealed_words',
    'mails.sealed_body',
    'service_state.secret_key_check',
    'totp_secrets.sealed_secret',
    'webhooks.sealed_secret',
    'webhooks.sealed_previous_secret',
  ]);
});
