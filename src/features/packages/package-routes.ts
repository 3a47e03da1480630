// GET /packages, at the caller's prices. The answer is cached for each group and for some accounts with prices of their own,
// until a price changes. Requests of one event-loop turn are answered together, because waking clients one by one cost two
// fifths of the time.

import type { FastifyInstance } from 'fastify';
import { formatAmount, savingPercent } from '../../shared/amounts.ts';
import { type Group, periods } from '../../shared/periods.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import { canBeOrdered, type Package, type PackageCatalog, payerOf } from './package-catalog.ts';
import { type PackageView, packageListSchema } from './package-schemas.ts';
import { type Payer, priceChangesFor, priceFor } from './price-rules.ts';

const upcomingMax = 100;
const accountTextsMax = 500;

interface ListText {
  readonly text: string;
  /** `until` is exclusive. */
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
}

export function packageRoutes(app: FastifyInstance, packages: () => PackageCatalog, currency: string): void {
  let madeFrom: PackageCatalog | null = null;
  const ofGroups = new Map<Group, ListText>();
  /** By account and group: an account may change its group. */
  const ofAccounts = new Map<string, ListText>();
  let nextTurn: Promise<void> | null = null;

  function turnEnd(): Promise<void> {
    nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        nextTurn = null;
        resolve();
      });
    });
    return nextTurn;
  }

  function listText(account: Account, now: EpochSeconds): string {
    const catalog = packages();
    if (catalog !== madeFrom) {
      madeFrom = catalog;
      ofGroups.clear();
      ofAccounts.clear();
    }
    const payer = payerOf(catalog, account);
    const ofGroup = payer.prices.length === 0;
    const accountKey = `${account.id} ${account.group}`;
    const made = ofGroup ? ofGroups.get(account.group) : ofAccounts.get(accountKey);
    // Check both ends, because a clock may go back.
    if (made !== undefined && made.since <= now && now < made.until) return made.text;
    const text = makeText([...catalog.byId.values()].filter(canBeOrdered), payer, currency, now);
    if (ofAccounts.size >= accountTextsMax) ofAccounts.clear();
    if (ofGroup) ofGroups.set(account.group, text);
    else ofAccounts.set(accountKey, text);
    return text.text;
  }

  app.get(
    '/packages',
    {
      config: { scopes: ['packages:read'], codes: [] },
      schema: {
        operationId: 'listPackages',
        summary: 'Packages that can be ordered',
        description:
          'With your prices for each period, and those that are scheduled to begin later. Free trials and retired packages are not listed.',
        response: { 200: packageListSchema },
      },
    },
    async (request, reply) => {
      await turnEnd();
      const { account, now } = request.principal;
      return reply.type('application/json; charset=utf-8').send(listText(account, now()));
    },
  );
}

function makeText(offered: readonly Package[], payer: Payer, currency: string, now: EpochSeconds): ListText {
  const beginnings = offered.flatMap((one) => priceChangesFor(one, payer));
  return {
    text: JSON.stringify({
      group: payer.group,
      data: offered.map((one) => packageView(one, payer, currency, now)),
    }),
    since: Math.max(...beginnings.filter((second) => second <= now)),
    until: Math.min(...beginnings.filter((second) => second > now)),
  };
}

function packageView(one: Package, payer: Payer, currency: string, now: EpochSeconds): PackageView {
  const beginnings = priceChangesFor(one, payer, one.periods).filter((from) => from > now);
  // The beginnings include the account's own lists, even those that do not change this package.
  const isChange = (from: EpochSeconds) =>
    payer.prices.length === 0 ||
    JSON.stringify(priceEntries(one, payer, from)) !== JSON.stringify(priceEntries(one, payer, from - 1));
  return {
    id: one.id,
    name: one.name,
    description: one.description,
    currency,
    price: formatAmount(priceFor(one, payer, 1, now, null).cents),
    periods: [...one.periods],
    prices: priceEntries(one, payer, now),
    duration_days: one.durationDays,
    limits: one.limits,
    features: [...one.features],
    upcoming: beginnings
      .filter(isChange)
      .slice(0, upcomingMax)
      .map((from) => ({
        from: formatTime(from),
        prices: priceEntries(one, payer, from),
      })),
  };
}

function priceEntries(one: Package, payer: Payer, at: EpochSeconds): PackageView['prices'] {
  const monthly = priceFor(one, payer, 1, at, null).cents;
  const sold = periods.filter(({ period }) => one.periods.includes(period));
  return sold.map(({ months, period }) => {
    const { cents, rule } = priceFor(one, payer, months, at, null);
    return {
      months,
      period,
      price: formatAmount(cents),
      saving_percent: savingPercent(cents, monthly, months),
      price_rule: rule.name,
    };
  });
}
