import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseRowId } from '../../shared/identifiers.ts';
import { type Period, periodNames } from '../../shared/periods.ts';
import { actorOf } from '../identity/principal.ts';
import {
  adminPackageAnswerSchema,
  adminPackageListSchema,
  changePackageBodySchema,
  createPackageBodySchema,
} from './package-admin-schemas.ts';
import type { Package, PackageCatalogHolder } from './package-catalog.ts';
import { changePackage, createPackage, type PackageChange } from './package-store.ts';
import { adminPackageView } from './package-view.ts';
import { parsePrices } from './written-prices.ts';

interface PackageAdminRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly packages: PackageCatalogHolder;
}

const durationDaysDefault = 30;

export function packageAdminRoutes(app: FastifyInstance, dependencies: PackageAdminRoutesDependencies): void {
  const { database, packages, currency } = dependencies;

  app.get(
    '/packages',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listAllPackages',
        summary: 'Packages, including trials and retired ones, with every price',
        description: 'What GET /api/v1/packages shows, and what it leaves out.',
        response: { 200: adminPackageListSchema },
      },
    },
    async (request, reply) => {
      const { byId } = await packages.reload();
      const now = request.principal.now();
      return reply.send({ data: [...byId.values()].map((one) => adminPackageView(one, currency, now)) });
    },
  );

  app.post<WithBody<typeof createPackageBodySchema>>(
    '/packages',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed', 'invalid_idempotency_key', 'idempotency_conflict', 'package_not_found'],
        sensitiveAction: { passwordField: 'current_password' },
        isReplayable: true,
      },
      schema: {
        operationId: 'createPackage',
        summary: 'Create a package',
        description:
          'A package that is not a trial needs all six prices, also those of periods that it is not sold for. Without `periods` it is sold for all three. A trial costs nothing and has no periods.',
        body: createPackageBodySchema,
        response: { 201: adminPackageAnswerSchema },
      },
    },
    (request, reply) => createPackageHandler(dependencies, request, reply),
  );

  app.get<WithId>(
    '/packages/:id',
    {
      config: { scopes: ['admin:read'], codes: ['package_not_found'] },
      schema: {
        operationId: 'getPackage',
        summary: 'One package',
        description: 'With the prices of both groups.',
        response: { 200: adminPackageAnswerSchema },
      },
    },
    async (request, reply) => {
      const found = orRefuse(await findPackage(request.params.id), 'package_not_found');
      return reply.send({ package: adminPackageView(found, currency, request.principal.now()) });
    },
  );

  app.patch<WithId & WithBody<typeof changePackageBodySchema>>(
    '/packages/:id',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed', 'package_not_found'],
        sensitiveAction: { passwordField: 'current_password', ifSent: ['prices'] },
      },
      schema: {
        operationId: 'changePackage',
        summary: 'Change a package',
        description:
          'New prices hold at once, for new orders; a refund is always computed from what was paid. Prices that are scheduled for later stay scheduled.',
        body: changePackageBodySchema,
        response: { 200: adminPackageAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (body.name?.trim() === '')
        throw new RequestRefused(fieldRefusal('validation_failed', 'name', 'must not be blank'));
      const before = orRefuse(await findPackage(request.params.id), 'package_not_found');
      if (body.trial !== undefined && body.trial !== before.isTrial) {
        throw new RequestRefused(
          fieldRefusal('validation_failed', 'trial', 'is decided when the package is created'),
        );
      }
      if (before.isTrial && body.prices !== undefined) {
        throw new RequestRefused(fieldRefusal('validation_failed', 'prices', 'a free trial has no prices'));
      }
      const periods = readPeriods(body.periods, before.isTrial);
      const description = readDescription(body.description);
      const change: PackageChange = {
        ...(body.name !== undefined && { name: body.name.trim() }),
        ...(description !== undefined && { description }),
        ...(periods !== undefined && { periods }),
        ...(body.features !== undefined && { features: body.features }),
        ...(body.duration_days !== undefined && { durationDays: body.duration_days }),
        ...(body.retired !== undefined && { retired: body.retired }),
        ...(body.prices !== undefined && { prices: parsePrices(body.prices) }),
        ...(body.limits !== undefined && { limits: body.limits }),
        ...(body.remove_limits !== undefined && { removedLimits: body.remove_limits }),
      };
      const caller = actorOf(request.principal);
      const changed = orRefuse(await changePackage(database, before.id, change, caller));
      await packages.reload();
      return reply.send({ package: adminPackageView(changed, currency, caller.now) });
    },
  );

  async function findPackage(id: string): Promise<Package | undefined> {
    return (await packages.reload()).byId.get(parseRowId(id) ?? 0);
  }
}

async function createPackageHandler(
  { database, packages, currency }: PackageAdminRoutesDependencies,
  request: FastifyRequest<WithBody<typeof createPackageBodySchema>>,
  reply: FastifyReply,
) {
  const { body } = request;
  if (body.name.trim() === '')
    throw new RequestRefused(fieldRefusal('validation_failed', 'name', 'must not be blank'));
  const isTrial = body.trial ?? false;
  if (isTrial === (body.prices !== undefined)) {
    const reason = isTrial ? 'a free trial has no prices' : 'missing';
    throw new RequestRefused(fieldRefusal('validation_failed', 'prices', reason));
  }
  const periods = readPeriods(body.periods, isTrial) ?? periodNames;
  const description = readDescription(body.description) ?? null;
  const key = idempotencyKeyOf(request);
  const prices = parsePrices(body.prices ?? {});
  const caller = actorOf(request.principal);
  const created = orRefuse(
    await createPackage(
      database,
      {
        name: body.name.trim(),
        description,
        features: body.features ?? [],
        limits: body.limits,
        durationDays: body.duration_days ?? durationDaysDefault,
        periods,
        isTrial,
        retired: body.retired ?? false,
        prices: {
          reseller: { ...free, ...prices.reseller },
          distributor: { ...free, ...prices.distributor },
        },
      },
      caller,
      key,
    ),
  );
  markReplayed(reply, created);
  if (!created.replayed) await packages.reload();
  return reply.code(201).send({ package: adminPackageView(created.result, currency, caller.now) });
}

function readPeriods(sent: readonly Period[] | undefined, isTrial: boolean): readonly Period[] | undefined {
  if (sent === undefined) return undefined;
  const refuse = (reason: string) => new RequestRefused(fieldRefusal('validation_failed', 'periods', reason));
  if (isTrial) throw refuse('a free trial has no periods');
  if (new Set(sent).size < sent.length) throw refuse('must name each period once');
  return periodNames.filter((period) => sent.includes(period));
}

function readDescription(sent: string | null | undefined): string | null | undefined {
  const description = typeof sent === 'string' ? sent.trim() : sent;
  if (description === '')
    throw new RequestRefused(fieldRefusal('validation_failed', 'description', 'must not be blank'));
  return description;
}

const free = { 1: 0n, 3: 0n, 12: 0n };
