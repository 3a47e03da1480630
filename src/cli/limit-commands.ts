// sellthrough limits …: what packages can grant; and the --limit option of packages.

import { Argument, Command, Option } from 'commander';
import type { Limit, Package, Sellthrough } from '../../sdk/src/index.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { wholeFrom } from './listing.ts';
import { type Column, textTable } from './text-table.ts';
import { withService } from './with-service.ts';

export type LimitValue = Package['limits'][string];

const kinds = ['count', 'switch', 'text'] as const;
const key = () => new Argument('<key>', 'such as storage_gb');

export function limitsCommand(): Command {
  return new Command('limits')
    .description('what packages can grant: list, set, remove (an administrator’s key; for list, any key)')
    .addCommand(listLimitsCommand())
    .addCommand(setLimitCommand())
    .addCommand(removeLimitCommand());
}

const columns: readonly Column<Limit>[] = [
  { title: 'KEY', value: ({ key }) => key },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'NAME', value: ({ name }) => name.en, mayShrink: true },
  { title: 'GERMAN', value: ({ name }) => name.de ?? null, mayShrink: true, mayLeave: true },
  { title: 'UNIT', value: ({ unit }) => unit?.en ?? null, mayLeave: true },
  { title: 'HIDDEN', value: ({ hidden }) => (hidden ? 'yes' : null), mayLeave: true },
];

function listLimitsCommand(): Command {
  return new Command('list')
    .description('the limits in their order')
    .option('--json', 'print them as JSON', false)
    .action(({ json }: { json: boolean }) =>
      withService(async (service) => {
        const data = await service.listLimits();
        answer(json, { data }, data.length === 0 ? 'No limits are defined.\n' : textTable(columns, data));
      }),
    );
}

function setLimitCommand(): Command {
  interface Options {
    readonly name: string;
    readonly nameDe?: string;
    readonly kind: (typeof kinds)[number];
    readonly unit?: string;
    readonly unitDe?: string;
    readonly position?: number;
    readonly hidden: boolean;
    readonly json: boolean;
  }
  return new Command('set')
    .description('define or change a limit; settings that are left out are removed')
    .addArgument(key())
    .requiredOption('--name <text>', 'its name')
    .option('--name-de <text>', 'its name in German')
    .addOption(new Option('--kind <kind>', 'what its values are').choices(kinds).makeOptionMandatory())
    .option('--unit <text>', 'after the value: GB')
    .option('--unit-de <text>', 'the unit in German')
    .option('--position <number>', 'its place in lists, lowest first (default: last)', wholeFrom(0))
    .option('--hidden', 'hide it from people', false)
    .option('--json', 'print it as JSON', false)
    .action((limitKey: string, { name, nameDe, kind, unit, unitDe, position, hidden, json }: Options) =>
      withService(async ({ admin }) => {
        if (unit === undefined && unitDe !== undefined)
          throw new CommandFailed('--unit-de needs --unit.', exitCodes.usage);
        const limit = await admin.setLimit(limitKey, {
          name: { en: name, ...(nameDe !== undefined && { de: nameDe }) },
          kind,
          ...(unit !== undefined && { unit: { en: unit, ...(unitDe !== undefined && { de: unitDe }) } }),
          ...(position !== undefined && { position }),
          hidden,
        });
        answer(json, limit, textTable(columns, [limit]));
      }),
    );
}

function removeLimitCommand(): Command {
  return new Command('remove')
    .description('delete a limit that no package for sale uses')
    .addArgument(key())
    .option('--json', 'print what was deleted as JSON', false)
    .action((limitKey: string, { json }: { json: boolean }) =>
      withService(async ({ admin }) => {
        const limit = await admin.deleteLimit(limitKey);
        answer(json, limit, `Limit ${limit.key} is deleted.\n`);
      }),
    );
}

export async function readLimitValues(
  { admin }: Sellthrough,
  options: readonly string[],
): Promise<Readonly<Record<string, LimitValue>>> {
  if (options.length === 0) return {};
  const limits = await admin.listDefinedLimits();
  return Object.fromEntries(
    options.map((option) => {
      const [, name = '', text = ''] = /^([^=]+)=(.*)$/.exec(option) ?? [];
      const limit = limits.find((one) => one.key === name);
      if (limit === undefined) {
        const known = limits.map((one) => one.key).join(', ') || 'none';
        throw new CommandFailed(
          `--limit ${option}: write key=value; the keys are ${known}.`,
          exitCodes.usage,
        );
      }
      return [name, readValue(limit, text)];
    }),
  );
}

function readValue({ key: name, kind }: Limit, text: string): LimitValue {
  if (kind === 'text') return text;
  if (kind === 'count') {
    if (text === 'unlimited') return null;
    if (/^\d{1,16}$/.test(text)) return Number(text);
    throw new CommandFailed(`--limit ${name}=${text}: write a whole number, or unlimited.`, exitCodes.usage);
  }
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new CommandFailed(`--limit ${name}=${text}: write yes or no.`, exitCodes.usage);
}

/** Writes "seats 10, sso yes", because "10 seats" is not grammatical for every name. */
export function shownLimits(limits: Readonly<Record<string, LimitValue>>): string | null {
  const shown = Object.entries(limits).map(([name, value]) => `${name} ${shownValue(value)}`);
  return shown.join(', ') || null;
}

function shownValue(value: LimitValue): string {
  if (value === null) return 'unlimited';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}
