// GET /packages: what can be ordered, priced for the caller's group. The answer is the same for everyone
// in a group until a package changes, so its text is made once for each version of the catalog.
// All who asked in one turn of the event loop are answered together at its end: one answer after another
// wakes a client or proxy on the same machine for each of them, which took two fifths of what the request
// cost.

import type { FastifyInstance } from 'fastify';
import { canBeOrdered, type Package, type PackageCatalog } from '../../catalog/package-catalog.ts';
import { formatAmount, savingPercent } from '../../contract/amounts.ts';
import { type Group, periods } from '../../contract/periods.ts';
import { type PackageView, packageListSchema } from '../../contract/schemas.ts';

export function packageRoutes(app: FastifyInstance, packages: () => PackageCatalog, currency: string): void {
  let madeFrom: PackageCatalog | null = null;
  const texts = new Map<Group, string>();
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

  function listText(group: Group): string {
    const catalog = packages();
    if (catalog !== madeFrom) {
      madeFrom = catalog;
      texts.clear();
    }
    const made = texts.get(group);
    if (made !== undefined) return made;
    const data = [...catalog.byId.values()]
      .filter(canBeOrdered)
      .map((one) => packageView(one, group, currency));
    const text = JSON.stringify({ group, data });
    texts.set(group, text);
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
          'With your group’s prices for each period. Free trials and retired packages are not listed.',
        response: { 200: packageListSchema },
      },
    },
    async (request, reply) => {
      await turnEnd();
      return reply.type('application/json; charset=utf-8').send(listText(request.principal.account.group));
    },
  );
}

function packageView(one: Package, group: Group, currency: string): PackageView {
  const prices = one.prices[group];
  return {
    id: one.id,
    name: one.name,
    currency,
    price: formatAmount(prices[1]),
    prices: periods.map(({ months, period }) => ({
      months,
      period,
      price: formatAmount(prices[months]),
      saving_percent: savingPercent(prices[months], prices[1], months),
    })),
    duration_days: one.durationDays,
    limits: {
      accounts: one.limits.accounts,
      posts_per_day: one.limits.postsPerDay,
      ai_images_per_month: one.limits.aiImagesPerMonth,
    },
    features: [...one.features],
  };
}
