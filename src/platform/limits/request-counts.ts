// Sliding windows per account, key, session and address, in this process's memory.

import type { Awaitable } from '../../shared/awaitable.ts';
import {
  createSlidingWindowLimiter,
  type RateLimitState,
  type SlidingWindowLimiter,
  windowSeconds,
} from './sliding-window.ts';

export type WindowKind =
  | 'account'
  | 'key'
  | 'refusal'
  | 'lookup'
  | 'failure'
  | 'session'
  | 'panel'
  | 'change';

export interface CountedWindow {
  readonly kind: WindowKind;
  readonly id: number | string;
  readonly limit: number;
}

export interface Taking {
  /** One for each window, in order. Those after a refusal may be missing. */
  readonly states: readonly RateLimitState[];
  readonly refusedBy: number | null;
  /** The shared server's identifiers of the admissions, one for each window; null if they were counted locally. */
  readonly moments: readonly number[] | null;
}

export interface TakingOfMany {
  readonly states: readonly RateLimitState[];
  readonly refusedBy: number | null;
  /** Time until the refusing window has room for all of them, or for its limit if that is less. */
  readonly waitSeconds: number;
}

export interface RequestCounts {
  /** Counts in all windows, or in none if one refuses. */
  take(windows: readonly CountedWindow[]): Awaitable<Taking>;
  /** Counts in one window after the other, until one refuses. The windows before it keep their count. */
  takeInTurn(windows: readonly CountedWindow[]): Awaitable<Taking>;
  /** Replaces an admitted request by `count`, or uncounts it if they do not fit. */
  takeMany(
    windows: readonly CountedWindow[],
    count: number,
    admitted: { readonly at: number; readonly moments: Taking['moments'] },
  ): Awaitable<TakingOfMany>;
  giveBack(windows: readonly CountedWindow[], moments: Taking['moments']): void;
  peek(windows: readonly CountedWindow[]): Awaitable<readonly RateLimitState[]>;
}

export interface LocalRequestCounts extends RequestCounts {
  take(windows: readonly CountedWindow[]): Taking;
  takeInTurn(windows: readonly CountedWindow[]): Taking;
  takeMany(...wanted: Parameters<RequestCounts['takeMany']>): TakingOfMany;
  peek(windows: readonly CountedWindow[]): readonly RateLimitState[];
  note(windows: readonly CountedWindow[], count: number): void;
}

export interface RequestCountsOptions {
  readonly monotonicNow: () => number;
  readonly accountsMax: number;
  readonly sessionsMax: number;
  readonly addressesMax: number;
}

export function secondsOf(kind: WindowKind): number {
  return kind === 'change' ? hourSeconds : windowSeconds;
}

const hourSeconds = 3_600;

export function createRequestCounts(options: RequestCountsOptions): LocalRequestCounts {
  const { monotonicNow, accountsMax, sessionsMax, addressesMax } = options;
  const create = (kind: WindowKind, keysMax: number) =>
    createSlidingWindowLimiter<number | string>(monotonicNow, keysMax, secondsOf(kind));
  const limiters: Readonly<Record<WindowKind, SlidingWindowLimiter<number | string>>> = {
    account: create('account', accountsMax),
    key: create('key', accountsMax),
    refusal: create('refusal', accountsMax),
    lookup: create('lookup', addressesMax),
    failure: create('failure', addressesMax),
    session: create('session', sessionsMax),
    panel: create('panel', accountsMax),
    change: create('change', accountsMax),
  };

  const peekOne = ({ kind, id, limit }: CountedWindow, wanted?: number) =>
    limiters[kind].peek(id, limit, wanted);

  function giveBack(windows: readonly CountedWindow[]): void {
    for (const { kind, id } of windows) limiters[kind].giveBack(id);
  }

  function takeInTurn(windows: readonly CountedWindow[]): Taking {
    const states: RateLimitState[] = [];
    for (const { kind, id, limit } of windows) {
      const state = limiters[kind].take(id, limit);
      states.push(state);
      if (!state.admitted) return { states, refusedBy: states.length - 1, moments: null };
    }
    return { states, refusedBy: null, moments: null };
  }

  function takeOne({ kind, id, limit }: CountedWindow): Taking {
    const state = limiters[kind].take(id, limit);
    return { states: [state], refusedBy: state.admitted ? null : 0, moments: null };
  }

  return {
    takeInTurn,
    take(windows) {
      const only = windows[0];
      // The fast path, taken for every order.
      if (only !== undefined && windows.length === 1) return takeOne(only);
      const taking = takeInTurn(windows);
      if (taking.refusedBy !== null) giveBack(windows.slice(0, taking.refusedBy));
      return taking;
    },
    takeMany(windows, count, { at }) {
      for (const { kind, id } of windows) limiters[kind].giveBack(id, at);
      const refusedBy = windows.findIndex((each) => peekOne(each).remaining < count);
      const short = windows[refusedBy];
      if (short === undefined) for (const { kind, id } of windows) limiters[kind].add(id, count);
      const states = windows.map((each) => peekOne(each));
      if (short === undefined) return { states, refusedBy: null, waitSeconds: 0 };
      const wanted = Math.min(count, short.limit);
      const isRoom = peekOne(short).remaining >= wanted;
      const waitSeconds = isRoom ? 1 : peekOne(short, wanted).resetSeconds;
      return { states, refusedBy, waitSeconds };
    },
    giveBack,
    peek: (windows) => windows.map((each) => peekOne(each)),
    note(windows, count) {
      for (const { kind, id } of windows)
        for (let noted = 0; noted < count; noted += 1) limiters[kind].take(id, Number.POSITIVE_INFINITY);
    },
  };
}
