// Counts requests against limits that all processes share, in a Valkey server, with one call per event-loop turn. For a busy
// account, a process reserves up to 1 % of the limit and admits that many requests without a call. Each process also counts
// locally, for when the server is away.
// Invariant: a reservation is used within its lease or returned, and counts until one window after the lease, so no window
// exceeds the limit.

import type { Awaitable } from '../../shared/awaitable.ts';
import {
  backOperation,
  type Moment,
  microsecondsOfSecond,
  type SharedWindow,
  type TakeAnswer,
  takeOperation,
  type WindowState,
} from './limit-operations.ts';
import type { LimitServer } from './limit-server.ts';
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
  close(): void;
}

/** Share of the limit that a process reserves for an account. */
const reservedPart = 1 / 100;
/** An account with at least this many requests in a lease counts as busy. */
const busyUsesMin = 5;

export function createSharedRequestCounts(options: SharedRequestCountsOptions): SharedRequestCounts {
  const { server, local, monotonicNow } = options;
  const reservations = createReservations(options, settle);

  /** True for one window after an outage: the server may have lost earlier counts and missed later ones. */
  function isDoubtful(kind: CountedWindow['kind'], at: number): boolean {
    const since = server.thereSince();
    return since === null || at - since < secondsOf(kind) * 1000;
  }

  /** Counts locally what the server admitted. If the server's count is doubtful, the local count may still refuse. */
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
    if (returned.length > 0) server.send(backOperation(returned));
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
      if (window?.kind === 'account' && windows.length === 1) return reservations.take(window);
      return takeAt(windows, false);
    },
    takeInTurn: (windows) =>
      server.thereSince() === null ? local.takeInTurn(windows) : takeAt(windows, true),
    async takeMany(windows, count, admitted) {
      // Return the reservation first: otherwise the part of the limit that this process reserved could not be used here.
      reservations.giveBack(windows);
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
        server.send(
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
        answer === null ? local.peek(windows) : reservations.withHeld(windows, statesOf(windows, answer)),
      );
    },
    close: reservations.close,
  };
}

interface Share {
  count: number;
  readonly until: number;
  readonly moment: Moment;
}

interface Reservation {
  window: CountedWindow;
  shares: Share[];
  held: number;
  /** From the last answer: how much is left apart from our reservation, and when the next use expires. */
  left: number;
  leavesAt: number;
  waiting: ((answer: TakeAnswer | null, place: number) => void)[];
  isAsking: boolean;
  /** How much was requested as a reserve and is not yet answered. */
  coming: number;
  /** True if the server granted the last reserve in full. */
  isPlentiful: boolean;
  /** Requests in the current lease, and in the previous one. */
  uses: number;
  usesBefore: number;
  leaseBeganAt: number;
}

function createReservations(
  { server, local, monotonicNow }: SharedRequestCountsOptions,
  settle: (windows: readonly CountedWindow[], taking: Taking) => Taking,
) {
  const lease = server.leaseMilliseconds;
  const reservations = new Map<CountedWindow['id'], Reservation>();
  let sweeping: NodeJS.Timeout | null = null;

  function reservationOf(window: CountedWindow, at: number): Reservation {
    const known = reservations.get(window.id);
    if (known !== undefined) return known;
    const fresh: Reservation = {
      window,
      shares: [],
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
    reservations.set(window.id, fresh);
    sweepLater();
    return fresh;
  }

  function countUse(reservation: Reservation, at: number): void {
    const age = at - reservation.leaseBeganAt;
    if (age >= lease) {
      reservation.usesBefore = age < 2 * lease ? reservation.uses : 0;
      reservation.uses = 0;
      reservation.leaseBeganAt = at;
    }
    reservation.uses += 1;
  }

  /** As much as recent leases used, up to the account's share. Never 1, because a reserve of one saves no call. */
  function wantedReserve({ window, uses, usesBefore }: Reservation): number {
    const most = Math.floor(window.limit * reservedPart);
    const recent = Math.max(uses, usesBefore);
    return most < 2 || recent < busyUsesMin ? 0 : Math.min(most, recent);
  }

  function dropOld(reservation: Reservation, at: number): void {
    for (
      let [share] = reservation.shares;
      share !== undefined && share.until <= at;
      [share] = reservation.shares
    ) {
      reservation.shares.shift();
      returnShare(reservation, share);
    }
  }

  function returnShare(reservation: Reservation, { count, moment }: Share): void {
    reservation.held -= count;
    server.send(backOperation([{ window: sharedWindow(reservation.window), moment, count }]));
  }

  function returnShares(reservation: Reservation | undefined): void {
    for (const share of reservation?.shares.splice(0) ?? [])
      if (reservation !== undefined) returnShare(reservation, share);
  }

  function stateOf(reservation: Reservation, at: number): RateLimitState {
    return {
      limit: reservation.window.limit,
      remaining: Math.max(0, reservation.left + reservation.held),
      resetSeconds: wholeSeconds(reservation.leavesAt - at),
    };
  }

  /** `sentAt`: the time before the call, so that the lease never ends too late. */
  function keep(reservation: Reservation, answer: TakeAnswer, wanted: number, sentAt: number): void {
    const [state] = answer.windows;
    if (state === undefined) return;
    reservation.left = reservation.window.limit - state.used;
    reservation.leavesAt = monotonicNow() + leavesIn(reservation.window, state);
    reservation.isPlentiful = answer.reserved >= wanted;
    if (answer.reserved === 0) return;
    const moment = answer.now + (lease / 1000) * microsecondsOfSecond;
    reservation.shares.push({ count: answer.reserved, until: sentAt + lease, moment });
    reservation.held += answer.reserved;
  }

  function ask(reservation: Reservation): void {
    if (reservation.isAsking) return;
    reservation.isAsking = true;
    let reserved = 0;
    let sentAt = 0;
    let waiting: Reservation['waiting'] | null = null;
    const takeWaiting = () => {
      const all = reservation.waiting;
      reservation.waiting = [];
      reservation.isAsking = false;
      return all;
    };
    const operation = takeOperation([sharedWindow(reservation.window)], () => {
      waiting = takeWaiting();
      reserved = Math.max(0, wantedReserve(reservation) - reservation.held - reservation.coming);
      reservation.coming += reserved;
      sentAt = monotonicNow();
      return { wanted: waiting.length, reserved, isPartial: true };
    });
    void server.ask(operation).then((answer) => {
      reservation.coming -= reserved;
      if (answer !== null) keep(reservation, answer, reserved, sentAt);
      // If no call was made, takeWaiting has not run yet.
      for (const [place, tellOne] of (waiting ?? takeWaiting()).entries()) tellOne(answer, place);
    });
  }

  function wait(reservation: Reservation): Promise<Taking> {
    const { window } = reservation;
    const { limit } = window;
    ask(reservation);
    return new Promise((resolve) => {
      reservation.waiting.push((answer, place) => {
        const [state] = answer?.windows ?? [];
        if (answer === null || state === undefined) {
          resolve(local.take([window]));
          return;
        }
        const isAdmitted = place < answer.admitted;
        const answered = {
          limit,
          remaining: isAdmitted
            ? Math.max(0, limit - state.used) + answer.reserved + (answer.admitted - 1 - place)
            : Math.max(0, limit - state.used),
          resetSeconds: wholeSeconds(isAdmitted ? leavesIn(window, state) : answer.waitMilliseconds),
        };
        if (!isAdmitted) resolve({ states: [answered], refusedBy: 0, moments: null });
        else resolve(settle([window], { states: [answered], refusedBy: null, moments: [state.moment] }));
      });
    });
  }

  function sweep(): void {
    sweeping = null;
    const at = monotonicNow();
    for (const [id, reservation] of reservations) {
      dropOld(reservation, at);
      const isIdle =
        reservation.shares.length === 0 && reservation.waiting.length === 0 && reservation.coming === 0;
      if (isIdle && at - reservation.leaseBeganAt >= 2 * lease) reservations.delete(id);
    }
    if (reservations.size > 0) sweepLater();
  }

  function sweepLater(): void {
    sweeping ??= setTimeout(sweep, lease / 2).unref();
  }

  return {
    take(window: CountedWindow): Awaitable<Taking> {
      const at = monotonicNow();
      const reservation = reservationOf(window, at);
      reservation.window = window;
      countUse(reservation, at);
      dropOld(reservation, at);
      const [share] = reservation.shares;
      if (share === undefined) return wait(reservation);
      share.count -= 1;
      reservation.held -= 1;
      if (share.count === 0) reservation.shares.shift();
      if (
        reservation.isPlentiful &&
        reservation.coming === 0 &&
        reservation.held * 2 <= wantedReserve(reservation)
      )
        ask(reservation);
      return settle([window], {
        states: [stateOf(reservation, at)],
        refusedBy: null,
        moments: [share.moment],
      });
    },
    /** Adds this process's reservation to what is left. */
    withHeld(windows: readonly CountedWindow[], states: readonly RateLimitState[]): RateLimitState[] {
      return states.map((state, place) => {
        const window = windows[place];
        const held = window?.kind === 'account' ? (reservations.get(window.id)?.held ?? 0) : 0;
        return { ...state, remaining: Math.min(state.limit, state.remaining + held) };
      });
    },
    giveBack(windows: readonly CountedWindow[]): void {
      for (const { kind, id } of windows) if (kind === 'account') returnShares(reservations.get(id));
    },
    close(): void {
      if (sweeping !== null) clearTimeout(sweeping);
      for (const reservation of reservations.values()) returnShares(reservation);
      reservations.clear();
    },
  };
}

/** Each window has its own key. The kind keeps equal ids of accounts, keys or sessions apart. */
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

/** The time until the next use expires; for an empty window, its whole length. */
function leavesIn({ kind }: CountedWindow, { used, leavesMilliseconds }: WindowState): number {
  return used === 0 ? secondsOf(kind) * 1000 : leavesMilliseconds;
}

function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
