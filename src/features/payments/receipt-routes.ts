// Sends receipts and debit notes to the account and the operator.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { endOfTime } from '../../platform/http/list-query.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import { parseOwnNumber, parseRealOwnedId } from '../../shared/identifiers.ts';
import type { BrandHolder } from '../brand/brand-store.ts';
import { documentTranslator } from '../brand/document-language.ts';
import type { Account } from '../identity/account-table.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { findEntriesUp } from '../ledger/find-entries.ts';
import { documentLanguageSchema } from './payment-schemas.ts';
import { hasReceipt, receiptNumber, receiptPdf } from './receipt-pdf.ts';

interface ReceiptRoutesDependencies {
  readonly brand: BrandHolder;
  readonly currency: string;
  readonly database: Database;
  readonly statementIssuer: readonly string[];
}

const produces = ['application/pdf'];

type ReceiptDependencies = Pick<
  ReceiptRoutesDependencies,
  'database' | 'brand' | 'currency' | 'statementIssuer'
>;

export function receiptRoutes(app: FastifyInstance, dependencies: ReceiptDependencies): void {
  app.get<{ Params: { id: string } }>(
    '/ledger/:id/receipt.pdf',
    {
      config: { scopes: ['ledger:read'], codes: ['invalid_filter', 'receipt_not_found'] },
      schema: {
        operationId: 'getReceipt',
        summary: 'A receipt for a credit, or a note of a debit',
        querystring: documentLanguageSchema,
        produces,
      },
    },
    (request, reply) =>
      sendReceipt(dependencies, request, reply, request.principal.account, request.params.id),
  );
}

export function accountReceiptRoutes(app: FastifyInstance, dependencies: ReceiptDependencies): void {
  app.get<{ Params: { id: string } }>(
    '/ledger/:id/receipt.pdf',
    {
      config: { scopes: ['admin:read'], codes: ['invalid_filter', 'receipt_not_found'] },
      schema: {
        operationId: 'getReceiptOfAnyAccount',
        summary: 'A receipt for a credit of any account, or a note of a debit',
        querystring: documentLanguageSchema,
        produces,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const owned = parseRealOwnedId(id);
      const account = orRefuse(
        owned === null ? null : await findAccount(dependencies.database, owned.accountId),
        'receipt_not_found',
      );
      return sendReceipt(dependencies, request, reply, account, id);
    },
  );
}

async function sendReceipt(
  { database, brand, currency, statementIssuer: issuer }: ReceiptDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  account: Account,
  entryId: string,
): Promise<FastifyReply> {
  const translator = orRefuse(documentTranslator(request, brand.current()));
  const number = parseOwnNumber(entryId, account.id);
  const span = { since: 0, until: endOfTime, limit: 1 };
  const [found] =
    number === null ? [] : await findEntriesUp(database, account.id, { from: number, to: number, ...span });
  if (found === undefined || !hasReceipt(found.entry)) throw new RequestRefused('receipt_not_found');
  const { entry } = found;
  const letterhead = { brand: brand.current(), issuer };
  const { username, displayName: accountName } = account;
  const pdf = receiptPdf({ entry, letterhead, translator, accountName, username, currency });
  return reply
    .type('application/pdf')
    .header('content-disposition', `attachment; filename="receipt-${receiptNumber(entry)}.pdf"`)
    .send(Readable.from(pdf));
}
