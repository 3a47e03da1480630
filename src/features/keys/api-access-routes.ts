// Routes of the panel's page "API access": key, allow-list, rate limit.

import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import { windowSeconds } from '../../platform/limits/sliding-window.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { allowedIpsRefusal, createAllowList, lockOutRefusal } from '../../shared/allow-list.ts';
import { plainAddress } from '../../shared/ip-addresses.ts';
import { confirmedBodySchema } from '../../shared/password-fields.ts';
import { formatTime } from '../../shared/times.ts';
import { changeAccount, resetApiKey, revealApiKey } from '../accounts/account-store.ts';
import { findKeyFacts } from '../identity/api-key-rows.ts';
import { actorOf } from '../identity/principal.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import {
  allowListBodySchema,
  keyFactsSchema,
  savedAllowListSchema,
  shownKeySchema,
  usageSchema,
} from './api-access-schemas.ts';

interface ApiAccessRoutesDependencies {
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly limiter: RateLimiter;
  readonly requestLog: RequestLog;
  readonly seal: Seal;
}

export function apiAccessRoutes(app: FastifyInstance, dependencies: ApiAccessRoutesDependencies): void {
  const { database, seal, limiter, requestLog, forgetAccount } = dependencies;

  app.get(
    '/api-key',
    {
      config: { scopes: ['keys:read'], codes: [] },
      schema: {
        operationId: 'getApiKey',
        summary: 'About the API key',
        response: { 200: keyFactsSchema },
      },
    },
    async (request, reply) => {
      await requestLog.flush();
      const key = await findKeyFacts(database, request.principal.account.id);
      if (key === null) throw new Error(`Account ${request.principal.account.id} has no key.`);
      return reply.send({
        last_four: key.lastFour,
        created_at: formatTime(key.createdAt),
        last_used_at: key.lastUsedAt === null ? null : formatTime(key.lastUsedAt),
      });
    },
  );

  app.post(
    '/api-key/reveal',
    {
      config: { scopes: ['keys:write'], codes: [], sensitiveAction: { passwordField: 'password' } },
      schema: {
        operationId: 'revealApiKey',
        summary: 'Show the API key',
        description: 'The audit log notes it.',
        body: confirmedBodySchema,
        response: { 200: shownKeySchema },
      },
    },
    async (request, reply) => {
      const { id } = request.principal.account;
      refuseIf(await limiter.admitAccessChange(request.person.id, 'sensitive_action', reply));
      const shown = orRefuse(
        await revealApiKey(database, seal, id, actorOf(request.principal, ['keys:write'])),
      );
      if (shown === null) throw new Error(`Account ${id} has no key.`);
      return reply.send({ api_key: shown.apiKey });
    },
  );

  app.post(
    '/api-key/reset',
    {
      config: { scopes: ['keys:write'], codes: [], sensitiveAction: { passwordField: 'password' } },
      schema: {
        operationId: 'resetOwnApiKey',
        summary: 'Replace the API key',
        description: 'The old key is revoked at once.',
        body: confirmedBodySchema,
        response: { 201: shownKeySchema },
      },
    },
    async (request, reply) => {
      const { id } = request.principal.account;
      refuseIf(await limiter.admitAccessChange(request.person.id, 'sensitive_action', reply));
      const done = orRefuse(
        await resetApiKey(database, seal, id, actorOf(request.principal, ['keys:write'])),
      );
      if (done === null) throw new Error(`Account ${id} does not exist.`);
      forgetAccount(id);
      return reply.code(201).send({ api_key: done.apiKey });
    },
  );

  app.put<WithBody<typeof allowListBodySchema>>(
    '/allow-list',
    {
      config: { scopes: ['keys:write'], codes: ['validation_failed', 'address_locked_out'] },
      schema: {
        operationId: 'setAllowList',
        summary: 'Set where the API key may be used from',
        body: allowListBodySchema,
        response: { 200: savedAllowListSchema },
      },
    },
    async (request, reply) => {
      const { allowed_ips: allowedIps, confirm } = request.body;
      refuseIf(allowedIpsRefusal(allowedIps) ?? lockOutRefusal(allowedIps, request.ip, confirm === true));
      const { id, allowedIps: before } = request.principal.account;
      const answer = {
        allowed_ips: allowedIps,
        address: plainAddress(request.ip),
        address_allowed: createAllowList(allowedIps).allows(request.ip),
      };
      if (isDeepStrictEqual(allowedIps, before)) return reply.send(answer);
      refuseIf(await limiter.admitAccessChange(request.person.id, 'allow_list', reply));
      const caller = actorOf(request.principal, ['keys:write']);
      const changed = orRefuse(await changeAccount(database, id, { allowedIps }, caller));
      if (changed === null) throw new Error(`Account ${id} does not exist.`);
      forgetAccount(id);
      return reply.send({ ...answer, allowed_ips: changed.allowedIps });
    },
  );

  app.get(
    '/usage',
    {
      config: { scopes: ['keys:read'], codes: [] },
      schema: {
        operationId: 'getUsage',
        summary: 'The API key’s rate limit, as this process counts it',
        response: { 200: usageSchema },
      },
    },
    async (request, reply) => {
      const { limit, remaining, resetSeconds } = await limiter.stateOf(request.principal.account);
      return reply.send({
        limit,
        used: limit - remaining,
        remaining,
        window_seconds: windowSeconds,
        reset_seconds: resetSeconds,
      });
    },
  );
}
