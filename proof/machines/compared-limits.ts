// Compares the shared limits' script, on a real server, with a naive model: random operations on a few keys, at times that
// advance, stand still and go back. Called by long-shared-limits.ts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Redis } from 'iovalkey';
import { createRandom, type Random } from '../../src/setup/demo-year/seeded-random.ts';
import { createLimitModel } from '../../test/harness/limit-model.ts';

const scriptFile = new URL('../../src/platform/limits/shared-limits.lua', import.meta.url);
/** Replaces the server's own time, which cannot be set. */
const clockKey = 'the time of this test';
const second = 1_000_000;
const leases = [0, 500_000];
const limits = [1, 3, 5, 40, 250];
/** The window is short compared to the time that passes, so that much expires. */
const length = 60 * second;

export async function compareWithModel(url: string, seed: number, calls: number): Promise<number> {
  const text = readFileSync(scriptFile, 'utf8').replace(
    "redis.call('TIME')",
    `redis.call('LRANGE', '${clockKey}', 0, 1)`,
  );
  assert.ok(text.includes(clockKey), 'the script asks for the time in another way');
  const client = new Redis(url);
  const random = createRandom(seed);
  const model = createLimitModel();
  let now = 1_790_000_000 * second;
  let operations = 0;
  const moments = new Map<string, number[]>();
  const counts: { readonly pair: string; readonly count: number; readonly moment: number }[] = [];
  try {
    await client.flushall();
    for (let done = 0; done < calls; done += 1) {
      now += step(random);
      await client
        .multi()
        .del(clockKey)
        .rpush(clockKey, String(Math.floor(now / second)), String(now % second))
        .exec();
      const keys: string[] = [];
      const words = [String(random.pick(leases))];
      for (let left = 1 + random.below(4); left > 0; left -= 1) {
        operations += 1;
        write(random, { keys, words, moments, counts });
      }
      const expected = model.run(keys, words, now);
      const answer = await client.call('EVAL', [text, keys.length, ...keys, ...words]);
      assert.deepEqual(
        answer,
        expected,
        `seed ${seed}, call ${done}: ${words.join(' ')} of ${keys.join(' ')}`,
      );
      remember(keys, words, expected, { moments, counts, now });
    }
  } finally {
    client.disconnect();
  }
  return operations;
}

function step(random: Random): number {
  const kind = random.below(100);
  if (kind < 50) return 0;
  if (kind < 85) return random.below(2 * second);
  if (kind < 97) return random.below(30 * second);
  if (kind < 98) return length;
  return -random.below(kind === 98 ? second : 3_600 * second);
}

interface Memory {
  readonly moments: Map<string, number[]>;
  readonly counts: { readonly pair: string; readonly count: number; readonly moment: number }[];
}

function write(
  random: Random,
  { keys, words, moments, counts }: Memory & { readonly keys: string[]; readonly words: string[] },
): void {
  const put = (...numbers: readonly number[]) => words.push(...numbers.map(String));
  const momentOf = (key: string) => random.pick(moments.get(key) ?? [1]);
  const windowCount = 1 + random.below(2);
  const chosen = random.below(3);
  const windows = [`window ${chosen}`, `window ${(chosen + 1) % 3}`].slice(0, windowCount);
  const pairs = [`pair ${random.below(2)}`];
  const failures = [2, 10 * second, 60 * second];
  switch (random.pick(['take', 'take', 'take', 'take', 'back', 'try', 'undo', 'forget'])) {
    case 'take':
      words.push('take');
      put(windowCount, random.pick([0, 1, 1, 1, 2, 7, 50]), random.pick([0, 0, 2, 20]));
      put(random.below(2), random.below(2));
      for (const key of windows) {
        keys.push(key);
        put(length, random.pick(limits), random.below(4) === 0 ? momentOf(key) : 0);
      }
      break;
    case 'back':
      words.push('back');
      put(windowCount);
      for (const key of windows) {
        keys.push(key);
        put(length, momentOf(key), 1 + random.below(3));
      }
      break;
    case 'try':
      words.push('try');
      put(pairs.length, windowCount);
      for (const key of pairs) {
        keys.push(key);
        put(...failures);
      }
      for (const key of windows) {
        keys.push(key);
        put(length, random.pick(limits));
      }
      break;
    case 'undo': {
      const tried = counts.length === 0 ? { pair: 'pair 0', count: 1, moment: 1 } : random.pick(counts);
      words.push('undo');
      put(1, ...failures, tried.count, tried.moment);
      keys.push(tried.pair);
      break;
    }
    default:
      words.push('forget');
      put(pairs.length);
      keys.push(...pairs);
  }
}

function remember(
  keys: readonly string[],
  words: readonly string[],
  answer: readonly number[],
  { moments, counts, now }: Memory & { readonly now: number },
): void {
  const [, name, first] = words;
  if (name === 'take' && answer.length === 5 + 3 * Number(first)) {
    for (const [place, key] of keys.entries()) {
      const moment = answer[7 + 3 * place] ?? 0;
      if (moment > 0) moments.set(key, [...(moments.get(key) ?? []), moment].slice(-20));
    }
  }
  const [pair] = keys;
  if (name === 'try' && answer[1] === 1 && pair !== undefined) {
    counts.push({ pair, count: answer[3] ?? 0, moment: now });
    counts.splice(0, counts.length - 20);
  }
}
