// sellthrough account …: administers accounts. Lists: account-list-commands.ts.

import { Argument, Command, Option } from 'commander';
import type { ChangeAccountBody } from '../../sdk/src/index.ts';
import {
  groups,
  listAccountsCommand,
  printAccount,
  receivablesCommand,
  showCommand,
  whichAccount,
} from './account-list-commands.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { confirm } from './confirm.ts';
import { printCustomer } from './customer-commands.ts';
import { getAccount } from './find-account.ts';
import { collected, wholeFrom } from './listing.ts';
import { textRecord } from './text-table.ts';
import { mintIdempotencyKey, withService } from './with-service.ts';

interface Json {
  readonly json: boolean;
}

export function accountCommand(): Command {
  return new Command('account')
    .description(
      'accounts: create, list, show, edit, credit, receivables, write-off, trial, block, unblock, close, end-sessions, key (an administrator’s key)',
    )
    .addCommand(createCommand())
    .addCommand(listAccountsCommand())
    .addCommand(showCommand())
    .addCommand(editCommand())
    .addCommand(creditCommand())
    .addCommand(receivablesCommand())
    .addCommand(writeOffCommand())
    .addCommand(trialCommand())
    .addCommand(blockCommand('block', true))
    .addCommand(blockCommand('unblock', false))
    .addCommand(closeCommand())
    .addCommand(endSessionsCommand())
    .addCommand(keyCommand());
}

function createCommand(): Command {
  interface Options extends Json {
    readonly group: (typeof groups)[number];
    readonly name?: string;
    readonly email?: string;
    readonly invite?: true;
    readonly rateLimit?: number;
    readonly allow?: string[];
  }
  return new Command('create')
    .description('create an account; its API key and password are printed once')
    .argument('<username>', '3 to 64 characters: a-z, 0-9, dot, underscore, hyphen')
    .addOption(new Option('--group <group>', 'whose prices it pays').choices(groups).default('reseller'))
    .option('--name <text>', 'display name')
    .option('--email <address>', 'where its holder gets mail')
    .option('--invite', 'mail a link to --email for choosing a password, instead of generating one')
    .option('--rate-limit <number>', 'requests per minute', wholeFrom(1, 1_000_000))
    .option('--allow <address>', 'address or CIDR range that may use the key (repeatable)', collected)
    .option('--json', 'print the answer as JSON', false)
    .action((username: string, { group, name, email, invite, rateLimit, allow, json }: Options) =>
      withService(async ({ admin }) => {
        const created = await admin.createAccount({
          username,
          group,
          display_name: name,
          email,
          invite,
          rate_limit_per_minute: rateLimit,
          allowed_ips: allow,
        });
        const { account, api_key, password, invitation } = created;
        const link = email === undefined ? (invitation?.url ?? null) : null;
        const secrets = [
          ['API key', api_key] as const,
          ...(invite ? [['invited', email ?? link] as const] : [['password', password ?? null] as const]),
        ];
        const shownOnce = invite
          ? link !== null
            ? 'The key and the link are shown only now; the link is good for seven days.'
            : 'The key is shown only now; the link in the mail is good for seven days.'
          : 'The key and the password are shown only now; the panel asks for a new password.';
        answer(
          json,
          created,
          `${textRecord([['id', account.id], ['username', account.username], ['group', account.group], ...secrets])}${shownOnce}\n`,
        );
      }),
    );
}

function editCommand(): Command {
  interface Options extends Json {
    readonly group?: (typeof groups)[number];
    readonly name?: string;
    readonly email?: string;
    readonly rateLimit?: number;
    readonly allow?: string[];
    readonly allowAll?: true;
    readonly api?: 'on' | 'off';
    readonly confirm?: true;
  }
  return new Command('edit')
    .description('change an account: only the given settings, from its next request on')
    .addArgument(whichAccount())
    .addOption(new Option('--group <group>', 'whose prices it pays').choices(groups))
    .option('--name <text>', 'display name')
    .option('--email <address>', 'where its holder gets mail; an empty one: nowhere')
    .option('--rate-limit <number>', 'requests per minute', wholeFrom(1, 1_000_000))
    .option(
      '--allow <address>',
      'address or CIDR range that may use the key (repeatable); replaces the whole list',
      collected,
    )
    .addOption(
      new Option('--allow-all', 'empty the list, so that every address may use the key').conflicts('allow'),
    )
    .addOption(new Option('--api <state>', 'switch its API on or off').choices(['on', 'off']))
    .option('--confirm', 'set the list even if it leaves out the address you are using')
    .option('--json', 'print the account as JSON', false)
    .action(
      (named: string, { group, name, email, rateLimit, allow, allowAll, api, confirm, json }: Options) =>
        withService(async (service) => {
          const change: ChangeAccountBody = {
            ...(group !== undefined && { group }),
            ...(name !== undefined && { display_name: name }),
            ...(email !== undefined && { email }),
            ...(rateLimit !== undefined && { rate_limit_per_minute: rateLimit }),
            ...(allow !== undefined && { allowed_ips: allow }),
            ...(allowAll && { allowed_ips: [] }),
            ...(api !== undefined && { api_enabled: api === 'on' }),
          };
          if (Object.keys(change).length === 0) {
            throw new CommandFailed(
              'Nothing to change. See "sellthrough account edit --help" for the options.',
              exitCodes.usage,
            );
          }
          const { id } = await getAccount(service, named);
          printAccount(
            await service.admin.changeAccount(id, confirm ? { ...change, confirm } : change),
            json,
          );
        }),
    );
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
    .option('--idempotency-key <key>', 'idempotency key: a repeat books nothing again (default: generated)')
    .option('--json', 'print the answer as JSON', false)
    .action((named: string, amount: string, { memo, idempotencyKey = mintIdempotencyKey(), json }: Options) =>
      withService(async (service) => {
        const account = await getAccount(service, named);
        const credited = await service.admin.creditAccount(account.id, { amount, memo }, { idempotencyKey });
        const { entry, balance, settled, receivable, replayed } = credited;
        const what = replayed ? 'was already booked; nothing was booked again' : 'booked';
        const paid =
          settled === undefined
            ? ''
            : `; ${settled} of it settled the receivable, ${receivable} is still owed`;
        answer(
          json,
          { ...credited, idempotency_key: idempotencyKey },
          `${entry.amount} ${entry.currency} for ${account.username} ${what}${paid}; balance ${balance} ${entry.currency} (idempotency key ${idempotencyKey}).\n`,
        );
      }),
    );
}

function writeOffCommand(): Command {
  interface Options extends Json {
    readonly memo: string;
    readonly idempotencyKey?: string;
  }
  return new Command('write-off')
    .description('write off what an account owes; moves no money')
    .addArgument(whichAccount())
    .argument('[amount]', 'for example 100.00 (default: all of it)')
    .requiredOption('--memo <text>', 'why, for the audit log')
    .option('--idempotency-key <key>', 'idempotency key: a repeat books nothing again (default: generated)')
    .option('--json', 'print the answer as JSON', false)
    .action(
      (
        named: string,
        amount: string | undefined,
        { memo, idempotencyKey = mintIdempotencyKey(), json }: Options,
      ) =>
        withService(async (service) => {
          const account = await getAccount(service, named);
          const body = { amount, memo };
          const written = await service.admin.writeOffReceivable(account.id, body, { idempotencyKey });
          const { written_off, receivable, currency, replayed } = written;
          const what = replayed ? 'had been written off before' : 'written off';
          answer(
            json,
            { ...written, idempotency_key: idempotencyKey },
            `${written_off} ${currency} of ${account.username} ${what}; ${receivable} ${currency} is still owed (idempotency key ${idempotencyKey}).\n`,
          );
        }),
    );
}

function trialCommand(): Command {
  interface Options extends Json {
    readonly name?: string;
    readonly again: boolean;
    readonly idempotencyKey?: string;
  }
  return new Command('trial')
    .description('give a customer of an account a free trial; charges nothing')
    .addArgument(whichAccount())
    .addArgument(new Argument('<package>', 'id of a free trial').argParser(wholeFrom(1)))
    .argument('<customer>', 'e-mail address or username, as in "sellthrough order"; created if new')
    .option('--name <text>', 'display name of a new customer')
    .option('--again', 'even if the customer has had this trial before', false)
    .option('--idempotency-key <key>', 'idempotency key: a repeat does nothing (default: generated)')
    .option('--json', 'print the customer as JSON', false)
    .action((named: string, packageId: number, customer: string, options: Options) =>
      withService(async (service) => {
        const { name, again, idempotencyKey, json } = options;
        const { id } = await getAccount(service, named);
        const given = await service.admin.grantTrial(
          id,
          { package_id: packageId, customer, customer_name: name, again: again || undefined },
          { idempotencyKey },
        );
        printCustomer(given, json);
      }),
    );
}

function blockCommand(name: 'block' | 'unblock', blocked: boolean): Command {
  return new Command(name)
    .description(
      blocked
        ? 'stop an account’s API and panel at once; its customers’ plans continue'
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

function closeCommand(): Command {
  interface Options extends Json {
    readonly balance: 'paid_out' | 'written_off';
    readonly memo: string;
    readonly idempotencyKey?: string;
    readonly yes: boolean;
  }
  return new Command('close')
    .description('close an account for good, once nothing of it runs or is open; cannot be undone')
    .addArgument(whichAccount())
    .addOption(
      new Option('--balance <what>', 'what becomes of its balance')
        .choices(['paid_out', 'written_off'])
        .makeOptionMandatory(),
    )
    .requiredOption('--memo <text>', 'why, or how it was paid out, for the ledger and the audit log')
    .option('--idempotency-key <key>', 'idempotency key: a repeat does nothing again (default: generated)')
    .option('--yes', 'do not ask; needed where there is no terminal', false)
    .option('--json', 'print the answer as JSON', false)
    .action((named: string, options: Options) =>
      withService(async (service) => {
        const { balance, memo, idempotencyKey = mintIdempotencyKey(), yes, json } = options;
        const account = await getAccount(service, named);
        if (!yes)
          await confirm(
            `Close ${account.username} for good, with a balance of ${account.balance} ${account.currency}? It cannot be opened again.`,
          );
        const closed = await service.admin.closeAccount(account.id, { balance, memo }, { idempotencyKey });
        const { amount, written_off, currency, replayed } = closed;
        const owed =
          written_off === '0.00' ? '' : `; ${written_off} ${currency} that it owed was written off`;
        answer(
          json,
          { ...closed, idempotency_key: idempotencyKey },
          `${account.username} ${replayed ? 'was closed before' : 'is closed'}; ${amount} ${currency} left its balance${owed} (idempotency key ${idempotencyKey}).\n`,
        );
      }),
    );
}

function endSessionsCommand(): Command {
  return new Command('end-sessions')
    .description('end all panel sessions of an account; its password and key stay valid')
    .addArgument(whichAccount())
    .option('--json', 'print the answer as JSON', false)
    .action((named: string, { json }: Json) =>
      withService(async (service) => {
        const { id, username } = await getAccount(service, named);
        const done = await service.admin.endAccountSessions(id);
        answer(json, { ...done, username }, `Sessions of ${username} ended: ${done.ended}.\n`);
      }),
    );
}

function keyCommand(): Command {
  interface Options extends Json {
    readonly yes: boolean;
  }
  return new Command('key')
    .description('replace an account’s API key; the old one stops working at once')
    .addArgument(whichAccount())
    .option('--yes', 'do not ask; needed where there is no terminal', false)
    .option('--json', 'print the key as JSON', false)
    .action((named: string, { yes, json }: Options) =>
      withService(async (service) => {
        const { id, username } = await getAccount(service, named);
        if (!yes)
          await confirm(`Replace the key of ${username}? Anything that uses the old one stops working.`);
        const made = await service.admin.resetApiKey(id);
        answer(json, { ...made, username }, `${made.api_key}\n`);
      }),
    );
}
