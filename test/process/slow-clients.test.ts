// Clients that hold connections open with partial requests, silence, or answers that they do not read. A normal client is
// served beside them, and the service's limits, which are small here, cut them off.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';

const http = {
  headersMilliseconds: 6_000,
  requestMilliseconds: 7_000,
  keepAliveMilliseconds: 6_000,
  idleMilliseconds: 7_000,
};
/** Limits are checked once a second, and later on a loaded machine. */
const cutOffMilliseconds = 4 * (http.requestMilliseconds + 1_000);
const slowClients = 20;

let service: TestService;
let honest: TestAccount;
before(async () => {
  service = await startTestService({ limits: { http } });
  honest = await service.createReseller({ credit: '900000.00' });
});
after(() => service.close());

const slowWays: readonly (readonly [what: string, speak: (socket: Socket, key: string) => void])[] = [
  ['say nothing', () => undefined],
  ['send half a header', (socket) => void socket.write('POST /api/v1/orders HTTP/1.1\r\nhost: x\r\nautho')],
  [
    'send half a body',
    (socket, key) =>
      void socket.write(`${head(key, 'content-length: 60')}{"package_id": 1, "customer": "slow`),
  ],
  [
    'send a chunked body that never ends',
    (socket, key) => void socket.write(`${head(key, 'transfer-encoding: chunked')}5\r\n{"a":\r\n`),
  ],
  [
    'send half a bulk of orders',
    (socket, key) =>
      void socket.write(
        `${head(key, 'content-length: 500000').replace('/orders', '/orders/bulk')}{"orders": [${'{}, '.repeat(20_000)}`,
      ),
  ],
  [
    'send half a body without a key',
    (socket) =>
      void socket.write(`${head('unknown', 'content-length: 60')}{"package_id": 1, "customer": "slow`),
  ],
  [
    'send their header byte by byte',
    (socket) => {
      // Often enough that no idle timeout applies.
      const beat = setInterval(() => socket.write('a'), 100);
      socket.write('GET / HTTP/1.1\r\nx-slow: ');
      socket.on('close', () => clearInterval(beat));
    },
  ],
];

// Side by side, because each waits for the limits.
describe('slow clients', { concurrency: true }, () => {
  for (const [what, speak] of slowWays) {
    test(`${slowClients} clients that ${what} keep no honest client from being served, and are cut off`, async (context) => {
      const sockets = await openSockets(service, slowClients);
      const started = performance.now();
      const cutOff = Promise.all(sockets.map(closed));
      for (const socket of sockets) speak(socket, honest.key);
      let served = 0;
      let isOver = false;
      const honestStream = (async () => {
        while (!isOver) {
          const { status, text } = await order(what, served);
          assert.equal(status, 201, text);
          assert.equal((await honest.get('/balance')).status, 200);
          served += 1;
          await pause(100);
        }
      })();
      await Promise.race([cutOff, honestStream]);
      isOver = true;
      await honestStream;
      const took = performance.now() - started;
      context.diagnostic(
        `${served} orders served, the last slow client cut off after ${Math.round(took)} ms`,
      );
      assert.ok(served > 0, 'the honest client was served meanwhile');
      assert.ok(took < cutOffMilliseconds, `the last was cut off after ${Math.round(took)} ms`);
    });
  }
});

describe('a connection that is closed because it is late', { concurrency: true }, () => {
  let patient: TestService;
  let reseller: TestAccount;
  before(async () => {
    const limits = { http: { ...http, idleMilliseconds: 120_000 } };
    patient = await startTestService({ limits });
    reseller = await patient.createReseller({ credit: '1000.00' });
  });
  after(() => patient.close());

  const ends: readonly (readonly [string, (key: string) => string, RegExp | null])[] = [
    ['nothing, where nothing was asked', () => '', null],
    ['that the head did not come in time', () => 'GET / HTTP/1.1\r\nhost: x\r\n', /did not arrive in time\./],
    [
      'that the body did not come in time',
      (key) => `${head(key, 'content-length: 60')}{"package_id"`,
      /did not arrive in time\./,
    ],
    [
      'nothing more than the refusal that did not wait for the body',
      () => `${head('unknown', 'content-length: 60')}{"package_id"`,
      /invalid_api_key/,
    ],
    ['nothing more than the answers so far', (key) => head(key, 'content-length: 0'), /invalid_json/],
  ];
  for (const [what, bytes, answer] of ends) {
    test(`gets ${what}`, async () => {
      const [socket] = await openSockets(patient, 1);
      assert.ok(socket !== undefined);
      let received = '';
      socket.setEncoding('latin1').on('data', (text: string) => {
        received += text;
      });
      socket.write(bytes(reseller.key));
      await closed(socket);
      if (answer === null) assert.equal(received, '');
      else assert.match(received, answer);
      assert.equal(received.split('HTTP/1.1 ').length - 1, answer === null ? 0 : 1, received);
    });
  }

  test('and whose first order leaves just then reads that order’s answer, or nothing', async (context) => {
    const clients = 40;
    const sockets = await openSockets(patient, clients);
    const received = sockets.map(() => '');
    for (const [index, socket] of sockets.entries()) {
      socket.setEncoding('latin1').on('data', (text: string) => {
        received[index] += text;
        if (received[index]?.endsWith('}')) socket.destroy();
      });
    }
    const customer = (index: number) => `just-in-time-${index}`;
    await Promise.all(
      sockets.map(async (socket, index) => {
        const body = JSON.stringify({ package_id: patient.packages.basic, customer: customer(index) });
        // These moments reach from before the limit to after its last check.
        await pause(http.headersMilliseconds - 200 + index * 40);
        if (socket.writable) socket.write(`${head(reseller.key, `content-length: ${body.length}`)}${body}`);
        await closed(socket);
      }),
    );
    const answered = received.filter((text) => text !== '').length;
    context.diagnostic(`${answered} of ${clients} were in time`);
    const { data } = (await reseller.get('/orders?limit=100')).body;
    const placed = new Set(
      data.map(({ customer: { reference } }: { customer: { reference: string } }) => reference),
    );
    for (const [index, text] of received.entries()) {
      if (text !== '') assert.match(text, /^HTTP\/1\.1 201 /);
      assert.equal(placed.has(customer(index)), text !== '', `${index}: ${text}`);
    }
  });
});

test('a whole request in many small pieces is still served', async () => {
  const [socket] = await openSockets(service, 1);
  assert.ok(socket !== undefined);
  const body = JSON.stringify({ package_id: service.packages.basic, customer: 'in-pieces' });
  const whole = `${head(honest.key, `content-length: ${body.length}`)}${body}`;
  for (let from = 0; from < whole.length; from += 7) socket.write(whole.slice(from, from + 7));
  const [answer] = await once(socket.setEncoding('utf8'), 'data');
  assert.match(answer, /^HTTP\/1\.1 201 /);
  socket.destroy();
});

describe('clients that never read an answer', () => {
  const path = '/api/v1/openapi.json'; // the largest answer that needs no key
  const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

  test('and ask for much at once cost a part of the memory that their answers would fill', async (context) => {
    const bytes = (await (await fetch(`${service.address}${path}`)).arrayBuffer()).byteLength;
    const requests = 600;
    const earlier = process.memoryUsage.rss();
    const sockets = await openSockets(service, 4);
    for (const socket of sockets) socket.pause().write(request.repeat(requests));
    for (let index = 0; index < 20; index += 1) assert.equal((await honest.get('/balance')).status, 200);
    const grownMegabytes = Math.round((process.memoryUsage.rss() - earlier) / 1e6);
    const askedMegabytes = Math.round((sockets.length * requests * bytes) / 1e6);
    context.diagnostic(`asked for ${askedMegabytes} MB, the process grew by ${grownMegabytes} MB`);
    for (const socket of sockets) socket.destroy();
    assert.ok(grownMegabytes < askedMegabytes / 4, `it grew by ${grownMegabytes} MB`);
  });

  test('and ask for a little again and again are cut off', async () => {
    const sockets = await openSockets(service, 4);
    for (const socket of sockets) {
      socket.pause();
      const beat = setInterval(() => socket.write(request.repeat(5)), 50);
      socket.on('close', () => clearInterval(beat));
    }
    try {
      const started = performance.now();
      // Send no other requests, so that the keep-alive limit closes the normal client's idle connection.
      let left = await countConnections(service);
      while (left > 0 && performance.now() - started < cutOffMilliseconds) {
        await pause(50);
        left = await countConnections(service);
      }
      assert.equal(left, 0, `${left} connections are still held`);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

test('a house full of slow clients empties itself for an honest one', async () => {
  const full = await startTestService({ limits: { http: { ...http, connectionsMax: 40 } } });
  try {
    const key = (await full.createReseller({ credit: '100.00' })).key;
    const sockets = await openSockets(full, 80);
    const gone = Promise.all(sockets.map(closed));
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\n');
    await gone;
    const answer = await fetch(`${full.address}/api/v1/balance`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200);
    await answer.text();
  } finally {
    await full.close();
  }
});

function head(key: string, length: string): string {
  return `POST /api/v1/orders HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${length}\r\n\r\n`;
}

function order(what: string, index: number) {
  const customer = `${what.replaceAll(' ', '-')}-${index}`;
  return honest.post('/orders', { package_id: service.packages.basic, customer });
}

async function openSockets({ address }: TestService, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(address);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on('error', () => undefined).resume();
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.on('close', () => resolve());
  });
}

function countConnections({ service: { app } }: TestService): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
}
