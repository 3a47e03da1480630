// sellthrough test …: test mode's clock, credit and reset, with a test key (sk_test_…).

import { Command } from 'commander';
import type { MoveTestClockBody } from '../../sdk/src/index.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { commandIo } from './command-io.ts';
import { textRecord } from './text-table.ts';
import { mintIdempotencyKey, withService } from './with-service.ts';

interface Common {
  readonly idempotencyKey?: string;
  readonly json: boolean;
}

export function testCommand(): Command {
  return new Command('test')
    .description('test mode: its clock, credit, reset (a test key, sk_test_…)')
    .addCommand(clockCommand())
    .addCommand(creditCommand())
    .addCommand(resetCommand());
}

function command(name: string, description: string, json: string): Command {
  return new Command(name)
    .description(description)
    .option('--idempotency-key <key>', 'idempotency key: a repeat does nothing (default: generated)')
    .option('--json', `print ${json} as JSON`, false);
}

function clockCommand(): Command {
  interface Options extends Common {
    readonly advance?: string;
    readonly to?: string;
  }
  return command('clock', 'what time it is in the test; moves it forward where that is asked', 'the answer')
    .option('--advance <duration>', 'move the clock by this: P1D, P1W, P1M, P1Y, PT12H …')
    .option('--to <time>', 'move the clock to this time: 2027-01-31T00:00:00Z')
    .action(({ advance, to, idempotencyKey = mintIdempotencyKey(), json }: Options) =>
      withService(async ({ testMode }) => {
        if (advance === undefined && to === undefined) {
          const clock = await testMode.getTestClock();
          answer(json, { clock }, `${clock.now}\n`);
          return;
        }
        if (advance !== undefined && to !== undefined) {
          throw new CommandFailed('Use either --advance or --to.', exitCodes.usage);
        }
        const body: MoveTestClockBody = advance === undefined ? { now: to } : { advance };
        let moved = await testMode.moveTestClock(body, { idempotencyKey });
        while (!moved.reached && moved.stopped_by === undefined) {
          commandIo().stderr.write(`The clock is at ${moved.clock.now} and still moving.\n`);
          moved = await testMode.moveTestClock(body, { idempotencyKey });
        }
        const { renewals, renewals_failed, ended, warnings } = moved.happened;
        const text = textRecord([
          ['clock', moved.clock.now],
          ['plans renewed', renewals],
          ['renewals refused', renewals_failed],
          ['plans ended', ended],
          ['notices of an end', warnings],
          ['idempotency key', idempotencyKey],
        ]);
        answer(json, { ...moved, idempotency_key: idempotencyKey }, text);
        if (moved.stopped_by !== undefined) {
          const sentence =
            'The clock stopped because the test account is full. Run "sellthrough test reset".';
          throw new CommandFailed(sentence, exitCodes.refused);
        }
      }),
    );
}

function creditCommand(): Command {
  return command('credit', 'add test money to the test account’s balance', 'the answer')
    .argument('<amount>', 'up to 1000000.00')
    .option('--memo <text>', 'what it is for')
    .action(
      (amount: string, { memo, idempotencyKey = mintIdempotencyKey(), json }: Common & { memo?: string }) =>
        withService(async ({ testMode }) => {
          const credited = await testMode.creditTest({ amount, memo }, { idempotencyKey });
          const text = textRecord([
            ['balance', credited.balance],
            ['idempotency key', idempotencyKey],
          ]);
          answer(json, { ...credited, idempotency_key: idempotencyKey }, text);
        }),
    );
}

function resetCommand(): Command {
  return command('reset', 'delete the test’s data; only its keys stay', 'the answer').action(
    ({ idempotencyKey = mintIdempotencyKey(), json }: Common) =>
      withService(async ({ testMode }) => {
        const done = await testMode.resetTest({ idempotencyKey });
        const text = `The test begins again: ${done.balance} of credit, and it is ${done.clock.now}.\n`;
        answer(json, { ...done, idempotency_key: idempotencyKey }, text);
      }),
  );
}
