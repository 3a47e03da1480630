import { Argument, Command, Option } from 'commander';
import type { Account, Receivable } from '../../sdk/src/index.ts';
import { answer } from './command-end.ts';
import { getAccount } from './find-account.ts';
import { type ListOptions, listCommand, printList } from './listing.ts';
import { type Column, dayOf, textRecord } from './text-table.ts';
import { withService } from './with-service.ts';

export const groups = ['reseller', 'distributor'] as const;
export const whichAccount = () => new Argument('<account>', 'username or id');

const accountColumns: readonly Column<Account>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'USERNAME', value: ({ username }) => username, mayShrink: true },
  { title: 'GROUP', value: ({ group, is_admin }) => (is_admin ? 'administrator' : group) },
  { title: 'BALANCE', value: ({ balance }) => balance, align: 'right' },
  { title: 'ORDERS', value: ({ order_count }) => order_count, align: 'right' },
  { title: 'CUSTOMERS', value: ({ customer_count }) => customer_count, align: 'right', mayLeave: true },
  { title: 'STATE', value: stateOf },
  { title: 'CREATED', value: ({ created_at }) => dayOf(created_at), mayLeave: true },
];

function stateOf({ blocked, api_enabled, closed_at }: Account): string {
  if (closed_at !== undefined) return 'closed';
  if (blocked) return 'blocked';
  return api_enabled ? 'ok' : 'API off';
}

/** Administrators are in the price group distributor, but --group lists them only as administrators. */
const listedGroups = [...groups, 'administrator'] as const;

export function listAccountsCommand(): Command {
  interface Options extends ListOptions {
    readonly search?: string;
    readonly group?: (typeof listedGroups)[number];
  }
  return listCommand('list')
    .description('list accounts, newest first')
    .option('--search <text>', 'part of a username or display name')
    .addOption(new Option('--group <group>', 'only accounts of this group').choices(listedGroups))
    .action(({ search, group, ...options }: Options) =>
      withService(({ admin }) => {
        const filter = {
          q: search,
          ...(group === 'administrator'
            ? { is_admin: true }
            : group !== undefined && { group, is_admin: false }),
        };
        return printList(
          {
            page: (query) => admin.listAccounts({ ...query, ...filter }),
            each: () => admin.eachAccount(filter),
          },
          accountColumns,
          options,
        );
      }),
    );
}

const receivableColumns: readonly Column<Receivable>[] = [
  { title: 'ID', value: ({ account }) => account.id, align: 'right' },
  { title: 'USERNAME', value: ({ account }) => account.username, mayShrink: true },
  { title: 'OWES', value: ({ receivable }) => receivable, align: 'right' },
  { title: 'BALANCE', value: ({ balance }) => balance, align: 'right' },
  { title: 'SINCE', value: ({ since }) => dayOf(since) },
];

export function receivablesCommand(): Command {
  return listCommand('receivables')
    .description('list accounts that owe money, the most first')
    .action((options: ListOptions) =>
      withService(({ admin }) =>
        printList(
          { page: (query) => admin.listReceivables(query), each: () => admin.eachReceivable() },
          receivableColumns,
          options,
        ),
      ),
    );
}

export function showCommand(): Command {
  return new Command('show')
    .description('show one account')
    .addArgument(whichAccount())
    .option('--json', 'print it as JSON', false)
    .action((named: string, { json }: { json: boolean }) =>
      withService(async (service) => printAccount(await getAccount(service, named), json)),
    );
}

export function printAccount(account: Account, json: boolean): void {
  const text = textRecord([
    ['id', account.id],
    ['username', account.username],
    ['display name', account.display_name],
    ['email', account.email ?? null],
    ['group', account.is_admin ? `${account.group}, administrator` : account.group],
    ['balance', `${account.balance} ${account.currency}`],
    ['state', stateOf(account)],
    ['rate limit', `${account.rate_limit_per_minute} a minute`],
    ['allowed addresses', account.allowed_ips.join(', ') || 'all'],
    ['orders', account.order_count],
    ['customers', account.customer_count],
    ['created', account.created_at],
  ]);
  answer(json, account, text);
}
