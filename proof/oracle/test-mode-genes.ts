// What a history's numbers mean for accounts and test accounts side by side: weighted choices, the simplest first.

import { type Body, choices } from './history-genes.ts';

export type Mode = 'live' | 'test';

export const accountChoices = choices([4, 0], [2, 1], [2, 2]);

export const modeChoices = choices<Mode>([7, 'test'], [3, 'live']);

export const testModeOperations = choices(
  [20, 'place'],
  [12, 'living'],
  [5, 'spending'],
  [8, 'renew'],
  [10, 'auto_renew'],
  [5, 'cancel'],
  [3, 'suspend'],
  [3, 'resume'],
  [2, 'auto_renew_off'],
  [9, 'again'],
  [30, 'move'],
  [4, 'wrong_move'],
  [4, 'credit'],
  [5, 'test_credit'],
  [2, 'reset'],
  [10, 'crossed'],
  [3, 'test_route'],
  [8, 'wait'],
  [6, 'jobs'],
  [2, 'prices'],
  [4, 'schedule'],
  [2, 'unschedule'],
  [4, 'list'],
  [1, 'unlist'],
  [1, 'retire'],
  [1, 'group'],
  [2, 'closed'],
  [3, 'alerts'],
);

/** `next`: moves to one of the next seconds in which something is due. */
export const distances = choices<'next' | 'nowhere' | { readonly advance: string }>(
  [30, 'next'],
  [2, 'nowhere'],
  [2, { advance: 'PT1S' }],
  [3, { advance: 'PT6H' }],
  [4, { advance: 'P1D' }],
  [3, { advance: 'P2W' }],
  [10, { advance: 'P1M' }],
  [4, { advance: 'P3M' }],
  [2, { advance: 'P1M1DT1H1M1S' }],
  [3, { advance: 'P1Y' }],
  [1, { advance: 'P10Y' }],
);

export const offsets = choices([6, 0], [2, -1], [2, 1], [1, 6 * 3_600]);

export const moveKeys = choices<string | undefined>([6, undefined], [3, 'fresh'], [1, 'M1']);

export const wrongMoves = choices<Body>(
  [2, {}],
  [2, { advance: 'P0D' }],
  [2, { advance: '-P1D' }],
  [1, { advance: 'P1DT' }],
  [1, { advance: 'P1.5D' }],
  [1, { advance: 'a month' }],
  [1, { advance: null }],
  [2, { advance: 'P10YT1S' }],
  [2, { advance: 'P10000Y' }],
  [2, { now: '2020-01-01T00:00:00Z' }],
  [1, { now: '2201-01-01T00:00:00Z' }],
  [1, { now: '2027-02-30T00:00:00Z' }],
  [1, { now: 1_800_000_000 }],
  [2, { advance: 'P1D', now: '2040-01-01T00:00:00Z' }],
);

export const testCredits = choices<Body>(
  [2, { amount: '100.00' }],
  [3, { amount: '25.5', memo: 'tried' }],
  [1, { amount: '5000.00' }],
  [1, { amount: '1000000.00' }],
  [1, { amount: '1000000.01' }],
  [1, { amount: '0.00' }],
  [1, { amount: '-1.00' }],
  [1, { amount: 'much' }],
);

export const testCreditKeys = choices<string | undefined>([3, undefined], [3, 'C1'], [1, 'C2']);

/** Which wrong id is sent: of the other mode, of another account, or from before the reset. */
export const foreignPaths = choices<'other_mode' | 'foreign' | 'forgotten'>(
  [4, 'other_mode'],
  [3, 'foreign'],
  [4, 'forgotten'],
);

export const crossedRequests = choices(
  [3, 'look_at_order'],
  [3, 'look_at_customer'],
  [2, 'look_at_history'],
  [2, 'renew'],
  [2, 'cancel'],
  [1, 'suspend'],
  [1, 'auto_renew'],
);

export const testRoutes = choices([2, 'look_at_clock'], [3, 'move'], [2, 'test_credit'], [2, 'reset']);

/** Never a period's number of days, because the documents leave open a warning in a plan's first second (A115). */
export const alertChoices = choices<{ readonly below: bigint | null; readonly days: number | null }>(
  [3, { below: 20_000n, days: 3 }],
  [2, { below: 95_000n, days: null }],
  [2, { below: null, days: 33 }],
  [1, { below: null, days: 7 }],
  [1, { below: 1n, days: 50 }],
);

export const realWaits = choices(
  [4, 3_600],
  [4, 86_400],
  [4, 24 * 86_400],
  [2, 7 * 86_400],
  [2, 1],
  [1, 370 * 86_400],
);

export const liveAmounts = choices<bigint>([4, 20_000n], [2, 2_500n], [1, 100_000n], [1, -500n]);
