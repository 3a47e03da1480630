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
    .option('--idempotency-key <key>', 'idempotency key: a repeat does nothing (default: generated)')
    .option('--json', 'print the answer as JSON', false);
}

export function cancelCommand(): Command {
  interface Options extends PlanOptions {
    readonly at: 'now' | 'period-end';
  }
  return planCommand('cancel')
    .description(
      'end a customer’s plan: now, with a refund of the unused time, or at the end of the paid time',
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
        const again = replayed ? 'This request was made before. Nothing was changed again.\n' : '';
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
    .description('suspend a customer until you resume them; the plan’s time continues')
    .option('--reason <text>', 'the reason, for the plan’s history')
    .action((id: number, { reason, idempotencyKey, json }: Options) =>
      withService(async (service) =>
        printCustomer(await service.suspendCustomer(id, { reason }, { idempotencyKey }), json),
      ),
    );
}

export function resumeCommand(): Command {
  return planCommand('resume')
    .description('end your suspension of a customer, and undo a cancel at the period’s end')
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
    .description('turn auto-renewal of a customer’s plan on or (--off) off')
    .option('--months <number>', 'months of each renewal: 1, 3 or 12', monthsOf)
    .option('--max-charge <amount>', 'the maximum charge of a renewal (default: no limit)')
    .option(
      '--hours-before <number>',
      `hours before its end, 1 to ${hoursBeforeMax} (default: 24)`,
      wholeFrom(1, hoursBeforeMax),
    )
    .addOption(new Option('--off', 'turn auto-renewal off; the plan runs to its end').default(false))
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
