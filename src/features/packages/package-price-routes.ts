// A package's scheduled prices, for the console and the command line. Must be registered after the package routes.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseRowId } from '../../shared/identifiers.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { parseTime } from '../../shared/times.ts';
import { actorOf } from '../identity/principal.ts';
import {
  scheduledPricesAnswerSchema,
  scheduledPricesListSchema,
  schedulePricesBodySchema,
  unschedulePricesQuerySchema,
} from './package-admin-schemas.ts';
import type { PackageCatalogHolder } from './package-catalog.ts';
import { scheduledPricesView } from './package-view.ts';
import { namedPrices } from './price-lines.ts';
import { listScheduledPrices, schedulePrices, unschedulePrices } from './scheduled-price-store.ts';
import { parsePrices } from './written-prices.ts';

interface PackagePriceRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly packages: PackageCatalogHolder;
}

const notATime = () => fieldRefusal('validation_failed', 'from', 'must look like 2027-01-01T00:00:00Z');

export function packagePriceRoutes(
  app: FastifyInstance,
  { database, packages, currency }: PackagePriceRoutesDependencies,
): void {
  app.post<WithId & WithBody<typeof schedulePricesBodySchema>>(
    '/packages/:id/prices',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed', 'package_not_found', 'package_unavailable', 'price_already_scheduled'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'schedulePrices',
        summary: 'Schedule prices of a package',
        description:
          'The prices apply from the second `from` on. Prices that are not named stay as they are, and so do prices that an account’s own list names. The package and `from` are the idempotency key: the same prices for the same second are answered with 201 and `Idempotent-Replayed: true`, other prices with price_already_scheduled.',
        body: schedulePricesBodySchema,
        response: { 201: scheduledPricesAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const from = parseTime(body.from);
      if (from === null) throw new RequestRefused(notATime());
      const { existing_plans: existingPlans = 'new' } = body;
      const wanted = { from, prices: parsePrices(body.prices), existingPlans };
      if (namedPrices(wanted.prices).length === 0) {
        throw new RequestRefused(fieldRefusal('validation_failed', 'prices', 'must name at least one price'));
      }
      const caller = actorOf(request.principal);
      const done = orRefuse(
        await schedulePrices(database, parseRowId(request.params.id) ?? 0, wanted, currency, caller),
      );
      markReplayed(reply, done);
      await packages.reload();
      return reply.code(201).send({ price: scheduledPricesView(wanted, caller.now) });
    },
  );

  app.get<WithId>(
    '/packages/:id/prices',
    {
      config: { scopes: ['admin:read'], codes: ['package_not_found'] },
      schema: {
        operationId: 'listScheduledPrices',
        summary: 'Prices with a date',
        description:
          'The latest first: all that are still to come, and the last 100 that have begun. The audit log has every one.',
        response: { 200: scheduledPricesListSchema },
      },
    },
    async (request, reply) => {
      const id = parseRowId(request.params.id) ?? 0;
      if (!(await packages.reload()).byId.has(id)) throw new RequestRefused('package_not_found');
      const now = request.principal.now();
      const listed = await listScheduledPrices(database, id, now);
      return reply.send({ data: listed.map((one) => scheduledPricesView(one, now)) });
    },
  );

  app.delete<WithId>(
    '/packages/:id/prices',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed', 'package_not_found', 'price_not_found', 'price_has_begun'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'unschedulePrices',
        summary: 'Delete prices that are still to come',
        description:
          'Deletes the prices of the package that begin at `from`. Prices that have begun stay forever.',
        querystring: unschedulePricesQuerySchema,
        response: { 200: scheduledPricesAnswerSchema },
      },
    },
    async (request, reply) => {
      const from = parseTime(isJsonObject(request.query) ? own(request.query, 'from') : undefined);
      if (from === null) throw new RequestRefused(notATime());
      const caller = actorOf(request.principal);
      const done = orRefuse(
        await unschedulePrices(database, parseRowId(request.params.id) ?? 0, from, caller),
      );
      await packages.reload();
      return reply.send({ price: scheduledPricesView(done, caller.now) });
    },
  );
}
