import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const windowMilliseconds = 60_000;
const limit = 40;

test('no window of 60 seconds admits more than the limit, and Retry-After is neither early nor late', async (context) => {
  context.diagnostic(`seed ${seed}`);
  const random = createRandom(seed);
  const reseller = await service.createReseller({ rateLimitPerMinute: limit });
  let now = 1_000_000;
  service.clock.monotonic = () => now;
  const admitted: number[] = [];
  let refused = 0;

  // Bursts on many sockets with various pauses, about ten times what the limit admits.
  for (let burst = 0; burst < 300; burst += 1) {
    now += random.pick([0, 1, 37, 250, 1_000, 4_999, 15_000, 59_999, 60_000]) + random.below(20);
    const answers = await Promise.all(
      Array.from({ length: 1 + random.below(30) }, () => reseller.get('/packages')),
    );
    const ok = answers.filter(({ status }) => status === 200).length;
    admitted.push(...Array.from({ length: ok }, () => now));

    const limited = answers.find(({ status }) => status === 429);
    if (limited === undefined) continue;
    refused += answers.length - ok;
    const retryAfter = Number(limited.headers.get('retry-after'));
    assert.equal(limited.body.error.details.retry_after, retryAfter);
    const oldest = admitted.at(-limit);
    assert.ok(oldest !== undefined, 'a request is refused only after as many as the limit');
    // The time until the oldest request leaves the window, rounded up to a second and never too early.
    assert.equal(retryAfter, Math.ceil((oldest + windowMilliseconds - now) / 1000));
    if (random.below(4) > 0) continue;
    now += retryAfter * 1000;
    assert.equal((await reseller.get('/packages')).status, 200, 'after Retry-After a request passes');
    admitted.push(now);
  }

  assert.ok(refused > 500 && admitted.length > 500, `${refused} refused, ${admitted.length} admitted`);
  for (const [index, time] of admitted.entries()) {
    const before = admitted[index - limit];
    assert.ok(
      before === undefined || time - before >= windowMilliseconds,
      `${limit + 1} requests within 60 seconds`,
    );
  }
  service.clock.monotonic = null;
});
