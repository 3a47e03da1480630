import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInLanes } from '../../scripts/test-lanes.ts';

test('what waits for something holds up no one else, and begins as soon as that is there, even if it failed', async () => {
  const begun: string[] = [];
  const work = (name: string, after?: Promise<unknown>) => ({
    weight: 1,
    after,
    run: async () => {
      begun.push(name);
    },
  });
  const server = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<void>();
  const all = runInLanes(
    [work('on the server', server.promise), work('on the broken one', broken.promise), work('alone')],
    1,
  );
  await turn();
  assert.deepEqual(begun, ['alone']);
  broken.reject(new Error('it did not start'));
  await turn();
  assert.deepEqual(begun, ['alone', 'on the broken one']);
  server.resolve();
  await all;
  assert.deepEqual(begun, ['alone', 'on the broken one', 'on the server']);
});

test('no more run at once than fit, and a smaller one passes a larger', async () => {
  const running = new Set<string>();
  const ends = new Map<string, () => void>();
  const work = (name: string, weight: number) => ({
    weight,
    run: async () => {
      running.add(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.delete(name);
    },
  });
  const all = runInLanes([work('first', 1), work('large', 1), work('small', 0.5)], 1.5);
  await turn();
  assert.deepEqual([...running], ['first', 'small']);
  ends.get('first')?.();
  await turn();
  assert.deepEqual([...running], ['small', 'large']);
  ends.get('small')?.();
  ends.get('large')?.();
  await all;
});

test('work of one queue runs one after another, and other work passes it', async () => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string, queue?: string) => ({
    weight: 1,
    queue,
    run: async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    },
  });
  const all = runInLanes([work('first', 'one'), work('second', 'one'), work('other')], 2);
  await turn();
  assert.deepEqual(begun, ['first', 'other']);
  ends.get('other')?.();
  await turn();
  assert.deepEqual(begun, ['first', 'other']);
  ends.get('first')?.();
  await turn();
  assert.deepEqual(begun, ['first', 'other', 'second']);
  ends.get('second')?.();
  await all;
});

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
