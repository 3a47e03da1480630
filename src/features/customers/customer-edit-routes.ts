import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { idempotencyKeyOf, markReplayed, readableKeyFirst } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import { parseCustomerReference, refusedAsReserved } from '../../shared/customer-references.ts';
import { fieldRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { actorOf } from '../identity/principal.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { customerAnswerSchema, editCustomerBodySchema } from './customer-schemas.ts';
import { customerView } from './customer-view.ts';
import { editCustomer, formerReferencesMax } from './edit-customer.ts';

const nameLengthMax = 120;

export function customerEditRoutes(
  app: FastifyInstance,
  {
    database,
    confirm,
    packages,
    testBudget,
  }: {
    readonly database: Database;
    readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
    readonly packages: () => PackageCatalog;
    readonly testBudget: TestBudget;
  },
): void {
  app.patch<{ Params: { id: string } } & WithBody<typeof editCustomerBodySchema>>(
    '/customers/:id',
    {
      ...confirm,
      preValidation: readableKeyFirst,
      config: {
        scopes: ['customers:write'],
        codes: [
          'invalid_idempotency_key',
          'validation_failed',
          'invalid_customer',
          'customer_not_found',
          'customer_erased',
          'idempotency_conflict',
          'reference_taken',
          'reset_in_progress',
          'test_full',
        ],
        isReplayable: true,
      },
      schema: {
        operationId: 'editCustomer',
        summary: 'Name a customer, give your own id, or change the reference',
        description:
          'Changes no plan and no money. What is not sent stays as it is. external_ref: 1 to 80 visible ASCII characters, which you may use for several customers; null removes it. reference: the former one still names this customer, in orders, renewals and repeated requests; a customer keeps up to 10 of them. A name that was the reference changes with it. A request sent again with its idempotency key changes nothing again, even if the customer was changed since.',
        body: editCustomerBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const { principal, params } = request;
      const idempotencyKey = idempotencyKeyOf(request);
      const { body } = request;
      const name = orRefuse(body.name === undefined ? undefined : parseName(body.name));
      const reference = orRefuse(
        body.reference === undefined ? undefined : parseNewReference(body.reference),
      );
      const number = orRefuse(parseOwnNumber(params.id, principal.account.id), 'customer_not_found');
      const { now, ...caller } = actorOf(principal);
      const outcome = await editCustomer(
        database,
        {
          accountId: principal.account.id,
          number,
          name,
          externalRef: body.external_ref,
          reference,
          idempotencyKey,
          describe: (customer) => customerView(customer, packages(), now),
        },
        caller,
        { now, testBudget },
      );
      if (outcome.type === 'too_many_references') {
        const reason = `the customer has had ${formerReferencesMax} others already`;
        throw new RequestRefused(fieldRefusal('validation_failed', 'reference', reason));
      }
      if (outcome.type === 'reference_taken')
        throw new RequestRefused(refusal('reference_taken', { field: 'reference' }));
      if (outcome.type !== 'edited') throw new RequestRefused(refusal(outcome.type));
      markReplayed(reply, outcome);
      return reply.send({ customer: customerView(outcome.customer, packages(), principal.now()) });
    },
  );
}

/** References of erased customers cannot be chosen. */
function parseNewReference(text: string): string | Refusal {
  const reference = parseCustomerReference(text, 'reference');
  return (typeof reference === 'string' ? refusedAsReserved(reference, 'reference') : null) ?? reference;
}

function parseName(text: string): string | Refusal {
  const name = text.trim();
  const length = [...name].length;
  const reason = `must have 1 to ${nameLengthMax} characters`;
  return length >= 1 && length <= nameLengthMax ? name : fieldRefusal('validation_failed', 'name', reason);
}
