// What the processes ask of the server that counts for all of them: the operations of shared-limits.lua, written as its
// KEYS and ARGV, and its answers read. Durations go over in microseconds and come back in milliseconds.
// Always true: an answer is used only when every number of it is one; a server that says anything else counts as away.

/** A sliding window at the server: what was admitted within `seconds` counts against the limit. */
export interface SharedWindow {
  readonly key: string;
  readonly seconds: number;
  readonly limit: number;
}

/** How failures of one kind make the next try wait: see AttemptLimits. */
export interface SharedFailures {
  readonly key: string;
  readonly free: number;
  readonly waitSecondsMax: number;
  readonly forgetSeconds: number;
}

/** The call that is being put together. */
export interface Call {
  readonly keys: string[];
  readonly words: (string | number)[];
}

/** One of the things that a call asks for. */
export interface LimitOperation<Answer> {
  /** When its call leaves: what it asks for may have grown until then. */
  write(call: Call): void;
  read(answer: AnswerNumbers): Answer;
}

/** Microseconds of the server's clock. */
export type Moment = number;

export interface WindowState {
  readonly used: number;
  /** Until one more is admitted or, where there is room, until the oldest leaves; 0: nothing is counted. */
  readonly leavesMilliseconds: number;
  /** From when on what was admitted just now counts; 0: nothing was. */
  readonly moment: Moment;
}

export interface TakeAnswer {
  /** When it was answered. */
  readonly now: Moment;
  readonly admitted: number;
  readonly reserved: number;
  /** Which window refused, from 0; null: none. */
  readonly refusedBy: number | null;
  /** Until that one admits as many as were wanted; 0: it would now, if all its limit were free. */
  readonly waitMilliseconds: number;
  readonly windows: readonly WindowState[];
}

export interface TakeOptions {
  readonly wanted: number;
  /** Taken as well where there is plenty, to be used within the lease. */
  readonly reserved?: number;
  /** Where not all are admitted, some are. */
  readonly isPartial?: boolean;
  /** In the windows before the one that refuses it counts all the same. */
  readonly isInTurn?: boolean;
  /** By window: one that was admitted with this moment is given back first. */
  readonly returned?: readonly Moment[];
}

/** @param options asked for when the call leaves */
export function takeOperation(
  windows: readonly SharedWindow[],
  options: () => TakeOptions,
): LimitOperation<TakeAnswer> {
  return {
    write({ keys, words }) {
      const { wanted, reserved = 0, isPartial = false, isInTurn = false, returned = [] } = options();
      words.push('take', windows.length, wanted, reserved, Number(isPartial), Number(isInTurn));
      for (const [place, { key, seconds, limit }] of windows.entries()) {
        keys.push(key);
        words.push(seconds * microsecondsOfSecond, limit, returned[place] ?? 0);
      }
    },
    read(answer) {
      const admitted = answer.next();
      const reserved = answer.next();
      const refused = answer.next();
      const waitMilliseconds = answer.nextMilliseconds();
      return {
        now: answer.now,
        admitted,
        reserved,
        refusedBy: refused === 0 ? null : refused - 1,
        waitMilliseconds,
        windows: windows.map(() => ({
          used: answer.next(),
          leavesMilliseconds: answer.nextMilliseconds(),
          moment: answer.next(),
        })),
      };
    },
  };
}

export interface Returned {
  readonly window: SharedWindow;
  readonly moment: Moment;
  readonly count: number;
}

export function backOperation(returned: readonly Returned[]): LimitOperation<null> {
  return {
    write({ keys, words }) {
      words.push('back', returned.length);
      for (const { window, moment, count } of returned) {
        keys.push(window.key);
        words.push(window.seconds * microsecondsOfSecond, moment, count);
      }
    },
    read: () => null,
  };
}

export interface TryAnswer {
  /** The failure is counted everywhere; otherwise nowhere, and something waits. */
  readonly isCounted: boolean;
  readonly now: Moment;
  readonly failures: readonly { readonly waitMilliseconds: number; readonly count: number }[];
  readonly windows: readonly { readonly waitMilliseconds: number; readonly moment: Moment }[];
}

export function tryOperation(
  failures: readonly SharedFailures[],
  windows: readonly SharedWindow[],
): LimitOperation<TryAnswer> {
  return {
    write({ keys, words }) {
      words.push('try', failures.length, windows.length);
      for (const each of failures) writeFailures({ keys, words }, each);
      for (const { key, seconds, limit } of windows) {
        keys.push(key);
        words.push(seconds * microsecondsOfSecond, limit);
      }
    },
    read(answer) {
      return {
        isCounted: answer.next() === 1,
        now: answer.now,
        failures: failures.map(() => ({ waitMilliseconds: answer.nextMilliseconds(), count: answer.next() })),
        windows: windows.map(() => ({ waitMilliseconds: answer.nextMilliseconds(), moment: answer.next() })),
      };
    },
  };
}

/** The failure of a try, which was no failure. */
export interface UndoneFailure {
  readonly failures: SharedFailures;
  readonly count: number;
  readonly moment: Moment;
}

export function undoOperation(undone: readonly UndoneFailure[]): LimitOperation<null> {
  return {
    write(call) {
      call.words.push('undo', undone.length);
      for (const { failures, count, moment } of undone) {
        writeFailures(call, failures);
        call.words.push(count, moment);
      }
    },
    read: () => null,
  };
}

export function forgetOperation(failures: readonly SharedFailures[]): LimitOperation<null> {
  return {
    write({ keys, words }) {
      words.push('forget', failures.length);
      keys.push(...failures.map(({ key }) => key));
    },
    read: () => null,
  };
}

function writeFailures(
  { keys, words }: Call,
  { key, free, waitSecondsMax, forgetSeconds }: SharedFailures,
): void {
  keys.push(key);
  words.push(free, waitSecondsMax * microsecondsOfSecond, forgetSeconds * microsecondsOfSecond);
}

/** What a call was answered with, read from left to right. */
export interface AnswerNumbers {
  readonly now: Moment;
  next(): number;
  nextMilliseconds(): number;
}

/** @throws Error when it is no list of numbers, or a shorter one than is read */
export function answerNumbers(answer: unknown): AnswerNumbers {
  const numbers: readonly unknown[] = Array.isArray(answer) ? answer : [];
  let place = 0;
  const next = () => {
    const number = numbers[place];
    place += 1;
    if (typeof number !== 'number') throw new Error('it answered what is no answer of the script');
    return number;
  };
  const now = next();
  return { now, next, nextMilliseconds: () => next() / 1000 };
}

export const microsecondsOfSecond = 1_000_000;
