// Writes the KEYS and ARGV for the operations of shared-limits.lua, and parses the answers. Durations are sent in
// microseconds and returned in milliseconds.
// Invariant: an answer that contains anything but numbers counts as an outage.

export interface SharedWindow {
  readonly key: string;
  readonly seconds: number;
  readonly limit: number;
}

export interface SharedFailures {
  readonly key: string;
  readonly free: number;
  readonly waitSecondsMax: number;
  readonly forgetSeconds: number;
}

export interface Call {
  readonly keys: string[];
  readonly words: (string | number)[];
}

export interface LimitOperation<Answer> {
  /** Called when the call is sent, because the operation may grow until then. */
  write(call: Call): void;
  read(answer: AnswerNumbers): Answer;
}

/** Microseconds of the server's clock. */
export type Moment = number;

export interface WindowState {
  readonly used: number;
  /** Time until the next use is admitted or, with room left, until the oldest use expires; 0 if nothing is counted. */
  readonly leavesMilliseconds: number;
  readonly moment: Moment;
}

export interface TakeAnswer {
  readonly now: Moment;
  readonly admitted: number;
  readonly reserved: number;
  /** Index of the window that refuses, or null. */
  readonly refusedBy: number | null;
  /** Time until the refusing window has room for all wanted requests, or for its limit if that is less; 0 if it is empty. */
  readonly waitMilliseconds: number;
  readonly windows: readonly WindowState[];
}

export interface TakeOptions {
  readonly wanted: number;
  /** Reserved in addition, for use within the lease, if plenty is left. */
  readonly reserved?: number;
  /** If not all requests fit, admits as many as do. */
  readonly isPartial?: boolean;
  /** The windows before the one that refuses keep their count. */
  readonly isInTurn?: boolean;
  /** One for each window: an earlier admission to return first, or 0. */
  readonly returned?: readonly Moment[];
}

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
  /** True: counted as a failure by every name and network. False: not counted, because one of them must wait. */
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

export interface AnswerNumbers {
  readonly now: Moment;
  next(): number;
  nextMilliseconds(): number;
}

/** @throws Error unless it is a long enough list of numbers */
export function answerNumbers(answer: unknown): AnswerNumbers {
  const numbers: readonly unknown[] = Array.isArray(answer) ? answer : [];
  let place = 0;
  const next = () => {
    const number = numbers[place];
    place += 1;
    if (typeof number !== 'number') throw new Error('it sent an invalid answer');
    return number;
  };
  const now = next();
  return { now, next, nextMilliseconds: () => next() / 1000 };
}

export const microsecondsOfSecond = 1_000_000;
