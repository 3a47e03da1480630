// Generated idempotency keys (src/features/order-engine/mint-order-key.ts).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mintOrderKey } from '../../src/features/order-engine/mint-order-key.ts';

test('minted keys sort as their times do, byte by byte, and no two are the same', () => {
  const times = [0, 1, 61, 62, 3_843, 3_844, 1_700_000_000_000, 1_800_000_000_000, 1_800_000_000_001, 4e12];
  const keys = times.map((time) => mintOrderKey(time));
  assert.deepEqual(
    keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    keys,
  );
  const ofOneMoment = Array.from({ length: 1_000 }, () => mintOrderKey(1_800_000_000_000));
  assert.equal(new Set(ofOneMoment).size, ofOneMoment.length);
  for (const key of [...keys, mintOrderKey()]) assert.match(key, /^auto_[0-9A-Za-z]{24}$/);
});
