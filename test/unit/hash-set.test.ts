import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHashSet } from '../../src/features/auth/hash-set.ts';
import { lookupHash } from '../../src/features/identity/api-key.ts';

const hashes = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => lookupHash(`${name} ${index}`));

test('a set of hashes has what was added, once, and nothing else', () => {
  const set = createHashSet(1_000_000);
  const added = hashes('added', 50_000);
  for (const hash of added) {
    assert.equal(set.has(hash), false);
    set.add(hash);
    set.add(hash);
  }
  assert.equal(set.size(), added.length);
  for (const hash of added) assert.equal(set.has(hash), true);
  for (const hash of hashes('other', 50_000)) assert.equal(set.has(hash), false);
});

test('beyond its limit nothing is added, and what was there stays', () => {
  const set = createHashSet(100);
  const all = hashes('one', 300);
  for (const hash of all) set.add(hash);
  assert.equal(set.size(), 100);
  assert.deepEqual(all.filter(set.has), all.slice(0, 100));
});
