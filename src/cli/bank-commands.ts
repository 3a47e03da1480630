// sellthrough bank …: statements of the bank account that top-ups are paid to.

import { readFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import type { BankLine, ImportBankStatementBody } from '../../sdk/src/index.ts';
import { whichAccount } from './account-list-commands.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { getAccount } from './find-account.ts';
import { type ListOptions, listCommand, printList, wholeFrom } from './listing.ts';
import { type Column, textRecord } from './text-table.ts';
import { withService } from './with-service.ts';

interface Json {
  readonly json: boolean;
}

const statuses = ['waiting', 'credited', 'returned', 'unmatched', 'ignored'] as const;
const csvColumns = ['date', 'amount', 'text', 'reference', 'payer', 'iban', 'id', 'currency', 'direction'];

const lineColumns: readonly Column<BankLine>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'DAY', value: ({ booked_on }) => booked_on },
  { title: 'AMOUNT', value: ({ amount }) => amount, align: 'right' },
  { title: 'CURRENCY', value: ({ currency }) => currency, mayLeave: true },
  { title: 'STATUS', value: ({ status, reason }) => (reason === null ? status : `${status}: ${reason}`) },
  { title: 'ACCOUNT', value: ({ account }) => account?.username ?? '' },
  { title: 'PAYER', value: ({ payer }) => payer.name ?? '', mayShrink: true },
  { title: 'TEXT', value: ({ text }) => text.replace(/\s+/g, ' '), mayShrink: true, mayLeave: true },
];

export function bankCommand(): Command {
  return new Command('bank')
    .description('bank statements: import, lines, assign, ignore (an administrator’s key)')
    .addCommand(importCommand())
    .addCommand(linesCommand())
    .addCommand(assignCommand())
    .addCommand(ignoreCommand());
}

function importCommand(): Command {
  interface Options extends Json {
    readonly csv?: NonNullable<ImportBankStatementBody['csv']>['columns'];
    readonly delimiter?: ',' | ';' | '\t' | '|';
    readonly decimal?: ',' | '.';
    readonly dates?: 'day_first' | 'month_first';
  }
  return new Command('import')
    .description('book the lines of a camt.053, camt.054, MT940 or CSV file; each line counts once')
    .argument('<file>', 'the file of the bank')
    .option(
      '--csv <columns>',
      'the columns of a CSV file: date=Booked,amount=Amount,text=Details (also reference, payer, iban, id, currency, direction)',
      readColumns,
    )
    .addOption(new Option('--delimiter <sign>', 'of a CSV file (default: found)').choices([',', ';', '|']))
    .addOption(new Option('--decimal <sign>', 'of a CSV file (default: found)').choices([',', '.']))
    .addOption(new Option('--dates <order>', 'of a CSV file').choices(['day_first', 'month_first']))
    .option('--json', 'print the answer as JSON', false)
    .action((file: string, { csv, delimiter, decimal, dates, json }: Options) =>
      withService(async ({ admin }) => {
        const columns = csv === undefined ? {} : { csv: { columns: csv, delimiter, decimal, dates } };
        const lines = await admin.importBankStatement({ file: readFile(file), ...columns });
        answer(json, { lines }, textRecord(Object.entries(lines)));
      }),
    );
}

function readFile(path: string): string {
  try {
    return readFileSync(path).toString('base64');
  } catch (error) {
    throw new CommandFailed(`Cannot read ${path}: ${String(error)}`, exitCodes.usage);
  }
}

function readColumns(text: string): NonNullable<ImportBankStatementBody['csv']>['columns'] {
  const named = text.split(',').map((part) => {
    const place = part.indexOf('=');
    return [part.slice(0, place).trim(), part.slice(place + 1).trim()] as const;
  });
  const unknown = named.find(([column, name]) => !csvColumns.includes(column) || name === '');
  const { date, amount, ...others } = Object.fromEntries(named);
  if (unknown !== undefined || date === undefined || amount === undefined)
    throw new CommandFailed(
      `--csv names the columns of the file, date and amount at least, such as date=Booked,amount=Amount. Others: ${csvColumns.slice(2).join(', ')}.`,
      exitCodes.usage,
    );
  return { date, amount, ...others };
}

function linesCommand(): Command {
  interface Options extends ListOptions {
    readonly status?: (typeof statuses)[number];
  }
  return listCommand('lines')
    .description('list lines of bank statements, newest first')
    .addOption(new Option('--status <status>', 'only lines of this status').choices(statuses))
    .action(({ status, ...options }: Options) =>
      withService(({ admin }) => {
        const filter = { status };
        return printList(
          {
            page: (query) => admin.listBankLines({ ...query, ...filter }),
            each: () => admin.eachBankLine(filter),
          },
          lineColumns,
          options,
        );
      }),
    );
}

const whichLine = () => new Argument('<line>', 'id of the line').argParser(wholeFrom(1));

function assignCommand(): Command {
  return new Command('assign')
    .description('credit an account with a line, or take back its payment that the line returned')
    .addArgument(whichLine())
    .addArgument(whichAccount())
    .option('--json', 'print the line as JSON', false)
    .action((id: number, named: string, { json }: Json) =>
      withService(async (service) => {
        const { id: account_id } = await getAccount(service, named);
        printLine(await service.admin.assignBankLine(id, { account_id }), json);
      }),
    );
}

function ignoreCommand(): Command {
  return new Command('ignore')
    .description('leave a line out, because it concerns no account')
    .addArgument(whichLine())
    .option('--json', 'print the line as JSON', false)
    .action((id: number, { json }: Json) =>
      withService(async ({ admin }) => printLine(await admin.ignoreBankLine(id), json)),
    );
}

function printLine(line: BankLine, json: boolean): void {
  const { id, booked_on, amount, currency, status, reason, account, payer } = line;
  const text = textRecord([
    ['id', id],
    ['day', booked_on],
    ['amount', `${amount} ${currency}`],
    ['payer', payer.name],
    ['account', account?.username ?? null],
    ['status', reason === null ? status : `${status}: ${reason}`],
  ]);
  answer(json, { line }, text);
}
