// The audit log, the ledger's auditor, a customer's status, and the exchange of login codes.

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { changeCustomerBodySchema, exchangeCodeBodySchema } from '../../contract/admin-schemas.ts';
import { isRefusal, refusal } from '../../contract/error-catalogue.ts';
import { parseOwnedId } from '../../contract/identifiers.ts';
import { pageAnswer, parsePage } from '../../contract/pages.ts';
import { customerAnswerSchema, pageOf, pageQuerySchema } from '../../contract/schemas.ts';
import { ranked } from '../../database/database.ts';
import { createBodyReader } from '../../http/body-reader.ts';
import { exchangeCode, isToken } from '../../identity/login-link-store.ts';
import { listAudit } from '../../journal/audit-log.ts';
import { auditView } from '../shapes/admin-views.ts';
import { customerView } from '../shapes/customer-view.ts';
import type { AdminRoutesDependencies } from './admin-routes.ts';

const readCustomerChange = createBodyReader(changeCustomerBodySchema);
const readCode = createBodyReader(exchangeCodeBodySchema);

export function recordAdminRoutes(
  app: FastifyInstance,
  { database, engine, customers, packages, audits, signIns, now }: AdminRoutesDependencies,
): void {
  app.post(
    '/login-codes/exchange',
    {
      config: { scopes: ['product'], codes: ['validation_failed', 'customer_not_found'] },
      schema: {
        operationId: 'exchangeLoginCode',
        summary: 'The customer behind a one-time login code',
        description:
          'For the product at PRODUCT_URL, which a customer who used a login link opened with ?code=…. A code works once, within a minute. A customer who was suspended since is not let in: there is no such customer then.',
        body: exchangeCodeBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const body = readCode(request.body);
      if (isRefusal(body)) return reply.refuse(body);
      const found = isToken(body.code)
        ? await exchangeCode(ranked(database, 'lookups'), body.code, now())
        : null;
      const customer = found && (await customers.find(found.accountId, found.customerNumber));
      if (customer === null) return reply.refuse(refusal('customer_not_found'));
      return reply.send({ customer: customerView(customer, packages.current(), now()) });
    },
  );

  app.patch<{ Params: { id: string } }>(
    '/customers/:id',
    {
      config: { scopes: ['admin:accounts'], codes: ['validation_failed', 'customer_not_found'] },
      schema: {
        operationId: 'changeCustomer',
        summary: 'Suspend a customer, or lift the suspension',
        description:
          'A suspended customer cannot log in: not by a link, nor by a code that was handed out before. Whether the plan is running is another matter: see plan.active.',
        body: changeCustomerBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const body = readCustomerChange(request.body);
      if (isRefusal(body)) return reply.refuse(body);
      const id = parseOwnedId(request.params.id);
      if (id === null) return reply.refuse(refusal('customer_not_found'));
      const outcome = await engine.submit({
        type: 'set_status',
        accountId: id.accountId,
        actorId: request.principal.account.id,
        by: request.principal.actor,
        customerNumber: id.number,
        status: body.status,
      });
      // An account that does not exist has no customer either.
      if (outcome.type !== 'status_set') return reply.refuse(refusal('customer_not_found'));
      return reply.send({ customer: customerView(outcome.customer, packages.current(), now()) });
    },
  );

  app.get(
    '/audit',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listAudit',
        summary: 'Who changed what, newest first',
        description:
          'Every change by an administrator, or by an account to its own access, showing what changed as it was before and after. And sign-ins, refused ones too, under the name that was sent: of one account the first 20 within an hour, then one each time their number has doubled.',
        querystring: pageQuerySchema,
        response: { 200: pageOf('AuditEntry') },
      },
    },
    async (request, reply) => {
      const page = parsePage(request.query);
      await signIns.settled();
      const { total, entries } = await listAudit(database, page);
      return reply.send(pageAnswer(entries.map(auditView), page, total));
    },
  );

  app.get(
    '/verify',
    {
      config: { scopes: ['admin:read'], codes: [], takesLong: true },
      schema: {
        operationId: 'verify',
        summary: 'Add up every ledger again',
        description:
          'An account whose books do not add up is halted: its orders and credits fail until a later audit finds its books in order. Orders and plans that do not follow the rules are listed too, as "not by the rules"; they halt nobody. One audit runs at a time, and all who ask share it. If it takes longer than a request may, the answer is 503 with Retry-After: the audit goes on, and a later request receives its report.',
        response: { 200: Type.Ref('VerifyReport') },
      },
    },
    async (_request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const report = await audits.report(gone.signal);
      return report === null ? reply.refuse(refusal('service_unavailable')) : reply.send(report);
    },
  );
}
