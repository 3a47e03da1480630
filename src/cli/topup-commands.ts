// sellthrough topups …: add funds and look what became of it; for an administrator, the top-ups of all accounts and refunds.

import { Argument, Command, Option } from 'commander';
import type { ListedTopup, Topup } from '../../sdk/src/index.ts';
import { answer } from './command-end.ts';
import { getAccount } from './find-account.ts';
import { type ListOptions, listCommand, printList, printNewest, wholeFrom } from './listing.ts';
import { type Column, minuteOf, textRecord } from './text-table.ts';
import { mintIdempotencyKey, withService } from './with-service.ts';

interface MoneyOptions {
  readonly idempotencyKey?: string;
  readonly json: boolean;
}

const statuses = [
  ...(['open', 'processing', 'paid', 'partly_refunded', 'refunded', 'disputed'] as const),
  ...(['expired', 'failed', 'cancelled'] as const),
];
const methods = { card: 'card', bank: 'bank_transfer' } as const;

const ownColumns: readonly Column<Topup>[] = [
  { title: 'TOP-UP', value: ({ id }) => id, align: 'right' },
  { title: 'MADE', value: ({ created_at }) => minuteOf(created_at) },
  { title: 'METHOD', value: ({ method }) => method },
  { title: 'AMOUNT', value: ({ amount }) => amount, align: 'right' },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'REFERENCE', value: ({ reference }) => reference, mayShrink: true, mayLeave: true },
];

const allColumns: readonly Column<ListedTopup>[] = [
  ...ownColumns.map(({ value, ...column }) => ({
    ...column,
    value: ({ topup }: ListedTopup) => value(topup),
  })),
  { title: 'ACCOUNT', value: ({ account }) => account.username, mayShrink: true },
  { title: 'ATTENTION', value: ({ needs_attention }) => needs_attention ?? '', mayLeave: true },
];

export function topupsCommand(): Command {
  return new Command('topups')
    .description('add funds, and list, show, cancel and refund top-ups')
    .addCommand(addCommand())
    .addCommand(listOwnCommand())
    .addCommand(showCommand())
    .addCommand(cancelCommand())
    .addCommand(listAllCommand())
    .addCommand(refundCommand());
}

const whichTopup = () => new Argument('<topup>', 'id of the top-up').argParser(wholeFrom(1));
const keyOption = () =>
  new Option('--idempotency-key <key>', 'idempotency key: a repeat does nothing (default: generated)');
const jsonOption = () => new Option('--json', 'print the answer as JSON').default(false);

function addCommand(): Command {
  interface Options extends MoneyOptions {
    readonly by: keyof typeof methods;
  }
  return new Command('add')
    .description('print where to pay; the balance rises once the money has come')
    .argument('<amount>', 'such as 100.00')
    .addOption(new Option('--by <method>', 'how you pay').choices(Object.keys(methods)).default('card'))
    .addOption(keyOption())
    .addOption(jsonOption())
    .action((amount: string, { by, idempotencyKey = mintIdempotencyKey(), json }: Options) =>
      withService(async (service) => {
        const topup = await service.createTopup({ amount, method: methods[by] }, { idempotencyKey });
        printTopup(topup, json, idempotencyKey);
      }),
    );
}

function listOwnCommand(): Command {
  return listCommand('list')
    .description('list your top-ups, newest first')
    .action((options: ListOptions) =>
      withService((service) =>
        printList(
          { page: (query) => service.listTopups(query), each: () => service.eachTopup() },
          ownColumns,
          options,
        ),
      ),
    );
}

function showCommand(): Command {
  return new Command('show')
    .description('show one of your top-ups')
    .addArgument(whichTopup())
    .addOption(jsonOption())
    .action((id: number, { json }: MoneyOptions) =>
      withService(async (service) => printTopup(await service.getTopup(id), json)),
    );
}

function cancelCommand(): Command {
  return new Command('cancel')
    .description('cancel an open top-up; money that comes all the same is credited')
    .addArgument(whichTopup())
    .addOption(jsonOption())
    .action((id: number, { json }: MoneyOptions) =>
      withService(async (service) => printTopup(await service.cancelTopup(id), json)),
    );
}

function listAllCommand(): Command {
  interface Options extends Omit<ListOptions, 'page'> {
    readonly account?: string;
    readonly status?: (typeof statuses)[number];
    readonly by?: keyof typeof methods;
  }
  return new Command('all')
    .description('list the top-ups of all accounts, newest first (an administrator’s key)')
    .option('--account <account>', 'of this account: username or id')
    .addOption(new Option('--status <status>', 'only top-ups of this status').choices(statuses))
    .addOption(new Option('--by <method>', 'only top-ups paid this way').choices(Object.keys(methods)))
    .option('--limit <number>', 'how many', wholeFrom(1), 25)
    .option('--all', 'all of them', false)
    .option('--json', 'print JSON: a list, or with --all one item on each line', false)
    .action(({ account, status, by, ...options }: Options) =>
      withService(async (service) => {
        const accountId = account === undefined ? undefined : (await getAccount(service, account)).id;
        const filter = { account_id: accountId, status, method: by && methods[by] };
        await printNewest(service.admin.eachOfAllTopups(filter), allColumns, options);
      }),
    );
}

function refundCommand(): Command {
  interface Options extends MoneyOptions {
    readonly reason?: string;
    readonly allowReceivable: boolean;
  }
  return new Command('refund')
    .description('send money of a top-up back, and take it from the balance (an administrator’s key)')
    .addArgument(whichTopup())
    .argument('<amount>', 'such as 25.00')
    .option('--reason <text>', 'for the audit log')
    .option('--allow-receivable', 'also if the balance is smaller: the account then owes the rest', false)
    .addOption(keyOption())
    .addOption(jsonOption())
    .action((id: number, amount: string, options: Options) =>
      withService(async ({ admin }) => {
        const { reason, allowReceivable, idempotencyKey = mintIdempotencyKey(), json } = options;
        const body = { amount, reason, allow_receivable: allowReceivable };
        const refunded = await admin.refundTopup(id, body, { idempotencyKey });
        const { topup, refund } = refunded;
        const text = textRecord([
          ['top-up', topup.id],
          ['refunded', `${refund.amount} ${topup.currency}`],
          ['refund', refund.status],
          ['status', topup.status],
          ['idempotency key', idempotencyKey],
        ]);
        answer(json, { ...refunded, idempotency_key: idempotencyKey }, text);
      }),
    );
}

function bankRows({ holder, iban, bic }: NonNullable<Topup['bank']>) {
  const rows = [['holder', holder] as const, ['IBAN', iban] as const];
  return bic === null ? rows : [...rows, ['BIC', bic] as const];
}

function printTopup(topup: Topup, json: boolean, idempotencyKey?: string): void {
  const { id, status, amount, currency, method, reference, credited_at, pay_url, bank } = topup;
  const text = textRecord([
    ['top-up', id],
    ['amount', `${amount} ${currency}`],
    ['method', method],
    ['status', status],
    ['refunded', topup.refunded],
    ['disputed', topup.disputed],
    ['credited', credited_at],
    ...(pay_url === undefined ? [] : [['pay here', pay_url] as const]),
    ...(bank === undefined ? [] : bankRows(bank)),
    ['reference', reference],
    ...(idempotencyKey === undefined ? [] : [['idempotency key', idempotencyKey] as const]),
  ]);
  answer(json, idempotencyKey === undefined ? { topup } : { topup, idempotency_key: idempotencyKey }, text);
}
