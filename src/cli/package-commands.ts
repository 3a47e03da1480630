import { Argument, Command, InvalidArgumentError } from 'commander';
import {
  type AdminPackage,
  type ChangePackageBody,
  isSellthroughError,
  type Package,
  type Sellthrough,
} from '../../sdk/src/index.ts';
import { type Period, periodNames } from '../shared/periods.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { type LimitValue, readLimitValues, shownLimits } from './limit-commands.ts';
import { wholeFrom } from './listing.ts';
import { listPricesCommand, schedulePricesCommand, unschedulePricesCommand } from './price-commands.ts';
import { type Column, textRecord, textTable } from './text-table.ts';
import { withService } from './with-service.ts';

interface GroupPrices {
  readonly monthly: string;
  readonly quarterly: string;
  readonly yearly: string;
}

interface PackageOptions {
  readonly reseller?: GroupPrices;
  readonly distributor?: GroupPrices;
  readonly feature?: string[];
  readonly limit?: string[];
  readonly accounts?: number;
  readonly postsPerDay?: number;
  readonly aiImagesPerMonth?: number;
  readonly durationDays?: number;
  readonly description?: string;
  readonly periods?: Period[];
  readonly json: boolean;
}

const whichPackage = () => new Argument('<package>', 'id').argParser(wholeFrom(1));

export function packageCommand(): Command {
  return new Command('package')
    .description(
      'packages: create, list, edit, retire, schedule prices (an administrator’s key; for list, any key)',
    )
    .addCommand(createCommand())
    .addCommand(listPackagesCommand())
    .addCommand(editCommand())
    .addCommand(retireCommand())
    .addCommand(schedulePricesCommand())
    .addCommand(listPricesCommand())
    .addCommand(unschedulePricesCommand());
}

function withPackageOptions(command: Command): Command {
  return command
    .option('--reseller <prices>', 'monthly,quarterly,yearly for resellers: 10.00,27.00,96.00', parsePrices)
    .option('--distributor <prices>', 'the same for distributors', parsePrices)
    .option('--description <text>', 'description for people; "" removes it')
    .option('--periods <periods>', 'periods that it is sold for: monthly,quarterly,yearly', parsePeriods)
    .option('--feature <text>', 'a feature shown to people (repeatable)', (text, before: string[] = []) => [
      ...before,
      text,
    ])
    .option(
      '--limit <key=value>',
      'what it grants: seats=10, storage_gb=unlimited, sso=yes (repeatable)',
      (text, before: string[] = []) => [...before, text],
    )
    .option('--accounts <number>', 'limit: accounts', wholeFrom(0))
    .option('--posts-per-day <number>', 'limit: posts a day', wholeFrom(0))
    .option('--ai-images-per-month <number>', 'limit: AI images a month', wholeFrom(0))
    .option('--duration-days <number>', 'length in days; applies only to free trials', wholeFrom(1, 3650))
    .option('--json', 'print the package as JSON', false);
}

function createCommand(): Command {
  interface Options extends PackageOptions {
    readonly trial: boolean;
  }
  return withPackageOptions(
    new Command('create')
      .description('create a package; unless it is a free trial, it needs the prices of both groups')
      .argument('<name>'),
  )
    .option('--trial', 'a free trial: without prices, given by an administrator', false)
    .action((name: string, options: Options) =>
      withService(async (service) => {
        const { admin } = service;
        const { reseller, distributor, trial } = options;
        if (!trial && (reseller === undefined || distributor === undefined)) {
          throw new CommandFailed(
            'A package needs --reseller and --distributor prices, or --trial.',
            exitCodes.usage,
          );
        }
        if (trial && (reseller !== undefined || distributor !== undefined)) {
          throw new CommandFailed(
            'A free trial has no prices. Leave out --reseller and --distributor, or --trial.',
            exitCodes.usage,
          );
        }
        const created = await admin.createPackage({
          name,
          trial,
          ...settingsOf(options),
          limits: {
            ...newLimitsOfFirstEdition(options),
            ...(await readLimitValues(service, options.limit ?? [])),
          },
          ...(reseller && distributor && { prices: { reseller, distributor } }),
        });
        printPackage(created, options.json);
      }),
    );
}

function editCommand(): Command {
  interface Options extends PackageOptions {
    readonly name?: string;
    readonly retired?: boolean;
    readonly removeLimit?: string[];
  }
  return withPackageOptions(
    new Command('edit')
      .description('change a package: only the given settings; new prices apply to new orders')
      .addArgument(whichPackage()),
  )
    .option('--name <text>', 'its name')
    .option(
      '--remove-limit <key>',
      'a limit to remove from it (repeatable)',
      (key, before: string[] = []) => [...before, key],
    )
    .option('--no-retired', 'allow it to be ordered again')
    .action((id: number, options: Options, command: Command) =>
      withService(async (service) => {
        const isReopened = command.getOptionValueSource('retired') === 'cli';
        const limits = await readLimitValues(service, options.limit ?? []);
        const change = changeOf(options, limits, isReopened);
        if (Object.keys(change).length === 0) {
          throw new CommandFailed(
            'Nothing to change. See "sellthrough package edit --help" for the options.',
            exitCodes.usage,
          );
        }
        printPackage(await service.admin.changePackage(id, change), options.json);
      }),
    );
}

function changeOf(
  options: PackageOptions & { readonly name?: string; readonly removeLimit?: string[] },
  otherLimits: Readonly<Record<string, LimitValue>>,
  isReopened: boolean,
): ChangePackageBody {
  const { name, removeLimit, reseller, distributor } = options;
  const limits = { ...limitsOfFirstEdition(options), ...otherLimits };
  const prices = { ...(reseller && { reseller }), ...(distributor && { distributor }) };
  return {
    ...(name !== undefined && { name }),
    ...settingsOf(options),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(removeLimit !== undefined && { remove_limits: removeLimit }),
    ...(Object.keys(prices).length > 0 && { prices }),
    ...(isReopened && { retired: false }),
  };
}

function settingsOf({ description, feature, durationDays, periods }: PackageOptions) {
  return {
    ...(description !== undefined && { description: description.trim() || null }),
    ...(feature !== undefined && { features: feature }),
    ...(durationDays !== undefined && { duration_days: durationDays }),
    ...(periods !== undefined && { periods }),
  };
}

function limitsOfFirstEdition({ accounts, postsPerDay, aiImagesPerMonth }: PackageOptions) {
  return {
    ...(accounts !== undefined && { accounts }),
    ...(postsPerDay !== undefined && { posts_per_day: postsPerDay }),
    ...(aiImagesPerMonth !== undefined && { ai_images_per_month: aiImagesPerMonth }),
  };
}

/** A new package that has one of the three limits must have all of them, so the others are 0. */
function newLimitsOfFirstEdition(options: PackageOptions) {
  const given = limitsOfFirstEdition(options);
  return Object.keys(given).length === 0
    ? {}
    : { accounts: 0, posts_per_day: 0, ai_images_per_month: 0, ...given };
}

function retireCommand(): Command {
  return new Command('retire')
    .description('stop selling a package; running plans can still be renewed')
    .addArgument(whichPackage())
    .option('--json', 'print the package as JSON', false)
    .action((id: number, { json }: { json: boolean }) =>
      withService(async ({ admin }) => {
        const retired = await admin.changePackage(id, { retired: true });
        answer(
          json,
          retired,
          `${retired.name} is retired: it can no longer be ordered, but can still be renewed.\n`,
        );
      }),
    );
}

const adminColumns: readonly Column<AdminPackage>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'NAME', value: ({ name }) => name, mayShrink: true },
  { title: 'STATE', value: ({ trial, retired }) => (retired ? 'retired' : trial ? 'trial' : 'ok') },
  ...(['reseller', 'distributor'] as const).flatMap((group) =>
    (
      [
        ['1', 'monthly'],
        ['3', 'quarterly'],
        ['12', 'yearly'],
      ] as const
    ).map(
      ([months, period]): Column<AdminPackage> => ({
        title: `${group.slice(0, 4).toUpperCase()}. ${months}`,
        value: ({ prices, periods }) => (periods.includes(period) ? prices[group][period] : null),
        align: 'right',
        ...(months !== '1' && { mayLeave: true }),
      }),
    ),
  ),
];

const ownColumns: readonly Column<Package>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'NAME', value: ({ name }) => name, mayShrink: true },
  ...([1, 3, 12] as const).map(
    (months): Column<Package> => ({
      title: `${months} MONTH${months === 1 ? '' : 'S'}`,
      value: ({ prices }) => prices.find((one) => one.months === months)?.price ?? null,
      align: 'right',
    }),
  ),
];

function listPackagesCommand(): Command {
  return new Command('list')
    .description('list packages: all, with every price; with a reseller’s key, those it can order')
    .option('--json', 'print them as JSON', false)
    .action(({ json }: { json: boolean }) => withService((service) => printPackages(service, json)));
}

async function printPackages(service: Sellthrough, json: boolean): Promise<void> {
  let all: AdminPackage[];
  try {
    all = await service.admin.listAllPackages();
  } catch (error) {
    if (!isSellthroughError(error, 'forbidden')) throw error;
    const own = await service.listPackages();
    return answer(json, own, textTable(ownColumns, own.data));
  }
  answer(json, { data: all }, textTable(adminColumns, all));
}

function printPackage(one: AdminPackage, json: boolean): void {
  const { reseller, distributor } = one.prices;
  const prices = ({ monthly, quarterly, yearly }: GroupPrices) =>
    `${monthly} / ${quarterly} / ${yearly} ${one.currency}`;
  const text = textRecord([
    ['id', one.id],
    ['name', one.name],
    ['description', one.description],
    ['state', one.retired ? 'retired' : one.trial ? 'free trial' : 'can be ordered'],
    ['sold', one.trial ? null : one.periods.join(', ')],
    ['reseller', prices(reseller)],
    ['distributor', prices(distributor)],
    ['features', one.features.join('; ') || null],
    ['limits', shownLimits(one.limits)],
    ['duration', `${one.duration_days} days`],
  ]);
  answer(json, one, text);
}

function parsePrices(text: string): GroupPrices {
  const [monthly, quarterly, yearly, more] = text.split(',').map((price) => price.trim());
  const isPrice = (price: string | undefined): price is string => /^\d{1,12}(\.\d{1,2})?$/.test(price ?? '');
  if (!isPrice(monthly) || !isPrice(quarterly) || !isPrice(yearly) || more !== undefined) {
    throw new InvalidArgumentError(
      'It must be three amounts: monthly,quarterly,yearly such as 10.00,27.00,96.00.',
    );
  }
  return { monthly, quarterly, yearly };
}

/** The service refuses a name twice and an empty list. */
function parsePeriods(text: string): Period[] {
  return text.split(',').map((name) => {
    const period = periodNames.find((one) => one === name.trim());
    if (period === undefined)
      throw new InvalidArgumentError(
        'It must be some of monthly, quarterly and yearly, separated by commas.',
      );
    return period;
  });
}
