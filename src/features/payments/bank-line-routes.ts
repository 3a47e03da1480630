// Bank statements: imported, and their lines listed, assigned and ignored, by administrators.

import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, refusal } from '../../shared/error-catalog.ts';
import { isTestAccount, parseRowId, publicId } from '../../shared/identifiers.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { pageOf } from '../../shared/list-schemas.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import { formatTime } from '../../shared/times.ts';
import { bankLineStatuses } from '../../shared/topup-words.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { actorOf } from '../identity/principal.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { assignBankLine, ignoreBankLine } from './assign-bank-line.ts';
import { createBankFileReader } from './bank/read-bank-file.ts';
import { accountIdOfReference, findNearlyNamedAccounts, findRfReferences } from './bank/rf-reference.ts';
import {
  assignBankLineBodySchema,
  type BankLineView,
  bankLineAnswerSchema,
  bankLineQuerySchema,
  bankStatementAnswerSchema,
  bankStatementBodySchema,
  ignoreBankLineBodySchema,
  statementBodyBytesMax,
} from './bank-line-schemas.ts';
import { type BankActor, countWaiting, listBankLines, storeBankLines } from './bank-line-store.ts';
import type { BankLineRow } from './bank-line-table.ts';
import { bookBankLines } from './book-bank-lines.ts';
import { findPaymentSettings } from './payment-settings.ts';

export interface BankLineRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly monotonicNow: () => number;
  readonly now: () => number;
}

export function bankLineRoutes(app: FastifyInstance, dependencies: BankLineRoutesDependencies): void {
  const { database } = dependencies;
  const readBankFile = createBankFileReader();

  app.post<WithBody<typeof bankStatementBodySchema>>(
    '/bank-statements',
    {
      bodyLimit: statementBodyBytesMax,
      config: {
        scopes: ['admin:credit'],
        codes: ['validation_failed', 'payment_method_off', 'bank_file_refused'],
        takesLong: true,
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'importBankStatement',
        summary: 'Import a bank statement',
        description:
          'Credits each transfer with the reference of an account, and takes back payments that were returned. Other lines wait for a decision. Each line of the bank is booked once, however often files overlap, so the same file can be sent again. A file holds whole days of the account that top-ups are paid to.',
        body: bankStatementBodySchema,
        response: { 200: bankStatementAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body, principal } = request;
      const lines = await importStatement(dependencies, readBankFile, body, actorOf(principal));
      return reply.send({ lines });
    },
  );

  app.get(
    '/bank-lines',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'listBankLines',
        summary: 'Lines of bank statements, newest first',
        description: 'Filter: status, for example unmatched.',
        querystring: bankLineQuerySchema,
        response: { 200: pageOf('BankLine') },
      },
    },
    async (request, reply) => {
      const page = parsePage(request.query);
      const sent = isJsonObject(request.query) ? own(request.query, 'status') : undefined;
      const status = bankLineStatuses.find((known) => known === sent) ?? null;
      if (sent !== undefined && status === null) {
        const reason = `must be one of ${bankLineStatuses.join(', ')}`;
        throw new RequestRefused(fieldRefusal('validation_failed', 'status', reason));
      }
      const { lines, total } = await listBankLines(database, status, page);
      return reply.send(pageAnswer(await viewsOf(database, lines), page, total));
    },
  );

  app.post<WithId & WithBody<typeof assignBankLineBodySchema>>(
    '/bank-lines/:id/assign',
    {
      config: {
        scopes: ['admin:credit'],
        codes: [
          'validation_failed',
          'bank_line_not_found',
          'account_not_found',
          'topup_not_found',
          'bank_line_settled',
        ],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'assignBankLine',
        summary: 'Book a bank line for an account',
        description:
          'Credits the account, or takes back its payment of the same amount if the line is negative. The same again changes nothing. While the account is blocked or halted, the line waits.',
        body: assignBankLineBodySchema,
        response: { 200: bankLineAnswerSchema },
      },
    },
    async (request, reply) => {
      const id = orRefuse(parseRowId(request.params.id), 'bank_line_not_found');
      const { account_id: accountId } = request.body;
      const isReal = !isTestAccount(accountId);
      orRefuse(isReal ? await findAccount(database, accountId) : null, 'account_not_found');
      const line = orRefuse(await assignBankLine(dependencies, id, accountId, actorOf(request.principal)));
      return reply.send({ line: await viewOf(database, line) });
    },
  );

  app.post<WithId & Partial<WithBody<typeof ignoreBankLineBodySchema>>>(
    '/bank-lines/:id/ignore',
    {
      config: {
        scopes: ['admin:credit'],
        codes: ['validation_failed', 'bank_line_not_found', 'bank_line_settled'],
        isBodyOptional: true,
      },
      schema: {
        operationId: 'ignoreBankLine',
        summary: 'Leave a bank line out',
        description: 'It concerns no account. It can still be booked later.',
        body: ignoreBankLineBodySchema,
        response: { 200: bankLineAnswerSchema },
      },
    },
    async (request, reply) => {
      const id = orRefuse(parseRowId(request.params.id), 'bank_line_not_found');
      const line = orRefuse(
        await ignoreBankLine(database, id, request.body?.note ?? null, actorOf(request.principal)),
      );
      return reply.send({ line: await viewOf(database, line) });
    },
  );
}

/** What is left after this is booked by the job. */
const importMillisecondsMax = 20_000;

/** @throws RequestRefused */
async function importStatement(
  dependencies: BankLineRoutesDependencies,
  readBankFile: ReturnType<typeof createBankFileReader>,
  { file, csv }: WithBody<typeof bankStatementBodySchema>['Body'],
  actor: BankActor,
): Promise<Static<typeof bankStatementAnswerSchema>['lines']> {
  const { database, currency, monotonicNow } = dependencies;
  const { bankIban: iban } = await findPaymentSettings(database);
  if (iban === null) throw new RequestRefused(refusal('payment_method_off', { method: 'bank_transfer' }));
  const endAt = monotonicNow() + importMillisecondsMax;
  const read = await readBankFile({
    bytes: Buffer.from(file, 'base64'),
    csv: csv === undefined ? null : { ...csv, currency },
    iban,
  });
  if (read.kind === 'refused') {
    const { problem, line, message: reason } = read;
    const details = { problem, reason, ...(line !== null && { line }) };
    throw new RequestRefused(refusal('bank_file_refused', details));
  }
  const stored = orRefuse(await storeBankLines(database, { ...read, iban, currency }, actor));
  const { waitingIds } = stored;
  const booked = await bookBankLines(dependencies, waitingIds, () => monotonicNow() > endAt);
  return {
    new: stored.newCount,
    known: stored.knownCount,
    credited: booked.credited,
    returned: booked.returned,
    unmatched: stored.unmatchedCount + booked.unmatched,
    waiting: await countWaiting(database, waitingIds),
    pending: read.pendingCount,
  };
}

async function viewsOf(database: Database, lines: readonly BankLineRow[]): Promise<BankLineView[]> {
  const suggested = lines.map((line) => (line.status === 'unmatched' ? namedIn(line) : []));
  const names = await findAccountNames(database, [
    ...new Set([...lines.flatMap(({ accountId }) => accountId ?? []), ...suggested.flat()]),
  ]);
  return lines.map((line, place) => bankLineView(line, suggested[place] ?? [], names));
}

async function viewOf(database: Database, line: BankLineRow): Promise<BankLineView> {
  const [view] = await viewsOf(database, [line]);
  if (view === undefined) throw new Error('A line has one view.');
  return view;
}

function bankLineView(
  line: BankLineRow,
  suggested: readonly number[],
  names: ReadonlyMap<number, string>,
): BankLineView {
  const { accountId, topupNumber, settledAt, status } = line;
  const isSettled = status === 'credited' || status === 'returned';
  return {
    id: line.id,
    status,
    reason: line.reason,
    booked_on: line.bookedOn,
    amount: formatAmount(line.amountCents),
    currency: line.currency,
    payer: { name: line.payerName, account: line.payerIban },
    text: line.remittance,
    reference: line.reference,
    end_to_end_id: line.endToEndId,
    is_return: line.isReturn,
    account: accountId === null ? null : { id: accountId, username: names.get(accountId) ?? '' },
    topup_id:
      isSettled && accountId !== null && topupNumber !== null ? publicId(accountId, topupNumber) : null,
    suggested_account_ids: suggested.filter((id) => names.has(id)).slice(0, suggestedMax),
    imported_at: formatTime(line.importedAt),
    settled_at: settledAt === null ? null : formatTime(settledAt),
  };
}

const suggestedMax = 100;

/** Accounts that a person may mean, whether they exist or not. */
function namedIn({ remittance, reference, endToEndId }: BankLineRow): number[] {
  const places = [reference ?? '', remittance, endToEndId ?? ''];
  const exact = places.flatMap(findRfReferences).flatMap((one) => accountIdOfReference(one) ?? []);
  return [...new Set(exact.length > 0 ? exact : places.flatMap(findNearlyNamedAccounts))];
}
