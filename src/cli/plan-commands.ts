// sellthrough cancel, suspend, resume, auto-renew: a reseller's actions on its customers' plans. Cancel moves money, so it
// prints its idempotency key.

import { Argument, Command, Option } from 'commander';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { customerText, printCustomer } from './customer-commands.ts';
import { wholeFrom } from './listing.ts';
import { type Months, monthsOf } from './order-and-renew-commands.ts';
import { mintIdempotencyKey, withService } from './with-service.ts';

interface PlanOptions {
  readonly idempotencyKey?: string;
  readonly json: boolean;
}

const hoursBeforeMax = 720;

function planCommand(name: string): Command {
  return new Command(name)
    .addArgument(new Argument('<customer>', 'id, from "sellthrough customers"').argParser(wholeFrom(1)))
    .option(
      '--idempotency-key <key>',
      'your name for this request: if repeated, it counts once (default: generated)',
    )
    .option('--json', 'print the answer as JSON', false);
}

export function cancelCommand(): Command {
  interface Options extends PlanOptions {
    readonly at: 'now' | 'period-end';
  }
  return planCommand('cancel')
    .description(
      'end the plan of your customer: now, with a refund of the unused time, or when it has run out',
    )
    .addOption(new Option('--at <when>', 'when it ends').choices(['now', 'period-end']).makeOptionMandatory())
    .action((id: number, { at, idempotencyKey = mintIdempotencyKey(), json }: Options) =>
      withService(async (service) => {
        const body = { at: at === 'now' ? at : 'period_end' } as const;
        const cancelled = await service.cancelPlan(id, body, { idempotencyKey });
        const { customer, refund, balance, replayed } = cancelled;
        const money = [
          ['refund', refund],
          ['balance', balance],
          ['idempotency key', idempotencyKey],
        ] as const;
        const again = replayed ? 'This was answered before: nothing was changed now.\n' : '';
        answer(
          json,
          { ...cancelled, idempotency_key: idempotencyKey },
          customerText(customer, money) + again,
        );
      }),
    );
}

export function suspendCommand(): Command {
  interface Options extends PlanOptions {
    readonly reason?: string;
  }
  return planCommand('suspend')
    .description('let your customer in nowhere until you resume them; their plan’s time runs on')
    .option('--reason <text>', 'why, for the plan’s history')
    .action((id: number, { reason, idempotencyKey, json }: Options) =>
      withService(async (service) =>
        printCustomer(await service.suspendCustomer(id, { reason }, { idempotencyKey }), json),
      ),
    );
}

export function resumeCommand(): Command {
  return planCommand('resume')
    .description('lift your suspension of a customer, and take back a cancel at the period’s end')
    .action((id: number, { idempotencyKey, json }: PlanOptions) =>
      withService(async (service) =>
        printCustomer(await service.resumeCustomer(id, { idempotencyKey }), json),
      ),
    );
}

export function autoRenewCommand(): Command {
  interface Options extends PlanOptions {
    readonly months?: Months;
    readonly maxCharge?: string;
    readonly hoursBefore?: number;
    readonly off: boolean;
  }
  return planCommand('auto-renew')
    .description('let the plan of your customer renew itself, or (--off) no longer')
    .option('--months <number>', 'of each renewal: 1, 3 or 12', monthsOf)
    .option('--max-charge <amount>', 'the most that a renewal may be charged (default: no limit)')
    .option(
      '--hours-before <number>',
      `how long before its end, 1 to ${hoursBeforeMax} (default: 24)`,
      wholeFrom(1, hoursBeforeMax),
    )
    .addOption(new Option('--off', 'the plan runs to its end').default(false))
    .action((id: number, { months, maxCharge, hoursBefore, off, idempotencyKey, json }: Options) =>
      withService(async (service) => {
        if (off && (months ?? maxCharge ?? hoursBefore) !== undefined) {
          throw new CommandFailed(
            '--off cannot be combined with --months, --max-charge or --hours-before.',
            exitCodes.usage,
          );
        }
        if (off) return printCustomer(await service.removeAutoRenew(id, { idempotencyKey }), json);
        if (months === undefined) {
          throw new CommandFailed('Use --months or --off.', exitCodes.usage);
        }
        const body = { months, max_charge: maxCharge, hours_before: hoursBefore };
        printCustomer(await service.setAutoRenew(id, body, { idempotencyKey }), json);
      }),
    );
}
