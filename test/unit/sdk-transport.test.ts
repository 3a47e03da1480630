// The client with bad networks and services: which requests it repeats, and that nothing is charged twice.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { isSellthroughError, type Retry, Sellthrough, SellthroughError } from '../../sdk/src/index.ts';
import { eachOf } from '../../sdk/src/paging.ts';
import { type ClientOptions, retryDelayMs } from '../../sdk/src/transport.ts';
import { type HostileServer, startHostileServer, type Treatment } from '../harness/hostile-server.ts';
import '../harness/fixed-seed.ts';

const servers: HostileServer[] = [];
let server: HostileServer;
beforeEach(async () => {
  server = await startHostileServer();
  servers.push(server);
});
after(() => Promise.all(servers.map((each) => each.close())));

const body = { package_id: 1, customer: 'ada@example.com' };

function createClient(options: Partial<ClientOptions> = {}): Sellthrough {
  return new Sellthrough({ baseUrl: server.address, apiKey: 'sk_live_test', backoffMs: 1, ...options });
}

async function failureOf(promise: Promise<unknown>): Promise<SellthroughError> {
  const error = await promise.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SellthroughError, String(error));
  return error;
}

describe('an order is sent again until it is answered, and charged once', () => {
  const troubles: readonly (readonly Treatment[])[] = [
    ['drop before'],
    ['drop after'],
    ['half body'],
    ['html 502'],
    ['html 200'],
    ['503 service_unavailable'],
    ['500 internal_error'],
    ['429 rate_limited'],
    ['drop after', '503 service_unavailable, retry after 0', 'half body', 'drop before', '429 rate_limited'],
  ];
  for (const trouble of troubles) {
    test(trouble.join(', '), async () => {
      server.treat(...trouble, 'answer');
      const placed = await createClient().placeOrder(body);
      assert.equal(placed.order.id, 1);
      assert.equal(server.charges(), 1);
      const wasCarriedOut = trouble.some((each) => /after$|half|html/.test(each));
      assert.equal(placed.replayed, wasCarriedOut, 'the client says whether it knew of it before');
      assert.equal(server.requests.length, trouble.length + 1);
      const keys = new Set(server.requests.map(({ headers }) => headers['idempotency-key']));
      assert.equal(keys.size, 1, 'every attempt carries the same key');
      assert.match(String([...keys][0]), /^[!-~]{1,80}$/);
    });
  }

  test('no answer within the time for an attempt', async () => {
    server.treat('silence', 'answer');
    const placed = await createClient({ timeoutMs: 500, retries: 50 }).placeOrder(body);
    assert.equal(placed.replayed, true);
    assert.equal(server.charges(), 1);
  });

  test('any trouble, in any order', async () => {
    const any = fc.constantFrom<Treatment>(
      'answer',
      'drop before',
      'drop after',
      'half body',
      'html 502',
      '503 service_unavailable',
      '429 rate_limited',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(any, { maxLength: 8 }), async (trouble) => {
        const before = server.charges();
        server.treat(...trouble, 'answer');
        await createClient({ retries: 9 }).placeOrder(body);
        assert.equal(server.charges(), before + 1);
      }),
      { numRuns: 40 },
    );
  });

  test('a renewal and a credit too', async () => {
    server.treat('drop after', 'answer', 'half body', 'answer');
    const client = createClient();
    assert.equal((await client.renewOrder(7)).replayed, true);
    assert.equal((await client.admin.creditAccount(7, { amount: '1.00' })).replayed, true);
    assert.equal(server.charges(), 2);
  });

  test('two orders have two keys', async () => {
    const client = createClient();
    await Promise.all([client.placeOrder(body), client.placeOrder(body)]);
    assert.equal(server.charges(), 2);
  });

  test('the caller’s own key, in the options or in the body, is sent', async () => {
    const client = createClient();
    await client.placeOrder(body, { idempotencyKey: 'mine-1' });
    await client.placeOrder({ ...body, idempotency_key: 'mine-2' });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual(keys, ['mine-1', 'mine-2']);
  });
});

describe('what takes no key is sent again only when it was certainly not carried out', () => {
  const account = { username: 'ada', group: 'reseller' } as const;
  for (const trouble of ['drop after', 'half body', '503 service_unavailable', 'html 502'] as const) {
    test(`not after ${trouble}`, async () => {
      server.treat(trouble, 'answer');
      const error = await failureOf(createClient().admin.createAccount(account));
      assert.equal(server.requests.length, 1);
      assert.equal(error.mayHaveHappened, true);
      assert.equal(error.retryable, false);
      assert.equal(error.idempotencyKey, null);
    });
  }

  test('after 429', async () => {
    server.treat('429 rate_limited', 'answer');
    await createClient().admin.createAccount(account);
    assert.equal(server.requests.length, 2);
  });

  test('after a connection that was never made', async () => {
    let refusals = 2;
    const refusing: typeof fetch = async (...args) => {
      refusals -= 1;
      if (refusals < 0) return fetch(...args);
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
      });
    };
    await createClient({ fetch: refusing }).admin.createAccount(account);
    assert.equal(server.requests.length, 1);
  });
});

describe('what is no use is not sent again', () => {
  for (const refusal of [
    '402 insufficient_credit',
    '422 order_failed',
    '409 idempotency_conflict',
  ] as const) {
    test(refusal, async () => {
      server.treat(refusal);
      const error = await failureOf(createClient().placeOrder(body, { idempotencyKey: 'k' }));
      const [status, code] = refusal.split(' ');
      assert.deepEqual(
        [error.status, error.code, error.message, error.details, error.idempotencyKey],
        [Number(status), code, 'Refused.', { reason: 'test' }, 'k'],
      );
      assert.deepEqual([error.retryable, error.mayHaveHappened, error.attempts], [false, false, 1]);
      assert.equal(server.requests.length, 1);
    });
  }

  test('a redirect: the error names where it leads', async () => {
    server.treat('redirect');
    const error = await failureOf(createClient().placeOrder(body));
    assert.equal(error.code, 'unexpected_answer');
    assert.match(error.message, /redirects to https:\/\/elsewhere\.example\//);
    assert.equal(server.requests.length, 1);
  });

  test('reads are retried after any failure, and never "may have happened"', async () => {
    server.treat('drop after', 'html 502', '500 internal_error', 'answer');
    await createClient().getBalance();
    assert.equal(server.requests.length, 4);
    server.treat('drop before');
    assert.equal((await failureOf(createClient({ retries: 1 }).getBalance())).mayHaveHappened, false);
  });
});

describe('when it stops', () => {
  test('the last failure is what the call rejects with, and the same key finishes it later', async () => {
    server.treat('drop after');
    const client = createClient({ retries: 3 });
    const error = await failureOf(client.placeOrder(body));
    assert.deepEqual([error.code, error.attempts, error.status], ['connection_lost', 4, null]);
    assert.deepEqual([error.retryable, error.mayHaveHappened], [true, true]);
    assert.ok(error.cause instanceof Error);
    server.treat('answer');
    const { idempotencyKey } = error;
    assert.ok(idempotencyKey !== null);
    assert.equal((await client.placeOrder(body, { idempotencyKey })).replayed, true);
    assert.equal(server.charges(), 1);
  });

  test('a refusal after a lost connection does not claim that nothing happened', async () => {
    server.treat('drop after', '401 revoked_api_key');
    const error = await failureOf(createClient().placeOrder(body));
    assert.deepEqual([error.code, error.mayHaveHappened], ['revoked_api_key', true]);
  });

  test('the time for the whole call', async () => {
    server.treat('503 service_unavailable');
    const error = await failureOf(createClient({ totalTimeoutMs: 300, retries: 1_000_000 }).placeOrder(body));
    assert.ok(['service_unavailable', 'timeout'].includes(error.code), error.code);
    assert.equal(error.retryable, true);
  });

  test('a Retry-After beyond the time there is: at once', async () => {
    server.treat('429 rate_limited, retry after 3600');
    const error = await failureOf(createClient().getBalance());
    assert.deepEqual([error.code, error.retryAfterSeconds, error.attempts], ['rate_limited', 3600, 1]);
  });

  test('the caller’s signal: before, while sending and while waiting', async () => {
    const reason = new Error('enough');
    const early = await failureOf(
      createClient().placeOrder(body, { signal: AbortSignal.abort(reason), idempotencyKey: 'k' }),
    );
    assert.deepEqual(
      [early.name, early.code, early.cause, early.idempotencyKey],
      ['AbortError', 'aborted', reason, 'k'],
    );
    assert.equal(early.mayHaveHappened, false);
    assert.equal(server.requests.length, 0);

    server.treat('silence');
    const sending = new AbortController();
    const sent = failureOf(createClient().placeOrder(body, { signal: sending.signal }));
    while (server.requests.length === 0) await new Promise(setImmediate);
    sending.abort(reason);
    assert.deepEqual(
      [(await sent).code, (await sent).cause, (await sent).mayHaveHappened],
      ['aborted', reason, true],
    );

    server.treat('503 service_unavailable, retry after 30');
    const waiting = new AbortController();
    const client = createClient({ onRetry: () => waiting.abort(reason) });
    const waited = await failureOf(client.placeOrder(body, { signal: waiting.signal }));
    assert.deepEqual([waited.code, waited.attempts], ['aborted', 1]);
  });
});

describe('waiting', () => {
  test('as long as Retry-After says, seconds or a date', async () => {
    for (const [after, leastMs] of [
      [() => '7', 7_000],
      [() => new Date(Date.now() + 50_000).toUTCString(), 15_000],
    ] as const) {
      const sent = after();
      server.treat(`429 rate_limited, retry after ${sent}`);
      const retries: Retry[] = [];
      const stop = new AbortController();
      const onRetry = (retry: Retry) => {
        retries.push(retry);
        stop.abort();
      };
      await failureOf(createClient({ onRetry }).getBalance({ signal: stop.signal }));
      assert.equal(retries.length, 1);
      assert.ok((retries[0]?.delayMs ?? 0) >= leastMs, String(retries[0]?.delayMs));
      assert.equal(retries[0]?.error.code, 'rate_limited');
    }
  });

  test('anything from nothing to twice the last time, up to a limit', () => {
    const backoff = { baseMs: 250, maxMs: 8_000 };
    assert.deepEqual(
      [1, 2, 3, 5, 6, 7, 2_000].map((retry) => retryDelayMs(retry, null, backoff, 1)),
      [250, 500, 1_000, 4_000, 8_000, 8_000, 8_000],
    );
    assert.equal(retryDelayMs(4, null, backoff, 0), 0);
    assert.equal(retryDelayMs(1, 3, backoff, 0.5), 3_125);
  });
});

test('a key that no header can carry is refused before anything is sent', async () => {
  for (const idempotencyKey of ['', 'schlüssel', 'a b', 'x'.repeat(81), 'a\nb', '日本']) {
    const error = await failureOf(createClient().placeOrder(body, { idempotencyKey }));
    assert.deepEqual([error.code, error.attempts], ['invalid_idempotency_key', 0], idempotencyKey);
  }
  assert.equal(server.requests.length, 0);
});

describe('a bulk, whose orders have keys of their own', () => {
  const orders = [{ ...body, idempotency_key: 'bulk-1' }];

  test('is sent again until it is answered, as it was', async () => {
    server.treat('drop after', '503 service_unavailable', 'half body', '429 rate_limited', 'answer');
    await createClient().placeOrdersInBulk({ orders });
    assert.equal(server.requests.length, 5);
    for (const { headers } of server.requests) assert.equal(headers['idempotency-key'], undefined);
  });

  test('is not sent again where the limit never admits it', async () => {
    const details = { limit: 3, window_seconds: 60, retry_after: 0, counts_as: 4, orders_max: 30 };
    const client = createClient({
      fetch: async () =>
        Response.json({ error: { code: 'rate_limited', message: 'No.', details } }, { status: 429 }),
    });
    const send = (count: number) => client.placeOrdersInBulk({ orders: Array(count).fill(orders[0]) });
    const never = await failureOf(send(31));
    assert.deepEqual([never.attempts, never.retryable], [1, false]);
    assert.deepEqual([(await failureOf(send(30))).attempts], [6]);
  });
});

test('a request carries the key of the account, an id for the log, and nothing in its address', async () => {
  server.treat('drop before', '404 order_not_found');
  const error = await failureOf(createClient().getOrder(12));
  const [first, second] = server.requests;
  assert.equal(first?.url, '/api/v1/orders/12');
  assert.equal(first?.headers.authorization, 'Bearer sk_live_test');
  const id = String(first?.headers['x-request-id']);
  assert.match(id, /^[A-Za-z0-9-]{36}\.1$/);
  assert.equal(second?.headers['x-request-id'], id.replace(/1$/, '2'));
  assert.equal(error.requestId, second?.headers['x-request-id']);
  assert.ok(isSellthroughError(error, 'order_not_found'));
  assert.ok(!isSellthroughError(error, 'not_found'));
  assert.ok(!JSON.stringify(error).includes('sk_live_test') && !String(error.stack).includes('sk_live_test'));
});

test('the address of the service may end in a slash or in /api/v1; an invalid one is refused at once', async () => {
  for (const suffix of ['', '/', '/api/v1', '/api/v1/']) {
    await createClient({ baseUrl: server.address + suffix }).getBalance();
  }
  assert.deepEqual(new Set(server.requests.map(({ url }) => url)), new Set(['/api/v1/balance']));
  for (const baseUrl of ['', 'sell.example.com', 'ftp://x']) {
    assert.throws(() => createClient({ baseUrl }), /baseUrl must look like/);
  }
  assert.throws(() => createClient({ apiKey: '' }), /apiKey/);
});

test('walking a list gives each item once, even if items are added meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 }),
      async (there, perPage, arrivals) => {
        let total = there;
        const getPage = async (page: number) => {
          const data: number[] = [];
          for (let place = total - (page - 1) * perPage; place > 0 && data.length < perPage; place -= 1) {
            data.push(place);
          }
          const answer = { data, page, per_page: perPage, total };
          total += arrivals[page] ?? 0;
          return answer;
        };
        const walked: number[] = [];
        for await (const item of eachOf(getPage)) walked.push(item);
        assert.deepEqual(
          walked,
          Array.from({ length: there }, (_, index) => there - index),
        );
      },
    ),
  );
});
