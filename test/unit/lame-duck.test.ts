import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createGracefulDrain,
  type GracefulDrain,
  type GracefulDrainLimits,
  letConnectionsBeUsedUp,
} from '../../src/platform/http/graceful-drain.ts';

const limits: GracefulDrainLimits = {
  askedTwiceMilliseconds: 10_000,
  answers: 3,
  millisecondsMax: 2 ** 30,
  askersMax: 3,
};
let now = 0;
let hurry: AbortController;
let drain: GracefulDrain;
beforeEach(() => {
  now = 0;
  hurry = new AbortController();
  drain = createGracefulDrain(() => now, limits);
});

afterEach(() => hurry.abort());

function askedAt(time: number, ...addresses: readonly string[]): void {
  now = time;
  for (const address of addresses) drain.asked(address);
}

async function isOver(announced: Promise<void>): Promise<boolean> {
  return Promise.race([announced.then(() => true), nextTurn(false)]);
}

describe('who is waited for', () => {
  const cases: readonly [who: string, questions: readonly number[], isWaitedFor: boolean][] = [
    ['no one asked', [], false],
    ['someone asked once', [9_999], false],
    ['someone asked twice within ten seconds', [1, 9_999], true],
    ['someone asked twice, once before that', [-1, 9_999], false],
    ['someone asks every half second', Array.from({ length: 100 }, (_, place) => place * 500 - 40_500), true],
    ['someone asked every half second and stopped', [-3_000, -2_500, -2_000, -1_500], false],
  ];
  for (const [who, questions, isWaitedFor] of cases) {
    test(`${who}: ${isWaitedFor ? 'they are warned first' : 'it is over at once'}`, async () => {
      for (const question of questions) askedAt(question, 'a');
      now = 10_000;
      assert.equal(await isOver(drain.announce(hurry.signal)), !isWaitedFor);
      assert.equal(drain.isAnnounced(), true);
    });
  }

  test('two addresses that ask in turn are not one that asks twice', async () => {
    askedAt(1, 'a', 'b');
    assert.equal(await isOver(drain.announce(hurry.signal)), true);
  });

  test('no more addresses are remembered than the limit, and those that asked last are', async () => {
    askedAt(1, 'a', 'a', 'b', 'b', 'c', 'c', 'd', 'd');
    const announced = drain.announce(hurry.signal);
    for (const address of ['d', 'd', 'd', 'd', 'c', 'c', 'c', 'c', 'b', 'b', 'b']) drain.asked(address);
    assert.equal(await isOver(announced), false);
    drain.asked('b');
    assert.equal(await isOver(announced), true);
  });
});

describe('it ends', () => {
  beforeEach(() => askedAt(1, 'a', 'a', 'b', 'b'));

  test('with the question that shows each that the third answer was read', async () => {
    const announced = drain.announce(hurry.signal);
    askedAt(2, 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'unknown', 'unknown', 'unknown', 'unknown');
    assert.equal(await isOver(announced), false);
    askedAt(3, 'b');
    assert.equal(await isOver(announced), true);
  });

  test('when it is to hurry, before or meanwhile', async () => {
    const announced = drain.announce(hurry.signal);
    assert.equal(await isOver(announced), false);
    hurry.abort();
    assert.equal(await isOver(announced), true);
    assert.equal(await isOver(drain.announce(hurry.signal)), true);
  });

  test('after the longest time, however few questions came', async () => {
    drain = createGracefulDrain(() => now, { ...limits, millisecondsMax: 1 });
    drain.asked('a');
    drain.asked('a');
    await drain.announce(hurry.signal);
  });
});

describe('connections that are open as the port closes', () => {
  async function startServer() {
    const server = createServer((_request, response) => response.end('answered')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (by = agent) => {
      const [response] = await once(get({ port, host: '127.0.0.1', agent: by }), 'response');
      return String(await response.toArray());
    };
    assert.equal(await ask(), 'answered');
    return { server, agent, ask };
  }

  test('new ones are refused, a request on an idle one is answered, and it is over when none is left', async () => {
    const { server, agent, ask } = await startServer();
    const over = letConnectionsBeUsedUp(server, limits.millisecondsMax, hurry.signal);
    while (await ask(new Agent()).catch(() => null));
    assert.equal(await ask(), 'answered');
    assert.equal(await isOver(over), false);
    agent.destroy();
    await over;
  });

  test('after the longest time, or when it is to hurry, those that are idle are closed', async () => {
    const patient = await startServer();
    await letConnectionsBeUsedUp(patient.server, 1, hurry.signal);
    const hurried = await startServer();
    const over = letConnectionsBeUsedUp(hurried.server, limits.millisecondsMax, hurry.signal);
    hurry.abort();
    await over;
    for (const { ask } of [patient, hurried]) await assert.rejects(ask());
  });
});
