// The PHP and Python clients with bad networks and bad services, then against a real one over connections that are cut: no
// order is lost or doubled. Both keep the same promises as the TypeScript client (sdk-transport.test.ts).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import { clientsVersion } from '../../scripts/build-clients.ts';
import {
  type ClientOperation,
  clientGroups,
  clientOperations,
} from '../../scripts/clients/client-operations.ts';
import type { OpenapiDocument } from '../../scripts/docs/openapi-document.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { mintSecret, signedHeaders, signingKeyOf } from '../../src/platform/outbound/webhook-signature.ts';
import {
  type ClientCommand,
  type ClientDriver,
  type ClientFailure,
  clientLanguages,
  runGuide,
  startClientDriver,
} from '../harness/client-driver.ts';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';
import { type HostileServer, startHostileServer, type Treatment } from '../harness/hostile-server.ts';

const openapi: OpenapiDocument = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
);
const operations = clientOperations(openapi);
const wish = { package_id: 1, customer: 'ada@example.com' };
const order = { call: 'placeOrder', args: [wish] };

test('all clients have one version', () => {
  const version = clientsVersion();
  for (const [file, written] of [
    ['php/src/Transport.php', `VERSION = '${version}'`],
    ['php/README.md', `sellthrough-php-${version}.zip`],
    ['python/src/sellthrough/_transport.py', `VERSION = "${version}"`],
    ['python/pyproject.toml', `\nversion = "${version}"`],
    ['python/README.md', `sellthrough-${version}-py3`],
  ] as const) {
    const text = readFileSync(new URL(`../../clients/${file}`, import.meta.url), 'utf8');
    assert.ok(text.includes(written), file);
  }
});

for (const language of clientLanguages) {
  describe(`the ${language.name} client`, { skip: language.isMissing ?? false }, () => {
    let driver: ClientDriver;
    before(() => {
      driver = startClientDriver(language);
    });
    after(() => driver.close());

    async function answerOf(command: ClientCommand) {
      const { answer, error } = await driver.run(command);
      assert.equal(error, undefined, error?.text ?? error?.message);
      return answer;
    }

    async function failureOf(command: ClientCommand): Promise<ClientFailure> {
      const { answer, error } = await driver.run(command);
      assert.ok(error, `the call succeeded: ${JSON.stringify(answer)}`);
      return error;
    }

    describe('with a bad network or a bad service', () => {
      const servers: HostileServer[] = [];
      let server: HostileServer;
      let address: string;
      beforeEach(async () => {
        server = await startHostileServer();
        ({ address } = server);
        servers.push(server);
      });
      after(() => Promise.all(servers.map((each) => each.close())));

      test('sends an order until it is answered, always with the same key, and it is charged once', async () => {
        const troubles: readonly (readonly Treatment[])[] = [
          ['drop before'],
          ['drop after'],
          ['half body'],
          ['html 502'],
          ['html 200'],
          ['503 service_unavailable'],
          ['500 internal_error'],
          ['429 rate_limited'],
          [
            'drop after',
            '503 service_unavailable, retry after 0',
            'half body',
            'drop before',
            '429 rate_limited',
          ],
        ];
        for (const [index, trouble] of troubles.entries()) {
          server.treat(...trouble, 'answer');
          const before = server.requests.length;
          const placed = await answerOf({ ...order, address });
          const requests = server.requests.slice(before);
          assert.equal(server.charges(), index + 1, trouble.join());
          assert.equal(requests.length, trouble.length + 1, trouble.join());
          assert.equal(
            placed.replayed,
            trouble.some((each) => /after$|half|html/.test(each)),
            trouble.join(),
          );
          const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']));
          assert.equal(keys.size, 1, trouble.join());
          assert.match(
            String([...keys][0]),
            /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
          );
        }
      });

      test('gives an attempt its time, and the whole call its own', async () => {
        server.treat('silence', 'answer');
        const placed = await answerOf({ ...order, address, settings: { timeoutSeconds: 0.3, retries: 50 } });
        assert.deepEqual([placed.replayed, server.charges()], [true, 1]);
        server.treat('silence');
        const slow = await failureOf({ ...order, address, settings: { totalTimeoutSeconds: 0.2 } });
        assert.deepEqual([slow.class, slow.code, slow.attempts], ['NoAnswer', 'timeout', 1]);
        assert.deepEqual([slow.may_have_happened, slow.retryable], [true, true]);
        server.treat('503 service_unavailable');
        const settings = { totalTimeoutSeconds: 0.2, retries: 1_000_000 };
        assert.equal((await failureOf({ ...order, address, settings })).retryable, true);
      });

      test('repeats what takes no key only if it was certainly not carried out', async () => {
        const unkeyed = { call: 'testWebhook', args: [7], address };
        for (const trouble of ['drop after', 'half body', '503 service_unavailable', 'html 502'] as const) {
          server.treat(trouble, 'answer');
          const before = server.requests.length;
          const error = await failureOf(unkeyed);
          assert.equal(server.requests.length, before + 1, trouble);
          assert.deepEqual(
            [error.may_have_happened, error.retryable, error.idempotency_key],
            [true, false, null],
            trouble,
          );
        }
        server.treat('429 rate_limited', 'answer');
        const before = server.requests.length;
        await answerOf(unkeyed);
        assert.equal(server.requests.length, before + 2);
        const refused = await failureOf({
          ...unkeyed,
          address: 'http://127.0.0.1:1',
          settings: { retries: 2 },
        });
        assert.deepEqual(
          [refused.code, refused.attempts, refused.may_have_happened],
          ['connection_lost', 3, false],
        );
      });

      test('repeats a read after any failure, and it never "may have happened"', async () => {
        server.treat('drop after', 'html 502', '500 internal_error', 'answer');
        await answerOf({ call: 'getBalance', address });
        assert.equal(server.requests.length, 4);
        server.treat('drop before');
        const error = await failureOf({ call: 'getBalance', address, options: { retries: 1 } });
        assert.deepEqual([error.attempts, error.may_have_happened], [2, false]);
      });

      test('raises a refusal at once, by its class and code', async () => {
        for (const [treatment, kind] of [
          ['402 insufficient_credit', 'InsufficientCredit'],
          ['422 order_failed', 'OrderFailed'],
          ['409 idempotency_conflict', 'IdempotencyConflict'],
          ['409 price_changed', 'PriceChanged'],
          ['404 order_not_found', 'NotFound'],
          ['403 insufficient_scope', 'AccessDenied'],
          ['401 revoked_api_key', 'AccessDenied'],
          ['409 a_code_of_tomorrow', 'Api'],
        ] as const) {
          server.treat(treatment);
          const before = server.requests.length;
          const error = await failureOf({ ...order, address, idempotencyKey: 'k' });
          assert.equal(server.requests.length, before + 1, treatment);
          assert.equal(`${error.status} ${error.code} ${error.class}`, `${treatment} ${kind}`);
          assert.deepEqual([error.message, error.idempotency_key, error.attempts], ['Refused.', 'k', 1]);
          assert.deepEqual([error.retryable, error.may_have_happened], [false, false]);
        }
        server.treat('redirect');
        const led = await failureOf({ ...order, address });
        assert.deepEqual(
          [led.class, led.code, led.may_have_happened],
          ['NoAnswer', 'unexpected_answer', false],
        );
        assert.match(led.message, /redirects to https:\/\/elsewhere\.example\//);
      });

      test('stops with the key that finishes the order later, and says that it may have been placed', async () => {
        server.treat('drop after');
        const error = await failureOf({ ...order, address, settings: { retries: 3 } });
        assert.deepEqual([error.class, error.code, error.attempts], ['NoAnswer', 'connection_lost', 4]);
        assert.deepEqual([error.retryable, error.may_have_happened, error.status], [true, true, null]);
        assert.ok(error.idempotency_key);
        server.treat('answer');
        const placed = await answerOf({ ...order, address, idempotencyKey: error.idempotency_key });
        assert.deepEqual([placed.replayed, server.charges()], [true, 1]);
        server.treat('drop after', '401 revoked_api_key');
        const refused = await failureOf({ ...order, address });
        assert.deepEqual([refused.code, refused.may_have_happened], ['revoked_api_key', true]);
      });

      test('waits as long as Retry-After says, in seconds or as a date, and fails at once beyond its time', async () => {
        const date = new Date(Date.now() + 50_000).toUTCString();
        for (const [text, leastSeconds] of [
          ['7', 7],
          [date, 15],
        ] as const) {
          server.treat(`429 rate_limited, retry after ${text}`);
          const { retries } = await driver.run({ call: 'getBalance', address, stops: true });
          assert.deepEqual(
            retries.map(({ code }) => code),
            ['rate_limited'],
          );
          assert.ok((retries[0]?.delay ?? 0) >= leastSeconds, `${text}: ${retries[0]?.delay}`);
        }
        server.treat('429 rate_limited, retry after 3600');
        const error = await failureOf({ call: 'getBalance', address });
        assert.deepEqual([error.class, error.retry_after_seconds, error.attempts], ['RateLimited', 3600, 1]);
      });

      test('waits anything from nothing to twice the last time, up to a limit', async () => {
        const delays = [];
        for (const [retry, retryAfter, chance] of [
          ...[1, 2, 3, 5, 6, 7, 2_000].map((each) => [each, null, 1] as const),
          [4, null, 0] as const,
          [1, 3, 0.5] as const,
        ])
          delays.push(await answerOf({ delay: [retry, retryAfter, 0.25, 8, chance] }));
        assert.deepEqual(delays, [0.25, 0.5, 1, 4, 8, 8, 8, 0, 3.125]);
      });

      test('sends the caller’s own key, and refuses one that no header can carry', async () => {
        await answerOf({ ...order, address, idempotencyKey: 'mine-1' });
        await answerOf({ call: 'placeOrder', args: [{ ...wish, idempotency_key: 'mine-2' }], address });
        const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
        assert.deepEqual(keys, ['mine-1', 'mine-2']);
        for (const idempotencyKey of ['', 'schlüssel', 'a b', 'x'.repeat(81), 'a\nb', 'a\n']) {
          const error = await failureOf({ ...order, address, idempotencyKey });
          assert.deepEqual(
            [error.class, error.code, error.attempts],
            ['InvalidField', 'invalid_idempotency_key', 0],
            idempotencyKey,
          );
        }
        assert.equal(server.requests.length, 2);
      });

      test('repeats a bulk as it was, because its orders have keys of their own', async () => {
        const bulk = {
          call: 'placeOrdersInBulk',
          args: [{ orders: [{ ...wish, idempotency_key: 'bulk-1' }] }],
          address,
        };
        server.treat('drop after', '503 service_unavailable', 'half body', '429 rate_limited', 'answer');
        await answerOf(bulk);
        assert.equal(server.requests.length, 5);
        assert.equal(new Set(server.requests.map(({ body }) => body)).size, 1);
        for (const { headers } of server.requests) assert.equal(headers['idempotency-key'], undefined);
      });

      test('sends the API key, and an id for the log, and shows the key nowhere', async () => {
        server.treat('drop before', '404 order_not_found');
        const error = await failureOf({ call: 'getOrder', args: [12], address });
        const [first, second] = server.requests;
        assert.equal(first?.url, '/api/v1/orders/12');
        assert.equal(first?.headers.authorization, 'Bearer sk_live_test');
        assert.match(first?.headers['user-agent'] ?? '', /^sellthrough-(?:php|python)\/\d/);
        const id = String(first?.headers['x-request-id']);
        assert.match(id, /^[0-9a-f-]{36}\.1$/);
        assert.equal(second?.headers['x-request-id'], id.replace(/1$/, '2'));
        assert.equal(error.request_id, second?.headers['x-request-id']);
        const { repr = '' } = await driver.run({ methods: true, address });
        assert.ok(repr !== '' && !`${repr}${error.text}`.includes('sk_live_test'));
      });

      test('takes an address that ends in a slash or in /api/v1, and refuses an invalid one at once', async () => {
        for (const suffix of ['', '/', '/api/v1', '/api/v1/'])
          await answerOf({ call: 'getBalance', address: address + suffix });
        assert.deepEqual(new Set(server.requests.map(({ url }) => url)), new Set(['/api/v1/balance']));
        for (const wrong of ['', 'sell.example.com', 'ftp://x'])
          assert.match(
            (await failureOf({ call: 'getBalance', address: wrong })).message,
            /must look like https:/,
          );
        for (const key of ['', 'sk live'])
          assert.match((await failureOf({ call: 'getBalance', address, key })).message, /sk_live_…/);
      });

      test('has one method for each operation, which sends the documented request', async () => {
        for (const group of clientGroups) {
          const own = operations.filter((each) => each.group === group);
          const expected = own.flatMap(({ name, walk }) => [name, ...(walk === null ? [] : [walk.name])]);
          const names = await answerOf({ methods: true, group });
          assert.deepEqual(names.sort(), expected.map(language.methodName).sort(), group);
        }
        for (const operation of operations) {
          const { name, method, path, group, ids, query, body, takesKey } = operation;
          const { args, search } = argumentsOf(operation);
          await answerOf({
            call: name,
            group,
            args,
            address,
            ...(takesKey ? { idempotencyKey: 'given' } : {}),
          });
          const request = server.requests.at(-1);
          const expected = path.replaceAll(/\{\w+\}/g, () => '12') + search;
          assert.deepEqual([request?.method, request?.url], [method, expected], name);
          const sent = body === null ? '' : JSON.stringify({ some: 'body' });
          assert.equal(request?.body.replaceAll(' ', ''), sent, name);
          assert.equal(request?.headers['idempotency-key'], takesKey ? 'given' : undefined, name);
          assert.ok(ids.length + query.length >= 0);
        }
        // A body that may be left out is sent as an empty object.
        await answerOf({ call: 'renewOrder', args: [12], address });
        assert.equal(server.requests.at(-1)?.body, '{}');
      });
    });

    describe('against the service', () => {
      let service: TestService;
      let proxy: CuttingProxy;
      before(async () => {
        service = await startTestService();
        proxy = await startCuttingProxy(service.directAddress);
      });
      after(async () => {
        await proxy.close();
        await service.close();
      });

      const createReseller = (credit: string) =>
        service.createReseller({ credit, rateLimitPerMinute: 1_000_000 });

      test('over connections that are cut before, after and within an order, loses and doubles none', async () => {
        const account = await createReseller('1000.00');
        const { basic } = service.packages;
        const places = ['request', 'before', 'middle'] as const;
        const placed: number[] = [];
        const cutsBefore = proxy.cuts();
        for (const [index, first] of places.entries()) {
          for (const [inner, second] of places.entries()) {
            proxy.cut(first, second);
            const { order: made, replayed } = await answerOf({
              call: 'placeOrder',
              args: [{ package_id: basic, customer: `cut-${index}-${inner}` }],
              address: proxy.address,
              key: account.key,
            });
            assert.equal(replayed, first !== 'request' || second !== 'request', `${first}, ${second}`);
            placed.push(made.id);
            proxy.cut(second);
            const renewed = await answerOf({
              call: 'renewOrder',
              args: [made.id],
              address: proxy.address,
              key: account.key,
            });
            assert.equal(renewed.replayed, second !== 'request', second);
            placed.push(renewed.order.id);
          }
        }
        assert.equal(proxy.cuts() - cutsBefore, 27);
        const orders = (await account.get('/orders')).body;
        assert.equal(orders.total, 18);
        assert.deepEqual(orders.data.map(({ id }: { id: number }) => id).sort(), [...placed].sort());
        assert.equal((await account.get('/balance')).body.balance, '820.00');
      });

      test('whose answer is lost for good, has the key that finds the order', async () => {
        const { key } = await createReseller('100.00');
        const call = {
          call: 'placeOrder',
          args: [{ package_id: service.packages.basic, customer: 'cut-off' }],
          key,
        };
        proxy.cut('before');
        const error = await failureOf({ ...call, address: proxy.address, options: { retries: 0 } });
        assert.deepEqual([error.code, error.may_have_happened], ['connection_lost', true]);
        const { idempotency_key: idempotencyKey } = error;
        assert.ok(idempotencyKey);
        const placed = await answerOf({ ...call, address: service.address, idempotencyKey });
        assert.deepEqual([placed.replayed, placed.balance], [true, '90.00']);
        const logged = service.logLines.some((line) => JSON.stringify(line).includes(error.request_id));
        assert.ok(logged, 'the log has the id of a request whose answer was lost');
      });

      test('raises its refusals with their details', async () => {
        const { key } = await createReseller('1.00');
        const call = { call: 'placeOrder', address: service.address, key };
        const { basic, plus } = service.packages;
        const poor = await failureOf({ ...call, args: [{ package_id: plus, customer: 'a' }] });
        assert.deepEqual([poor.class, poor.own.required], ['InsufficientCredit', '25.00']);
        assert.equal(poor.details['balance'], '1.00');
        const wrong = await failureOf({ ...call, args: [{ package_id: basic, customer: 'a b' }] });
        assert.deepEqual(
          [wrong.class, wrong.code, wrong.own.field],
          ['InvalidField', 'invalid_customer', 'customer'],
        );
        const absent = await failureOf({ call: 'getOrder', args: [1], address: service.address, key });
        assert.deepEqual([absent.class, absent.code], ['NotFound', 'order_not_found']);
      });

      test('walks a list by cursor and by number, with and without filters', async () => {
        const account = await createReseller('2000.00');
        const orders = Array.from({ length: 130 }, (_, number) => ({
          package_id: service.packages.basic,
          customer: `walk-${number}`,
          idempotency_key: `walk-${number}`,
        }));
        const reseller = { address: service.address, key: account.key };
        // The first request starts the feed.
        await answerOf({ ...reseller, call: 'readEvents' });
        const { results } = await answerOf({ ...reseller, call: 'placeOrdersInBulk', args: [{ orders }] });
        const ids = results.map((each: { order: { id: number } }) => each.order.id).reverse();
        const walked = await answerOf({ ...reseller, call: 'eachOrder', take: 1_000 });
        assert.deepEqual(
          walked.map(({ id }: { id: number }) => id),
          ids,
        );
        const filter = { customer: 'walk-7' };
        const found = await answerOf({ ...reseller, call: 'eachOrder', args: [filter], take: 1_000 });
        assert.deepEqual(
          found.map(({ id }: { id: number }) => id),
          [ids[122]],
        );
        const events = await answerOf({ ...reseller, call: 'followEvents', take: 120 });
        assert.equal(new Set(events.map(({ id }: { id: number }) => id)).size, 120);
        const operator = { address: service.address, key: service.admin.key, group: 'admin' };
        const accounts = await answerOf({
          ...operator,
          call: 'eachAccount',
          args: [{ limit: 2 }],
          take: 1_000,
        });
        const listed = (await service.admin.get('/api/admin/v1/accounts?limit=100')).body.data;
        assert.deepEqual(
          accounts.map(({ id }: { id: number }) => id),
          listed.map(({ id }: { id: number }) => id),
        );
      });

      test('runs the samples of its guide as printed', async () => {
        const { key } = await createReseller('100.00');
        const environment = { SELLTHROUGH_URL: service.address, SELLTHROUGH_KEY: key };
        const { code, stdout, stderr } = await runGuide(language, environment);
        assert.equal(code, 0, stdout + stderr);
        assert.match(
          stdout,
          /^Basic until 2026-02-15T12:00:00Z, 90\.00 left\n\d+ 10\.00\nTop up: 90\.00 of 240\.00 USD\n400\n$/,
        );
      });

      test('knows which webhooks the service has signed', async () => {
        const secret = mintSecret();
        const body = JSON.stringify({ id: 2000000017, type: 'order.completed', data: { name: 'Żółw 🐢' } });
        const now = Math.floor(Date.now() / 1_000);
        const signed = (keys: readonly string[], at = now) =>
          signedHeaders({ id: 'evt_2000000017', body, keys: keys.map(signingKeyOf) }, at);
        const ofWsgi = Object.fromEntries(
          Object.entries(signed([secret])).map(([name, value]) => [
            `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
            value,
          ]),
        );
        for (const headers of [signed([secret]), signed([mintSecret(), secret]), ofWsgi])
          assert.equal((await answerOf({ verify: [body, headers, secret] })).id, 2000000017);
        for (const [text, headers] of [
          [body, signed([mintSecret()])],
          [body.replace('order', 'Order'), signed([secret])],
          [body, { ...signed([secret]), 'webhook-id': 'evt_1' }],
          [body, signed([secret], now - 301)],
          [body, signed([secret], now + 400)],
          [body, {}],
        ])
          assert.ok((await failureOf({ verify: [text, headers, secret] })).message);
      });
    });
  });
}

/** For each parameter a value, and the query that is expected of them. */
function argumentsOf({ ids, query, body }: ClientOperation): { args: unknown[]; search: string } {
  const given = Object.fromEntries(query.map(({ name }) => [name, 3]));
  const search = new URLSearchParams(query.map(({ name }): [string, string] => [name, '3'])).toString();
  const args = [
    ...ids.map(({ type }) => (type === 'integer' ? 12 : '12')),
    ...(body === null ? [] : [{ some: 'body' }]),
    ...(query.length === 0 ? [] : [given]),
  ];
  return { args, search: search === '' ? '' : `?${search}` };
}
