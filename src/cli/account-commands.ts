// sellthrough account …: what an administrator does with accounts.

import { createInterface } from 'node:readline/promises';
import { Argument, Command, Option } from 'commander';
import type { Account } from '../../sdk/src/index.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { getAccount } from './find-account.ts';
import { type ListOptions, listCommand, printList, wholeFrom } from './listing.ts';
import { type Column, dayOf, textRecord } from './text-table.ts';
import { mintIdempotencyKey, withService } from './with-service.ts';

interface Json {
  readonly json: boolean;
}

const groups = ['reseller', 'distributor'] as const;
const whichAccount = () => new Argument('<account>', 'username or id');

export function accountCommand(): Command {
  return new Command('account')
    .description('accounts: create, list, show, credit, block, unblock, key (an administrator’s key)')
    .addCommand(createCommand())
    .addCommand(listAccountsCommand())
    .addCommand(showCommand())
    .addCommand(creditCommand())
    .addCommand(blockCommand('block', true))
    .addCommand(blockCommand('unblock', false))
    .addCommand(keyCommand());
}

function createCommand(): Command {
  interface Options extends Json {
    readonly group: (typeof groups)[number];
    readonly name?: string;
    readonly rateLimit?: number;
    readonly allow?: string[];
  }
  return new Command('create')
    .description('create an account; its API key and password are printed once')
    .argument('<username>', '3 to 64 characters: a-z, 0-9, dot, underscore, hyphen')
    .addOption(new Option('--group <group>', 'whose prices it pays').choices(groups).default('reseller'))
    .option('--name <text>', 'display name')
    .option('--rate-limit <number>', 'requests per minute', wholeFrom(1, 1_000_000))
    .option('--allow <address>', 'address or CIDR range that may use the key (repeatable)', collected)
    .option('--json', 'print the answer as JSON', false)
    .action((username: string, { group, name, rateLimit, allow, json }: Options) =>
      withService(async ({ admin }) => {
        const created = await admin.createAccount({
          username,
          group,
          display_name: name,
          rate_limit_per_minute: rateLimit,
          allowed_ips: allow,
        });
        const { account, api_key, password } = created;
        const secrets = [['API key', api_key] as const, ['password', password ?? null] as const];
        answer(
          json,
          created,
          `${textRecord([['id', account.id], ['username', account.username], ['group', account.group], ...secrets])}The key and the password are shown only now.\n`,
        );
      }),
    );
}

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

function stateOf({ blocked, api_enabled }: Account): string {
  if (blocked) return 'blocked';
  return api_enabled ? 'ok' : 'API off';
}

function listAccountsCommand(): Command {
  interface Options extends ListOptions {
    readonly search?: string;
    readonly group?: (typeof groups)[number];
  }
  return listCommand('list')
    .description('list accounts, newest first')
    .option('--search <text>', 'part of a username or display name')
    .addOption(new Option('--group <group>', 'only accounts of this group').choices(groups))
    .action(({ search, group, ...options }: Options) =>
      withService(({ admin }) =>
        printList(
          {
            page: (query) => admin.listAccounts({ ...query, q: search, group }),
            each: () => admin.eachAccount({ q: search, group }),
          },
          accountColumns,
          options,
        ),
      ),
    );
}

function showCommand(): Command {
  return new Command('show')
    .description('show one account')
    .addArgument(whichAccount())
    .option('--json', 'print it as JSON', false)
    .action((named: string, { json }: Json) =>
      withService(async (service) => printAccount(await getAccount(service, named), json)),
    );
}

function printAccount(account: Account, json: boolean): void {
  const text = textRecord([
    ['id', account.id],
    ['username', account.username],
    ['display name', account.display_name],
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

function creditCommand(): Command {
  interface Options extends Json {
    readonly memo?: string;
    readonly idempotencyKey?: string;
  }
  return new Command('credit')
    .description('add credit to an account; a negative amount takes it back')
    .addArgument(whichAccount())
    .argument('<amount>', 'for example 100.00 or -5.00')
    .option('--memo <text>', 'what it is for; the account sees it')
    .option(
      '--idempotency-key <key>',
      'your name for this payment: if repeated, it counts once (default: generated)',
    )
    .option('--json', 'print the answer as JSON', false)
    .action((named: string, amount: string, { memo, idempotencyKey = mintIdempotencyKey(), json }: Options) =>
      withService(async (service) => {
        const account = await getAccount(service, named);
        const credited = await service.admin.creditAccount(account.id, { amount, memo }, { idempotencyKey });
        const { entry, balance, replayed } = credited;
        const what = replayed ? 'was booked before; nothing moved this time' : 'booked';
        answer(
          json,
          { ...credited, idempotency_key: idempotencyKey },
          `${entry.amount} ${entry.currency} for ${account.username} ${what}; balance ${balance} ${entry.currency} (idempotency key ${idempotencyKey}).\n`,
        );
      }),
    );
}

function blockCommand(name: 'block' | 'unblock', blocked: boolean): Command {
  return new Command(name)
    .description(
      blocked
        ? 'stop an account’s API and panel at once; its customers’ plans run on'
        : 'let a blocked account in again',
    )
    .addArgument(whichAccount())
    .option('--json', 'print the account as JSON', false)
    .action((named: string, { json }: Json) =>
      withService(async (service) => {
        const { id } = await getAccount(service, named);
        const changed = await service.admin.changeAccount(id, { blocked });
        answer(json, changed, `${changed.username} is ${blocked ? 'blocked' : 'not blocked'}.\n`);
      }),
    );
}

function keyCommand(): Command {
  interface Options extends Json {
    readonly yes: boolean;
  }
  return new Command('key')
    .description('replace an account’s API key: the old one is refused from that moment on')
    .addArgument(whichAccount())
    .option('--yes', 'do not ask; needed where there is no terminal', false)
    .option('--json', 'print the key as JSON', false)
    .action((named: string, { yes, json }: Options) =>
      withService(async (service) => {
        const { id, username } = await getAccount(service, named);
        if (!yes) await confirm(`Replace the key of ${username}? Whatever uses the old one stops working.`);
        const made = await service.admin.resetApiKey(id);
        answer(json, { ...made, username }, `${made.api_key}\n`);
      }),
    );
}

/** @throws CommandFailed unless a person says yes */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandFailed('Nothing was changed: without a terminal this needs --yes.', exitCodes.usage);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const said = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(said.trim())) throw new CommandFailed('Nothing was changed.', exitCodes.usage);
}

function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}
