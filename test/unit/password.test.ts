import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hashPassword,
  isOutdatedHash,
  mintPassword,
  passwordCost,
  verifyPassword,
} from '../../src/platform/secrets/password-hash.ts';
import { Overloaded } from '../../src/shared/overloaded.ts';

test('a password opens its own hash and no other does', async () => {
  const password = mintPassword();
  const stored = await hashPassword(password);
  assert.equal(await verifyPassword(password, stored), true);
  assert.equal(await verifyPassword(`${password} `, stored), false);
  assert.equal(await verifyPassword('', stored), false);
});

test('a password that is generated has 128 random bits, of letters and digits', () => {
  const password = mintPassword();
  assert.match(password, /^[0-9A-Za-z]+$/);
  assert.ok(password.length * Math.log2(62) >= 128, password);
});

test('a hash is argon2id in the PHC format, with a salt of its own', async () => {
  const [first, second] = await Promise.all([
    hashPassword('the same password'),
    hashPassword('the same password'),
  ]);
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(first, second);
});

test('a stored text that is no hash of ours opens nothing', async () => {
  for (const stored of ['', 'none', '$argon2id$v=19$m=1,t=1,p=1$', '$2b$10$abcdefghijklmnopqrstuv']) {
    assert.equal(await verifyPassword('none', stored), false);
  }
});

test('a network that fills the queue keeps only its own passwords waiting', async () => {
  // A hash that takes a few milliseconds. It is verified by the parameters that it contains.
  const stored =
    '$argon2id$v=19$m=4096,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const ended: string[] = [];
  const check = (network: string) =>
    verifyPassword('wrong', stored, network).then(
      () => ended.push(network),
      (error: unknown) => {
        assert.ok(error instanceof Overloaded);
        ended.push(`${network} refused`);
      },
    );
  const flood = Array.from({ length: 100 }, () => check('2001:db8:1'));
  const honest = ['198.51.100', '203.0.113'].map(check);
  await Promise.all([...flood, ...honest]);
  const refused = ended.filter((each) => each === '2001:db8:1 refused').length;
  assert.equal(refused, 40, 'of 100 two run and 60 wait; two of them make room');
  assert.equal(ended.filter((each) => each.startsWith('2001:db8:1')).length, 100);
  for (const network of ['198.51.100', '203.0.113']) {
    // It starts among the first five, but on a busy machine others may end before. Without turns it would be last.
    const place = ended.filter((each) => !each.endsWith('refused')).indexOf(network);
    assert.ok(place >= 0 && place < 40, `${network} is number ${place + 1}`);
  }
});

test('a hash is outdated once a guess at it costs less memory or fewer passes than today’s', async () => {
  const { memory, passes } = passwordCost;
  const stored = await hashPassword('the same password');
  assert.equal(isOutdatedHash(stored, passwordCost), false);
  assert.equal(isOutdatedHash(stored, { memory: memory + 1, passes }), true);
  assert.equal(isOutdatedHash(stored, { memory, passes: passes + 1 }), true);
  assert.equal(isOutdatedHash(stored, { memory: memory - 1, passes }), false, 'never made cheaper');
  assert.equal(isOutdatedHash('none', passwordCost), false);
});
