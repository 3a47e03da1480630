// Test mode's clock, credit and reset, as `client.testMode`. Needs a test key, `sk_test_…`; all other methods also work
// with such a key. There is one method for each operation, named as in openapi.json.

import type {
  CreditTestAnswer,
  CreditTestBody,
  MoveTestClockAnswer,
  MoveTestClockBody,
  ResetTestAnswer,
  TestClock,
} from './api-types.ts';
import type { CallOperation } from './operation-caller.ts';
import type { CallOptions, KeyedCallOptions } from './transport.ts';

/** True if the key was used before: this is the first answer again, and nothing happened this time. */
interface Replayable {
  replayed: boolean;
}

export type MovedTestClock = MoveTestClockAnswer & Replayable;
export type CreditedTest = CreditTestAnswer & Replayable;
export type ResetTest = ResetTestAnswer & Replayable;

/** Longer than the service takes, which is 30 s or slightly more under load. */
const moveMilliseconds = 45_000;

export class TestModeClient {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /** Errors: test_mode_only. */
  async getTestClock(options?: CallOptions): Promise<TestClock> {
    return (await this.#call('getTestClock', { options })).body.clock;
  }

  /**
   * Moves the clock and runs everything that is due on the way. If `reached` is false, repeat with the same key and body.
   * If `stopped_by` is test_full, reset the test instead. Errors: test_mode_only, clock_moving, reset_in_progress,
   * test_full, order_failed, validation_failed.
   */
  async moveTestClock(body: MoveTestClockBody, options?: KeyedCallOptions): Promise<MovedTestClock> {
    const answer = await this.#call('moveTestClock', {
      body,
      options: { timeoutMs: moveMilliseconds, totalTimeoutMs: 3 * moveMilliseconds, ...options },
    });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** Errors: test_mode_only, test_full, order_failed, validation_failed. */
  async creditTest(body: CreditTestBody, options?: KeyedCallOptions): Promise<CreditedTest> {
    const answer = await this.#call('creditTest', { body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** Deletes everything in the test except its keys. Errors: test_mode_only, reset_in_progress. */
  async resetTest(options?: KeyedCallOptions): Promise<ResetTest> {
    const answer = await this.#call('resetTest', { options });
    return { ...answer.body, replayed: answer.replayed };
  }
}
