// Concurrency limits over all accounts and for each (src/platform/limits/per-account-concurrency.ts).

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { FastifyReply } from 'fastify';
import { createSharedConcurrency } from '../../src/platform/limits/per-account-concurrency.ts';
import { Overloaded } from '../../src/shared/overloaded.ts';

interface Request {
  readonly reply: FastifyReply;
  close(): void;
}

function request(): Request {
  const raw = Object.assign(new EventEmitter(), { closed: false });
  const reply = { raw, header: () => reply } as unknown as FastifyReply;
  return { reply, close: () => raw.emit('close') };
}

const ofAccount = { atOnceMax: 2, waitingMax: 4, waitMilliseconds: 1 };

test('all accounts together have so many turns, each of them at most its own, and a turn that ends is the next one’s', async () => {
  const turns = createSharedConcurrency(ofAccount, { atOnceMax: 3, waitingMax: 9, waitMilliseconds: 1 });
  const [one, two, three, four] = [request(), request(), request(), request()];
  assert.equal(await turns.take(1, one.reply), null);
  assert.equal(await turns.take(1, two.reply), null);
  await assert.rejects(turns.take(1, request().reply), Overloaded, 'a third of the account');
  assert.equal(await turns.take(2, three.reply), null);
  await assert.rejects(turns.take(3, four.reply), Overloaded, 'a fourth of all');
  four.close();
  one.close();
  assert.equal(await turns.take(3, request().reply), null);
  turns.end(two.reply);
  assert.equal(await turns.take(4, request().reply), null);
});
