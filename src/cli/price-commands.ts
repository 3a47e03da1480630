// sellthrough package schedule, prices, unschedule: future prices.

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { ScheduledPrices, SchedulePricesBody } from '../../sdk/src/index.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { wholeFrom } from './listing.ts';
import { type Column, textTable } from './text-table.ts';
import { withService } from './with-service.ts';

type GroupPrices = NonNullable<SchedulePricesBody['prices']['reseller']>;

const periods = ['monthly', 'quarterly', 'yearly'] as const;
const existingPlans = ['new', 'held'] as const;
const whichPackage = () => new Argument('<package>', 'id').argParser(wholeFrom(1));
const fromOption = ['--from <time>', 'the first second: 2027-01-01T00:00:00Z'] as const;

export function schedulePricesCommand(): Command {
  interface Options {
    readonly from: string;
    readonly reseller?: GroupPrices;
    readonly distributor?: GroupPrices;
    readonly existingPlans?: (typeof existingPlans)[number];
    readonly json: boolean;
  }
  return new Command('schedule')
    .description('schedule prices from a time on; a price left blank stays unchanged')
    .addArgument(whichPackage())
    .requiredOption(...fromOption)
    .option('--reseller <prices>', 'monthly,quarterly,yearly for resellers: 17,,170', parseSomePrices)
    .option('--distributor <prices>', 'the same for distributors', parseSomePrices)
    .addOption(
      new Option(
        '--existing-plans <which>',
        'what running plans pay: new (the default) or held, their old price',
      ).choices(existingPlans),
    )
    .option('--json', 'print them as JSON', false)
    .action((id: number, { from, reseller, distributor, existingPlans: plans, json }: Options) =>
      withService(async ({ admin }) => {
        if (reseller === undefined && distributor === undefined)
          throw new CommandFailed('Use --reseller or --distributor.', exitCodes.usage);
        const prices = { ...(reseller && { reseller }), ...(distributor && { distributor }) };
        const scheduled = await admin.schedulePrices(id, {
          from,
          prices,
          ...(plans !== undefined && { existing_plans: plans }),
        });
        answer(json, scheduled, textTable(columns, [scheduled]));
      }),
    );
}

export function listPricesCommand(): Command {
  return new Command('prices')
    .description('scheduled and past prices of a package, latest first')
    .addArgument(whichPackage())
    .option('--json', 'print them as JSON', false)
    .action((id: number, { json }: { json: boolean }) =>
      withService(async ({ admin }) => {
        const data = await admin.listScheduledPrices(id);
        answer(json, { data }, data.length === 0 ? 'Nothing was scheduled.\n' : textTable(columns, data));
      }),
    );
}

export function unschedulePricesCommand(): Command {
  return new Command('unschedule')
    .description('delete prices that have not begun')
    .addArgument(whichPackage())
    .requiredOption(...fromOption)
    .option('--json', 'print what was deleted as JSON', false)
    .action((id: number, { from, json }: { from: string; json: boolean }) =>
      withService(async ({ admin }) => {
        const deleted = await admin.unschedulePrices(id, { from });
        answer(json, deleted, `The prices from ${deleted.from} on are deleted.\n`);
      }),
    );
}

const columns: readonly Column<ScheduledPrices>[] = [
  { title: 'FROM', value: ({ from }) => from },
  { title: 'STATE', value: ({ begun }) => (begun ? 'begun' : 'to come') },
  { title: 'PLANS', value: ({ existing_plans }) => existing_plans },
  ...(['reseller', 'distributor'] as const).flatMap((group) =>
    periods.map(
      (period, index): Column<ScheduledPrices> => ({
        title: `${group.slice(0, 4).toUpperCase()}. ${[1, 3, 12][index]}`,
        value: ({ prices }) => prices[group]?.[period] ?? null,
        align: 'right',
      }),
    ),
  ),
];

function parseSomePrices(text: string): GroupPrices {
  const places = text.split(',').map((price) => price.trim());
  const isRight = places.every((price) => price === '' || /^\d{1,12}(\.\d{1,2})?$/.test(price));
  const named = periods.flatMap((period, index) => (places[index] ? [[period, places[index]]] : []));
  if (!isRight || places.length !== periods.length || named.length === 0) {
    throw new InvalidArgumentError(
      'It must be three amounts, of which some may be blank: monthly,quarterly,yearly such as 17,,170.',
    );
  }
  return Object.fromEntries(named);
}
