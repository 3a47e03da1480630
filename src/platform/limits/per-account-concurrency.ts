// How much of one kind an account has under way at once: two lists, say, however many tabs, sessions and people it has; the
// next ones wait in line. Otherwise one account's searches and downloads would take every connection that the others read
// with, and its bulks of orders the memory. Called by auth/session-auth.ts and orders/bulk-routes.ts.
// Always true: a request whose connection is closed holds no turn and no place in line.

import type { FastifyReply } from 'fastify';
import { type Refusal, refusal } from '../../shared/error-catalogue.ts';
import { Overloaded } from '../../shared/overloaded.ts';

export interface PerAccountConcurrencyLimits {
  readonly atOnceMax: number;
  /** In line of one account. */
  readonly waitingMax: number;
  readonly waitMilliseconds: number;
}

export interface PerAccountConcurrency {
  /**
   * Resolves when it is this request's turn, which ends with its answer; or to the refusal where too many wait already.
   * @throws Overloaded when its turn has not come in time
   */
  take(accountId: number, reply: FastifyReply): Promise<Refusal | null>;
  /** The answer is made, although the client may not have read it. Not called for what is still being read: exports. */
  end(reply: FastifyReply): void;
}

interface AccountLine {
  underWay: number;
  readonly waiting: Set<() => void>;
}

/** Turns of each account, and of all accounts together: a request needs both. */
export function createSharedConcurrency(
  ofAccount: PerAccountConcurrencyLimits,
  ofAll: PerAccountConcurrencyLimits,
): PerAccountConcurrency {
  const [own, shared] = [createPerAccountConcurrency(ofAccount), createPerAccountConcurrency(ofAll)];
  return {
    async take(accountId, reply) {
      return (await own.take(accountId, reply)) ?? (await shared.take(everybody, reply));
    },
    end(reply) {
      own.end(reply);
      shared.end(reply);
    },
  };
}

const everybody = 0;

export function createPerAccountConcurrency({
  atOnceMax,
  waitingMax,
  waitMilliseconds,
}: PerAccountConcurrencyLimits): PerAccountConcurrency {
  const lines = new Map<number, AccountLine>();
  const ends = new WeakMap<FastifyReply, () => void>();
  const retryAfterSeconds = Math.ceil(waitMilliseconds / 1000);

  function end(accountId: number, line: AccountLine): void {
    const [next] = line.waiting;
    if (next !== undefined) next();
    else if (line.underWay > 1) line.underWay -= 1;
    else lines.delete(accountId);
  }

  return {
    async take(accountId, reply) {
      const line = lines.get(accountId) ?? { underWay: 0, waiting: new Set() };
      lines.set(accountId, line);
      if (line.underWay >= atOnceMax) {
        if (line.waiting.size >= waitingMax) {
          reply.header('retry-after', retryAfterSeconds);
          return refusal('rate_limited', { at_once: atOnceMax, retry_after: retryAfterSeconds });
        }
        if (!(await comesUp(line, reply))) throw new Overloaded('Others before it took too long.');
      } else {
        line.underWay += 1;
      }
      let isOver = false;
      const endOnce = () => {
        if (!isOver) end(accountId, line);
        isOver = true;
      };
      ends.set(reply, endOnce);
      if (reply.raw.closed) endOnce();
      else reply.raw.once('close', endOnce);
      return null;
    },
    end: (reply) => ends.get(reply)?.(),
  };

  /** Whether the turn came: its place is then this request's. It has none if the time was over or the client gone before. */
  function comesUp({ waiting }: AccountLine, { raw }: FastifyReply): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (hasCome: boolean) => {
        clearTimeout(patience);
        raw.off('close', giveUp);
        waiting.delete(come);
        resolve(hasCome);
      };
      const come = () => settle(true);
      const giveUp = () => settle(false);
      const patience = setTimeout(giveUp, waitMilliseconds);
      raw.once('close', giveUp);
      waiting.add(come);
    });
  }
}

/**
 * Of a client that ends its side nobody knows whether it has gone. Elsewhere it is answered; of the panel's lists, which
 * only browsers read, it has: a turn that it kept would keep others waiting.
 */
export function destroyOnceHungUp({ raw, request }: FastifyReply): void {
  const { socket } = request.raw;
  const hangUp = () => socket.destroy();
  if (socket.readableEnded) hangUp();
  socket.once('end', hangUp);
  raw.once('close', () => socket.off('end', hangUp));
}
