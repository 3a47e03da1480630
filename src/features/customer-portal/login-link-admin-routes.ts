import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { parseRealOwnedId, publicId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { formatTime } from '../../shared/times.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { madeLoginLinkSchema } from '../customers/customer-schemas.ts';
import { findLastOrderNumber } from '../customers/find-customer.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { actorOf } from '../identity/principal.ts';
import { createLoginLink } from './login-links.ts';

interface LoginLinkAdminRoutesDependencies {
  readonly authenticateAgain: Authenticator['authenticateAgain'];
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly linkValidSeconds: number;
  readonly now: () => EpochSeconds;
  readonly publicUrl: () => string;
}

export function loginLinkAdminRoutes(
  app: FastifyInstance,
  dependencies: LoginLinkAdminRoutesDependencies,
): void {
  app.post<WithId>(
    '/customers/:id/login-link',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: ['customer_not_found'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'createLoginLinkOfCustomer',
        summary: 'Make a login link for any customer',
        description:
          'Works once, for a short time; an earlier unused link of the customer’s last order, or of the trial, stops working. Recorded in the audit log, without the link.',
        response: { 201: madeLoginLinkSchema },
      },
    },
    (request, reply) => createLoginLinkOfCustomer(dependencies, request, reply),
  );
}

async function createLoginLinkOfCustomer(
  {
    customers,
    authenticateAgain,
    database,
    now,
    linkValidSeconds,
    publicUrl,
  }: LoginLinkAdminRoutesDependencies,
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
) {
  const id = parseRealOwnedId(request.params.id);
  const customer = orRefuse(
    id === null ? null : await customers.find(id.accountId, id.number),
    'customer_not_found',
  );
  const caller = orRefuse(await authenticateAgain(request));
  const orderNumber = (await findLastOrderNumber(database, customer)) ?? 0;
  const { accountId, number: customerNumber } = customer;
  const at = now();
  const { actorId, by = null } = actorOf(caller);
  const expiresAt = formatTime(at + linkValidSeconds);
  const token = await createLoginLink(
    database,
    { accountId, customerNumber, number: orderNumber },
    linkValidSeconds,
    at,
    { by, isOperator: true },
    {
      actorId,
      by,
      action: 'customer.login_link',
      subject: `customer ${publicId(accountId, customerNumber)}`,
      before: null,
      after: { expires_at: expiresAt },
    },
  );
  return reply.code(201).send({ login_url: `${publicUrl()}/login/${token}`, expires_at: expiresAt });
}
