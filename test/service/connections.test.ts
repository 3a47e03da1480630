// A connection gets one answer per request, in order, even with half-closed clients and a thousand pipelined requests.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { parseAnswers, rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { expectRefusal } from '../harness/refusals.ts';

const heldMax = 2_000;

let service: TestService;
let reseller: TestAccount;
before(async () => {
  service = await startTestService({ limits: { http: { pipelinedHeldMax: heldMax } } });
  reseller = await service.createReseller({ credit: '1000000.00' });
});
after(() => service.close());

const get = (path: string, id: string) =>
  rawRequest([
    `GET ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${reseller.key}`,
    `X-Request-Id: ${id}`,
  ]);

function order(customer: string, id = 'x'): string {
  const body = JSON.stringify({ package_id: service.packages.basic, customer });
  const head = ['POST /api/v1/orders HTTP/1.1', 'Host: x', `Authorization: Bearer ${reseller.key}`];
  return rawRequest([...head, `X-Request-Id: ${id}`, `Content-Length: ${body.length}`], body);
}

describe('a client that ends its side at once', () => {
  test('with an order gets its answer, each of thirty, and then the end', async () => {
    const exchanges = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        sendRaw(service.address, order(`half-closed-${index}`), { halfClose: true, finalAnswers: Infinity }),
      ),
    );
    for (const { answers, closed } of exchanges) {
      assert.deepEqual([answers.map(({ status }) => status), closed], [[201], true]);
    }
  });

  test('with several requests gets all the answers, in their order', async () => {
    const bytes = `${get('/api/v1/balance', 'a')}${order('half-closed-several', 'b')}${get('/api/v1/packages', 'c')}`;
    const { answers } = await sendRaw(service.address, bytes, { halfClose: true, finalAnswers: Infinity });
    assert.deepEqual(
      answers.map(({ status, headers }) => `${headers.get('x-request-id')} ${status}`),
      ['a 200', 'b 201', 'c 200'],
    );
  });

  test('without a word gets none', async () => {
    const { answers, closed } = await sendRaw(service.address, '', {
      halfClose: true,
      finalAnswers: Infinity,
    });
    assert.deepEqual([answers, closed], [[], true]);
  });
});

describe('requests that are sent ahead', () => {
  test('beyond those that are worked on at once wait, and all are answered in their order', async () => {
    const count = 1_200;
    const ids = Array.from({ length: count }, (_, index) => `ahead-${index}`);
    const bytes = ids.map((id, index) => (index % 10 === 0 ? order(id, id) : get('/api/v1/balance', id)));
    const { answers } = await sendRaw(service.address, bytes.join(''), { finalAnswers: count });
    assert.deepEqual(
      answers.map(({ headers }) => headers.get('x-request-id')),
      ids,
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    assert.deepEqual(
      [statuses.get(201)?.length, statuses.get(200)?.length],
      [count / 10, count - count / 10],
    );
  });

  test('and whose client then ends its side are all answered as well', async () => {
    const bytes = Array.from({ length: 300 }, (_, index) => get('/api/v1/balance', `end-${index}`)).join('');
    const { answers, closed } = await sendRaw(service.address, bytes, {
      halfClose: true,
      finalAnswers: Infinity,
    });
    assert.deepEqual([answers.length, closed], [300, true]);
  });

  test('by no one who could make the service remember without end: too many close their connection', async () => {
    // The smallest possible requests, so that one read contains more than may wait.
    const { answers, closed } = await sendRaw(
      service.address,
      'GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(20_000),
      {
        finalAnswers: Infinity,
      },
    );
    assert.ok(closed && answers.length < 20_000, `${answers.length} answers`);
    // The requests of this connection are dropped, so others have the whole capacity.
    const bytes = Array.from({ length: 300 }, (_, index) => get('/api/v1/balance', `later-${index}`)).join(
      '',
    );
    const later = await sendRaw(service.address, bytes, { finalAnswers: 300 });
    assert.equal(later.answers.length, 300);
  });
});

describe('after a refusal that did not wait for the body, there is no second answer', () => {
  const refused = ['POST /api/v1/orders HTTP/1.1', 'Host: x'];
  const rests: Record<string, readonly [head: string, rest: string | null]> = {
    'when its chunks are broken': ['Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'],
    'when the client ends its side in the middle': ['Content-Length: 500', null],
  };
  for (const [when, [head, rest]] of Object.entries(rests)) {
    test(when, async () => {
      const { hostname: host, port } = new URL(service.address);
      const socket = connect({ host, port: Number(port), allowHalfOpen: true });
      let received = Buffer.alloc(0);
      const ended = once(socket, 'end');
      socket.write(rawRequest([...refused, head]));
      for await (const chunk of socket) {
        received = Buffer.concat([received, chunk]);
        if (parseAnswers(received).answers.length < 1) continue;
        if (socket.writable && rest === null) socket.end();
        else if (socket.writable) socket.write(rest ?? '');
      }
      await ended;
      socket.destroy();
      const { answers } = parseAnswers(received);
      assert.equal(answers.length, 1, received.toString());
      if (answers[0] !== undefined) expectRefusal(answers[0], '401 missing_api_key');
    });
  }

  test('and a whole body leaves the connection open for the next request', async () => {
    const bytes = `${rawRequest([...refused, 'Content-Length: 2'], '{}')}${get('/api/v1/balance', 'next')}`;
    const { answers } = await sendRaw(service.address, bytes, { finalAnswers: 2 });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 200],
    );
  });
});
