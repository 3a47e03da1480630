import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, mintPassword, verifyPassword } from '../../src/identity/password.ts';

test('a password opens its own hash and no other does', async () => {
  const password = mintPassword();
  const stored = await hashPassword(password);
  assert.equal(await verifyPassword(password, stored), true);
  assert.equal(await verifyPassword(`${password} `, stored), false);
  assert.equal(await verifyPassword('', stored), false);
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
