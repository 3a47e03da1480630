// Limits how many operations of a kind an account runs at once; further ones wait in line. Otherwise one account's searches
// and exports could use every read connection.
// Invariant: a request whose connection is closed holds no turn and no place in line.

import type { FastifyReply } from 'fastify';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import { Overloaded } from '../../shared/overloaded.ts';

export interface PerAccountConcurrencyLimits {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitMilliseconds: number;
}

export interface PerAccountConcurrency {
  /** Waits for a turn, which ends with the answer. @returns a refusal if too many wait @throws Overloaded when the wait ends */
  take(accountId: number, reply: FastifyReply): Promise<Refusal | null>;
  /** Frees the turn early, once the answer is made. Do not call it for streamed answers (exports). */
  end(reply: FastifyReply): void;
}

interface AccountLine {
  underWay: number;
  readonly waiting: Set<() => void>;
}

/** Each request needs a turn among those of its account and one among those of all accounts. */
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
        if (!(await comesUp(line, reply))) throw new Overloaded('Earlier requests took too long.');
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

/** Closes the connection when the client half-closes it. Only for answers to browsers: other clients might still read. */
export function destroyOnceHungUp({ raw, request }: FastifyReply): void {
  const { socket } = request.raw;
  const hangUp = () => socket.destroy();
  if (socket.readableEnded) hangUp();
  socket.once('end', hangUp);
  raw.once('close', () => socket.off('end', hangUp));
}
