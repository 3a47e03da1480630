import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue } from '../../src/platform/limits/fair-queue.ts';

function shiftAll(queue: { shift(): string | undefined }): string[] {
  const all: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) all.push(item);
  return all;
}

test('parties take turns, and each is served in the order it came', () => {
  const queue = createFairQueue<string, string>(10);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'])
    assert.equal(queue.push(item.charAt(0), item), null);
  assert.equal(queue.size(), 6);
  assert.deepEqual(shiftAll(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  assert.deepEqual([queue.size(), queue.shift()], [0, undefined]);
});

test('a full queue drops the newest item of the account with most, for an account with fewer', () => {
  const queue = createFairQueue<string, string>(4);
  for (const item of ['a1', 'a2', 'a3', 'a4']) assert.equal(queue.push('a', item), null);
  assert.equal(queue.push('a', 'a5'), 'a5', 'anyone who has most gets no more');
  assert.equal(queue.push('b', 'b1'), 'a4');
  assert.equal(queue.push('b', 'b2'), 'a3');
  assert.equal(queue.push('b', 'b3'), 'b3', 'both have the same');
  assert.equal(queue.push('c', 'c1'), 'a2');
  assert.equal(queue.push('d', 'd1'), 'b2');
  assert.equal(queue.push('e', 'e1'), 'e1', 'everybody has one');
  assert.deepEqual(shiftAll(queue), ['a1', 'b1', 'c1', 'd1']);
});

test('anyone who had most has none the more for it once it was served', () => {
  const queue = createFairQueue<string, string>(3);
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
  shiftAll(queue);
  for (const item of ['b1', 'b2', 'c1']) assert.equal(queue.push(item.charAt(0), item), null);
  assert.equal(queue.push('c', 'c2'), 'c2');
  assert.equal(queue.push('d', 'd1'), 'b2');
});
