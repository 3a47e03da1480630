// sellthrough account-prices …: the prices of one account, with an administrator's key.

import { Argument, Command } from 'commander';
import type { AccountPriceList, ListAccountPricesAnswer, SetAccountPricesBody } from '../../sdk/src/index.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { getAccount } from './find-account.ts';
import { collected, wholeFrom } from './listing.ts';
import { type Column, textTable } from './text-table.ts';
import { withService } from './with-service.ts';

type NamedPrices = SetAccountPricesBody['prices'][number];

const periods = ['monthly', 'quarterly', 'yearly'] as const;

export function accountPricesCommand(): Command {
  return new Command('account-prices')
    .description('prices of one account: list, set, remove (an administrator’s key)')
    .addCommand(listCommand())
    .addCommand(setCommand())
    .addCommand(removeCommand());
}

function command(name: string, description: string, json: string): Command {
  return new Command(name)
    .description(description)
    .argument('<account>', 'username or id')
    .option('--json', `print ${json} as JSON`, false);
}

function listCommand(): Command {
  return command('list', 'its price lists, latest first, and its current prices', 'them').action(
    (account: string, { json }: { json: boolean }) =>
      withService(async (service) => {
        const { id } = await getAccount(service, account);
        const prices = await service.admin.listAccountPrices(id);
        answer(json, prices, `${listsText(prices)}\n${paidNowText(prices)}`);
      }),
  );
}

function setCommand(): Command {
  interface Options {
    readonly price?: string[];
    readonly percentOff?: string;
    readonly groupPrices?: true;
    readonly from?: string;
    readonly until?: string;
    readonly memo?: string;
    readonly json: boolean;
  }
  return command('set', 'set its price list from a time on; it replaces the earlier list as a whole', 'it')
    .option(
      '--price <package:period=price>',
      'a price for a package, by its id: 2:yearly=290.00 (repeatable)',
      collected,
    )
    .option('--percent-off <percent>', 'percent off the group’s price, where no --price is given: 12.50')
    .option('--group-prices', 'return the account to the prices of its group')
    .option('--from <time>', 'when it begins: 2027-01-01T00:00:00Z (default: now)')
    .option('--until <time>', 'when it returns to its group’s prices (default: when the next list begins)')
    .option('--memo <text>', 'a note that only administrators see')
    .action((account: string, { price = [], percentOff, groupPrices, from, until, memo, json }: Options) =>
      withService(async (service) => {
        const namesPrices = price.length > 0 || percentOff !== undefined;
        if (namesPrices === (groupPrices ?? false))
          throw new CommandFailed('Use --price, --percent-off or both, or --group-prices.', exitCodes.usage);
        const prices = parsePrices(price);
        const { id } = await getAccount(service, account);
        const list = await service.admin.setAccountPrices(id, {
          prices,
          ...(percentOff !== undefined && { percent_off: percentOff }),
          ...(from !== undefined && { from }),
          ...(until !== undefined && { until }),
          ...(memo !== undefined && { memo }),
        });
        answer(json, list, textTable(columns, [list]));
      }),
    );
}

function removeCommand(): Command {
  return command('remove', 'delete a price list that has not begun', 'what was deleted')
    .addArgument(
      new Argument('<list>', 'id, from "sellthrough account-prices list <account>"').argParser(wholeFrom(1)),
    )
    .action((account: string, listId: number, { json }: { json: boolean }) =>
      withService(async (service) => {
        const { id } = await getAccount(service, account);
        const list = await service.admin.deleteAccountPrices(id, listId);
        answer(json, list, `Price list ${list.id} is deleted. It would have begun at ${list.from}.\n`);
      }),
    );
}

const columns: readonly Column<AccountPriceList>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'FROM', value: ({ from }) => from },
  { title: 'UNTIL', value: ({ until }) => until },
  { title: 'STATE', value: ({ begun }) => (begun ? 'begun' : 'to come') },
  { title: '% OFF', value: ({ percent_off }) => percent_off, align: 'right' },
  { title: 'PRICES', value: shownPrices, mayShrink: true },
  { title: 'MEMO', value: ({ memo }) => memo, mayShrink: true, mayLeave: true },
];

function shownPrices({ prices }: AccountPriceList): string | null {
  const shown = prices.flatMap((named) =>
    periods.flatMap((period) =>
      named[period] === undefined ? [] : [`${named.package_id}:${period}=${named[period]}`],
    ),
  );
  return shown.join(' ') || null;
}

function listsText({ data }: ListAccountPricesAnswer): string {
  return data.length === 0 ? 'The account has no price lists.\n' : textTable(columns, data);
}

type Paid = ListAccountPricesAnswer['now'][number]['prices'][number] & { readonly name: string };

const paidColumns: readonly Column<Paid>[] = [
  { title: 'PACKAGE', value: ({ name }) => name, mayShrink: true },
  { title: 'PERIOD', value: ({ period }) => period },
  { title: 'PAYS NOW', value: ({ price }) => price, align: 'right' },
  { title: 'GROUP', value: ({ group_price }) => group_price, align: 'right' },
];

function paidNowText({ now, group }: ListAccountPricesAnswer): string {
  const own = now.flatMap(({ package: { name }, prices }) =>
    prices.filter(({ price_rule }) => price_rule !== 'group').map((paid): Paid => ({ name, ...paid })),
  );
  return own.length === 0 ? `Now it pays the prices of its group, ${group}.\n` : textTable(paidColumns, own);
}

function parsePrices(options: readonly string[]): NamedPrices[] {
  const byPackage = new Map<number, NamedPrices>();
  for (const option of options) {
    const [, id = '', name, price] = /^([1-9]\d{0,8}):(\w+)=(\d{1,12}(?:\.\d{1,2})?)$/.exec(option) ?? [];
    const period = periods.find((one) => one === name);
    if (period === undefined || price === undefined) {
      throw new CommandFailed(
        `--price ${option}: write package:period=price, such as 2:yearly=290.00. The periods are ${periods.join(', ')}.`,
        exitCodes.usage,
      );
    }
    const named = byPackage.get(Number(id)) ?? { package_id: Number(id) };
    if (named[period] !== undefined)
      throw new CommandFailed(`--price ${option}: this price is given twice.`, exitCodes.usage);
    byPackage.set(Number(id), { ...named, [period]: price });
  }
  return [...byPackage.values()];
}
