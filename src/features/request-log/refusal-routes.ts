// Refusals by code and UTC day. They are kept longer than requests.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { dayRange, readQuery } from '../../platform/http/list-query.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import { type ErrorCode, errorCatalog } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import { own } from '../../shared/json.ts';
import { refusalFilterSchema } from '../../shared/list-schemas.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { dayOf } from '../../shared/times.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { listRefusalsOfAccount, listRefusedAccounts } from './refusal-counts.ts';
import type { RequestLog } from './request-log.ts';
import { refusalCountsSchema, refusedAccountsSchema } from './request-schemas.ts';

interface RefusalRoutesDependencies {
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly requestLog: RequestLog;
}

const usualDays = 30;
const daysMax = 400;
const accountsMax = 100;

export function refusalRoutes(
  app: FastifyInstance,
  { database, requestLog, now }: RefusalRoutesDependencies,
): void {
  app.get(
    '/refusals',
    {
      config: { scopes: ['keys:read'], codes: ['validation_failed'], hasTestMode: true },
      schema: {
        operationId: 'listRefusals',
        summary: 'How often the account’s requests were refused, by code',
        querystring: refusalFilterSchema,
        response: { 200: refusalCountsSchema },
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const days = readDays(query, now());
      await requestLog.flush();
      return reply.send({
        ...days,
        data: await listRefusalsOfAccount(database, account.id, days.from, days.to),
      });
    },
  );
}

export function accountRefusalRoutes(
  app: FastifyInstance,
  { database, requestLog, now }: RefusalRoutesDependencies,
): void {
  app.get<{ Params: { code: string } }>(
    '/refusals/:code',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed', 'not_found'] },
      schema: {
        operationId: 'listRefusedAccounts',
        summary: 'The accounts whose requests were refused with a code, the most often refused first',
        querystring: refusalFilterSchema,
        response: { 200: refusedAccountsSchema },
      },
    },
    async ({ params, query }, reply) => {
      if (!isErrorCode(params.code)) throw new RequestRefused('not_found');
      const days = readDays(query, now());
      await requestLog.flush();
      const limits = { fromDay: days.from, toDay: days.to, limit: accountsMax };
      const { count, accounts, countOfAccounts } = await listRefusedAccounts(database, params.code, limits);
      return reply.send({
        code: params.code,
        ...days,
        count,
        count_of_accounts: countOfAccounts,
        data: accounts.map(({ id, username, count: ofAccount, lastDay }) => ({
          account: { id, username },
          count: ofAccount,
          last_day: lastDay,
        })),
      });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/accounts/:id/refusals',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed', 'account_not_found'] },
      schema: {
        operationId: 'listAccountRefusals',
        summary: 'How often an account’s requests were refused, by code',
        querystring: refusalFilterSchema,
        response: { 200: refusalCountsSchema },
      },
    },
    async ({ params, query }, reply) => {
      const days = readDays(query, now());
      const id = parseAccountId(params.id);
      const account = orRefuse(id === null ? null : await findAccount(database, id), 'account_not_found');
      await requestLog.flush();
      return reply.send({
        ...days,
        data: await listRefusalsOfAccount(database, account.id, days.from, days.to),
      });
    },
  );
}

function isErrorCode(code: string): code is ErrorCode {
  return own(errorCatalog, code) !== undefined;
}

function readDays(query: unknown, now: EpochSeconds) {
  const { from, to } = readQuery(query, (sent) => dayRange(sent, now, { usual: usualDays, max: daysMax }));
  return { from: dayOf(from), to: dayOf(to) };
}
