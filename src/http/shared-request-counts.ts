// The limits on requests, counted over all processes by the server of the shared limits. What one turn of the event loop
// asks travels as one call; a busy account's requests are taken ahead, a hundredth of its limit at most, and admitted without
// any. While the server is away each process counts for itself, and it counts along all the time, so that it does not begin at
// nothing then.
// Always true: what is taken ahead is used within the lease or given back, and counts for a window after the end of the lease:
// so no window of real uses holds more than the limit. After the server was away, a process admits no more than its own count allows either.

import type { Awaitable } from '../contract/awaitable.ts';
import {
  backOperation,
  type Moment,
  microsecondsOfSecond,
  type SharedWindow,
  type TakeAnswer,
  takeOperation,
  type WindowState,
} from '../limits/limit-operations.ts';
import type { LimitServer } from '../limits/limit-server.ts';
import {
  type CountedWindow,
  type LocalRequestCounts,
  type RequestCounts,
  secondsOf,
  type Taking,
} from './request-counts.ts';
import type { RateLimitState } from './sliding-window.ts';

export interface SharedRequestCountsOptions {
  readonly server: LimitServer;
  readonly local: LocalRequestCounts;
  readonly monotonicNow: () => number;
}

export interface SharedRequestCounts extends RequestCounts {
  /** Gives back what was taken ahead. */
  close(): void;
}

/** Of the limit: what a process holds of an account ahead of its use. */
const aheadShare = 1 / 100;
/** Requests in a lease that make an account a busy one. */
const busyUsesMin = 5;

export function createSharedRequestCounts(options: SharedRequestCountsOptions): SharedRequestCounts {
  const { server, local, monotonicNow } = options;
  const purses = createPurses(options, settle);

  /** The server may have forgotten what was admitted before it went, and does not know what was admitted meanwhile. */
  function isDoubtful(kind: CountedWindow['kind'], at: number): boolean {
    const since = server.thereSince();
    return since === null || at - since < secondsOf(kind) * 1000;
  }

  /** What the server has admitted is counted here as well. */
  function settle(windows: readonly CountedWindow[], taking: Taking): Taking {
    const at = monotonicNow();
    if (!windows.some(({ kind }) => isDoubtful(kind, at))) {
      local.note(windows, 1);
      return taking;
    }
    const own = local.take(windows);
    if (own.refusedBy === null) return taking;
    giveBackAtServer(windows, taking.moments);
    return own;
  }

  function giveBackAtServer(windows: readonly CountedWindow[], moments: readonly Moment[] | null): void {
    if (moments === null) return;
    const returned = windows.flatMap((window, place) => {
      const moment = moments[place] ?? 0;
      return moment === 0 ? [] : [{ window: sharedWindow(window), moment, count: 1 }];
    });
    if (returned.length > 0) server.tell(backOperation(returned));
  }

  async function takeAt(windows: readonly CountedWindow[], isInTurn: boolean): Promise<Taking> {
    const answer = await server.ask(
      takeOperation(windows.map(sharedWindow), () => ({ wanted: 1, isInTurn })),
    );
    if (answer === null) return isInTurn ? local.takeInTurn(windows) : local.take(windows);
    const states = statesOf(windows, answer);
    const { refusedBy } = answer;
    if (refusedBy !== null) {
      if (isInTurn) local.note(windows.slice(0, refusedBy), 1);
      return { states, refusedBy, moments: null };
    }
    return settle(windows, { states, refusedBy: null, moments: momentsOf(answer) });
  }

  return {
    take(windows) {
      if (server.thereSince() === null) return local.take(windows);
      const [window] = windows;
      if (window?.kind === 'account' && windows.length === 1) return purses.take(window);
      return takeAt(windows, false);
    },
    takeInTurn: (windows) =>
      server.thereSince() === null ? local.takeInTurn(windows) : takeAt(windows, true),
    async takeMany(windows, count, admitted) {
      // What is held of it would be missing.
      purses.giveBack(windows);
      const returned = admitted.moments ?? [];
      const answer = await server.ask(
        takeOperation(windows.map(sharedWindow), () => ({ wanted: count, returned })),
      );
      if (answer === null) return local.takeMany(windows, count, admitted);
      const states = statesOf(windows, answer);
      if (answer.refusedBy !== null) {
        local.giveBack(windows, null);
        return { states, refusedBy: answer.refusedBy, waitSeconds: wholeSeconds(answer.waitMilliseconds) };
      }
      const at = monotonicNow();
      if (windows.some(({ kind }) => isDoubtful(kind, at))) {
        const own = local.takeMany(windows, count, admitted);
        if (own.refusedBy === null) return { states, refusedBy: null, waitSeconds: 0 };
        const each = momentsOf(answer);
        server.tell(
          backOperation(
            windows.map((window, place) => ({
              window: sharedWindow(window),
              moment: each[place] ?? 0,
              count,
            })),
          ),
        );
        return own;
      }
      local.note(windows, count - 1);
      return { states, refusedBy: null, waitSeconds: 0 };
    },
    giveBack(windows, moments) {
      local.giveBack(windows, moments);
      giveBackAtServer(windows, moments);
    },
    peek(windows) {
      if (server.thereSince() === null) return local.peek(windows);
      const asked = server.ask(takeOperation(windows.map(sharedWindow), () => ({ wanted: 0 })));
      return asked.then((answer) =>
        answer === null ? local.peek(windows) : purses.withHeld(windows, statesOf(windows, answer)),
      );
    },
    close: purses.close,
  };
}

interface Lot {
  count: number;
  /** Milliseconds of this process's clock: not used after it. */
  readonly until: number;
  /** By which the server knows it. */
  readonly moment: Moment;
}

/** An account's requests, as far as this process has to do with them at this moment. */
interface Purse {
  /** With its limit as it is now. */
  window: CountedWindow;
  /** The oldest first. */
  lots: Lot[];
  /** Of all lots. */
  held: number;
  /** By the last answer: what is left beside what is held here, and when the next one leaves. */
  left: number;
  leavesAt: number;
  waiting: ((answer: TakeAnswer | null, place: number) => void)[];
  /** Whether it is asked with the call of this turn. */
  isAsking: boolean;
  /** What was asked for ahead and is not answered yet. */
  coming: number;
  /** Whether the last time as many were to be had as were wanted. */
  isPlentiful: boolean;
  /** Requests in the lease that runs, and in the one before. */
  uses: number;
  usesBefore: number;
  leaseBeganAt: number;
}

function createPurses(
  { server, local, monotonicNow }: SharedRequestCountsOptions,
  settle: (windows: readonly CountedWindow[], taking: Taking) => Taking,
) {
  const lease = server.leaseMilliseconds;
  const purses = new Map<CountedWindow['id'], Purse>();
  let sweeping: NodeJS.Timeout | null = null;

  function purseOf(window: CountedWindow, at: number): Purse {
    const known = purses.get(window.id);
    if (known !== undefined) return known;
    const fresh: Purse = {
      window,
      lots: [],
      held: 0,
      left: 0,
      leavesAt: at,
      waiting: [],
      isAsking: false,
      coming: 0,
      isPlentiful: true,
      uses: 0,
      usesBefore: 0,
      leaseBeganAt: at,
    };
    purses.set(window.id, fresh);
    sweepLater();
    return fresh;
  }

  function countUse(purse: Purse, at: number): void {
    const age = at - purse.leaseBeganAt;
    if (age >= lease) {
      purse.usesBefore = age < 2 * lease ? purse.uses : 0;
      purse.uses = 0;
      purse.leaseBeganAt = at;
    }
    purse.uses += 1;
  }

  /** How many to hold: what a lease uses, and not more than the share. One alone would be no gain. */
  function wantedAhead({ window, uses, usesBefore }: Purse): number {
    const most = Math.floor(window.limit * aheadShare);
    const recent = Math.max(uses, usesBefore);
    return most < 2 || recent < busyUsesMin ? 0 : Math.min(most, recent);
  }

  /** What was not used within its lease is given back. */
  function dropOld(purse: Purse, at: number): void {
    for (let [lot] = purse.lots; lot !== undefined && lot.until <= at; [lot] = purse.lots) {
      purse.lots.shift();
      returnLot(purse, lot);
    }
  }

  function returnLot(purse: Purse, { count, moment }: Lot): void {
    purse.held -= count;
    server.tell(backOperation([{ window: sharedWindow(purse.window), moment, count }]));
  }

  function returnLots(purse: Purse | undefined): void {
    for (const lot of purse?.lots.splice(0) ?? []) if (purse !== undefined) returnLot(purse, lot);
  }

  function stateOf(purse: Purse, at: number): RateLimitState {
    return {
      limit: purse.window.limit,
      remaining: Math.max(0, purse.left + purse.held),
      resetSeconds: wholeSeconds(purse.leavesAt - at),
    };
  }

  /** Puts away what was taken ahead; `sentAt`: before the server counted it. */
  function keep(purse: Purse, answer: TakeAnswer, wanted: number, sentAt: number): void {
    const [state] = answer.windows;
    if (state === undefined) return;
    purse.left = purse.window.limit - state.used;
    purse.leavesAt = monotonicNow() + leavesIn(purse.window, state);
    purse.isPlentiful = answer.ahead >= wanted;
    if (answer.ahead === 0) return;
    const moment = answer.now + (lease / 1000) * microsecondsOfSecond;
    purse.lots.push({ count: answer.ahead, until: sentAt + lease, moment });
    purse.held += answer.ahead;
  }

  /** Asks for whoever waits, and for what is to be held, with the call of this turn. */
  function ask(purse: Purse): void {
    if (purse.isAsking) return;
    purse.isAsking = true;
    let ahead = 0;
    let sentAt = 0;
    let waiting: Purse['waiting'] | null = null;
    const takeWaiting = () => {
      const all = purse.waiting;
      purse.waiting = [];
      purse.isAsking = false;
      return all;
    };
    const operation = takeOperation([sharedWindow(purse.window)], () => {
      waiting = takeWaiting();
      ahead = Math.max(0, wantedAhead(purse) - purse.held - purse.coming);
      purse.coming += ahead;
      sentAt = monotonicNow();
      return { wanted: waiting.length, ahead, isPartial: true };
    });
    void server.ask(operation).then((answer) => {
      purse.coming -= ahead;
      if (answer !== null) keep(purse, answer, ahead, sentAt);
      // Without a call they still wait.
      for (const [place, tellOne] of (waiting ?? takeWaiting()).entries()) tellOne(answer, place);
    });
  }

  function wait(purse: Purse): Promise<Taking> {
    const { window } = purse;
    const { limit } = window;
    ask(purse);
    return new Promise((resolve) => {
      purse.waiting.push((answer, place) => {
        const [state] = answer?.windows ?? [];
        if (answer === null || state === undefined) {
          resolve(local.take([window]));
          return;
        }
        const isAdmitted = place < answer.admitted;
        const told = {
          limit,
          remaining: isAdmitted
            ? Math.max(0, limit - state.used) + answer.ahead + (answer.admitted - 1 - place)
            : Math.max(0, limit - state.used),
          resetSeconds: wholeSeconds(isAdmitted ? leavesIn(window, state) : answer.waitMilliseconds),
        };
        if (!isAdmitted) resolve({ states: [told], refusedBy: 0, moments: null });
        else resolve(settle([window], { states: [told], refusedBy: null, moments: [state.moment] }));
      });
    });
  }

  /** Nobody has come for a while: nothing is held, and nothing is known of it. */
  function sweep(): void {
    sweeping = null;
    const at = monotonicNow();
    for (const [id, purse] of purses) {
      dropOld(purse, at);
      const isIdle = purse.lots.length === 0 && purse.waiting.length === 0 && purse.coming === 0;
      if (isIdle && at - purse.leaseBeganAt >= 2 * lease) purses.delete(id);
    }
    if (purses.size > 0) sweepLater();
  }

  function sweepLater(): void {
    sweeping ??= setTimeout(sweep, lease / 2).unref();
  }

  return {
    take(window: CountedWindow): Awaitable<Taking> {
      const at = monotonicNow();
      const purse = purseOf(window, at);
      purse.window = window;
      countUse(purse, at);
      dropOld(purse, at);
      const [lot] = purse.lots;
      if (lot === undefined) return wait(purse);
      lot.count -= 1;
      purse.held -= 1;
      if (lot.count === 0) purse.lots.shift();
      if (purse.isPlentiful && purse.coming === 0 && purse.held * 2 <= wantedAhead(purse)) ask(purse);
      return settle([window], { states: [stateOf(purse, at)], refusedBy: null, moments: [lot.moment] });
    },
    /** What is held here of an account is left of it. */
    withHeld(windows: readonly CountedWindow[], states: readonly RateLimitState[]): RateLimitState[] {
      return states.map((state, place) => {
        const window = windows[place];
        const held = window?.kind === 'account' ? (purses.get(window.id)?.held ?? 0) : 0;
        return { ...state, remaining: Math.min(state.limit, state.remaining + held) };
      });
    },
    /** What is held of these accounts. */
    giveBack(windows: readonly CountedWindow[]): void {
      for (const { kind, id } of windows) if (kind === 'account') returnLots(purses.get(id));
    },
    close(): void {
      if (sweeping !== null) clearTimeout(sweeping);
      for (const purse of purses.values()) returnLots(purse);
      purses.clear();
    },
  };
}

/** One key for each window: the kind says what the id is of. */
function sharedWindow({ kind, id, limit }: CountedWindow): SharedWindow {
  return { key: `sellthrough:1:${kind}:${id}`, seconds: secondsOf(kind), limit };
}

function statesOf(windows: readonly CountedWindow[], answer: TakeAnswer): readonly RateLimitState[] {
  return windows.map((window, place) => {
    const state = answer.windows[place];
    if (state === undefined) throw new Error('A window was not answered.');
    const isRefused = answer.refusedBy === place;
    return {
      limit: window.limit,
      remaining: Math.max(0, window.limit - state.used),
      resetSeconds: wholeSeconds(isRefused ? answer.waitMilliseconds : leavesIn(window, state)),
    };
  });
}

function momentsOf({ windows }: TakeAnswer): readonly Moment[] {
  return windows.map(({ moment }) => moment);
}

/** An empty window has all of it before it. */
function leavesIn({ kind }: CountedWindow, { used, leavesMilliseconds }: WindowState): number {
  return used === 0 ? secondsOf(kind) * 1000 : leavesMilliseconds;
}

function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
