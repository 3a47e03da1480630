// GET /packages, at the caller's group's prices. The text is cached per group until a package changes or a price begins.
// Requests of one event-loop turn are answered together at its end: waking clients one by one cost two fifths of the
// request.

import type { FastifyInstance } from 'fastify';
import { formatAmount, savingPercent } from '../../shared/amounts.ts';
import { type Group, periods } from '../../shared/periods.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { canBeOrdered, type Package, type PackageCatalog } from './package-catalog.ts';
import { type PackageView, packageListSchema } from './package-schemas.ts';
import { beginningsFor, pricesAt } from './price-lines.ts';

interface ListText {
  readonly text: string;
  /** `until` is exclusive. */
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
}

export function packageRoutes(app: FastifyInstance, packages: () => PackageCatalog, currency: string): void {
  let madeFrom: PackageCatalog | null = null;
  const texts = new Map<Group, ListText>();
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

  function listText(group: Group, now: EpochSeconds): string {
    const catalog = packages();
    if (catalog !== madeFrom) {
      madeFrom = catalog;
      texts.clear();
    }
    const made = texts.get(group);
    // Both ends: a clock may go back.
    if (made !== undefined && made.since <= now && now < made.until) return made.text;
    const offered = [...catalog.byId.values()].filter(canBeOrdered);
    const data = offered.map((one) => packageView(one, group, currency, now));
    const beginnings = offered.flatMap((one) => beginningsFor(one, group));
    const text = JSON.stringify({ group, data });
    texts.set(group, {
      text,
      since: Math.max(...beginnings.filter((second) => second <= now)),
      until: Math.min(...beginnings.filter((second) => second > now)),
    });
    return text;
  }

  app.get(
    '/packages',
    {
      config: { scopes: ['packages:read'], codes: [] },
      schema: {
        operationId: 'listPackages',
        summary: 'Packages that can be ordered',
        description:
          'With your group’s prices for each period, and those that are scheduled to begin later. Free trials and retired packages are not listed.',
        response: { 200: packageListSchema },
      },
    },
    async (request, reply) => {
      await turnEnd();
      const { account, now } = request.principal;
      return reply.type('application/json; charset=utf-8').send(listText(account.group, now()));
    },
  );
}

function packageView(one: Package, group: Group, currency: string, now: EpochSeconds): PackageView {
  return {
    id: one.id,
    name: one.name,
    description: one.description,
    currency,
    price: formatAmount(pricesAt(one, now)[group][1]),
    periods: [...one.periods],
    prices: priceEntries(one, group, now),
    duration_days: one.durationDays,
    limits: one.limits,
    features: [...one.features],
    upcoming: beginningsFor(one, group, one.periods)
      .filter((from) => from > now)
      .map((from) => ({ from: formatTime(from), prices: priceEntries(one, group, from) })),
  };
}

function priceEntries(one: Package, group: Group, at: EpochSeconds): PackageView['prices'] {
  const prices = pricesAt(one, at)[group];
  const sold = periods.filter(({ period }) => one.periods.includes(period));
  return sold.map(({ months, period }) => ({
    months,
    period,
    price: formatAmount(prices[months]),
    saving_percent: savingPercent(prices[months], prices[1], months),
  }));
}
