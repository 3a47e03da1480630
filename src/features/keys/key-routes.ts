// Key routes for administrators (any account) and for people in the panel (their own account).
// Invariant: managing an administrator's keys requires every scope that such a key can have, so that no key exceeds its
// maker. Only administrators' keys can manage keys.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { Done } from '../../platform/database/idempotent-change.ts';
import { createBodyReader } from '../../platform/http/body-reader.ts';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { SensitiveAction } from '../../platform/http/route-declarations.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { allowedIpsRefusal } from '../../shared/allow-list.ts';
import type { Awaitable } from '../../shared/awaitable.ts';
import { type ErrorCode, fieldRefusal, isRefusal, type Refusal } from '../../shared/error-catalog.ts';
import { parseRowId } from '../../shared/identifiers.ts';
import { isAdministratorScope, isKeyScope, type Scope } from '../../shared/scopes.ts';
import { type EpochSeconds, parseTime } from '../../shared/times.ts';
import { findAccountNames } from '../identity/account-names.ts';
import type { Account } from '../identity/account-table.ts';
import { findApiKeyNames, type KeySettings } from '../identity/api-key-rows.ts';
import { findPeopleNames } from '../identity/find-people.ts';
import { actorOf } from '../identity/principal.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import {
  changeKeyBodySchema,
  type KeyView,
  keyAnswerSchema,
  keyListSchema,
  keyWithSecretSchema,
  newKeyBodySchema,
  revokedKeySchema,
  rotateKeyBodySchema,
} from './key-schemas.ts';
import { keyView } from './key-view.ts';
import {
  type AccountKey,
  changeKey,
  createKey,
  expiresAtReason,
  type KeysAsked,
  listAccountKeys,
  revokeKey,
  rotateKey,
  type ShownKey,
} from './manage-keys.ts';

export interface KeyRoutesDependencies {
  readonly database: Database;
  readonly seal: Seal;
  readonly requestLog: RequestLog;
  /** Drops this process's cached copies at once instead of waiting for the NOTIFY. */
  readonly forgetAccount: (accountId: number) => void;
}

export interface KeyOwner {
  readonly path: string;
  readonly readScope: Scope;
  readonly writeScope: Scope;
  readonly codes: readonly ErrorCode[];
  /** Refusals of creating a key only. */
  readonly createCodes?: readonly ErrorCode[];
  readonly passwordField: SensitiveAction['passwordField'];
  /** `revoke` is absent if no password is asked. */
  readonly bodies: Readonly<Record<'create' | 'change' | 'rotate', object>> & { readonly revoke?: object };
  readonly noun: 'AccountKey' | 'Key';
  readonly whose: string;
  /** Whether the reader may see which keys and people of other accounts created a key. */
  readonly showsForeign: boolean;
  /** Or why its keys cannot be managed. */
  readonly accountOf: (request: FastifyRequest<WithKey>, changes: boolean) => Promise<Account | Refusal>;
  readonly admit: (request: FastifyRequest<WithKey>, reply: FastifyReply) => Awaitable<Refusal | null>;
}

export interface WithKey {
  Params: { id?: string; key_id?: string };
}

const readNew = createBodyReader(newKeyBodySchema);
const readChange = createBodyReader(changeKeyBodySchema);
const readRotation = createBodyReader(rotateKeyBodySchema);

const hourSeconds = 3_600;

export function keyRoutes(app: FastifyInstance, dependencies: KeyRoutesDependencies, owner: KeyOwner): void {
  const { database, seal, requestLog } = dependencies;
  const { path, readScope, writeScope, codes, passwordField, bodies, noun, whose, accountOf } = owner;
  const owned = { ...dependencies, ...owner };
  const writes = (own: readonly ErrorCode[]) => ({
    scopes: [writeScope],
    codes: ['invalid_idempotency_key', 'idempotency_conflict', ...codes, ...own] as const,
    isReplayable: true,
    parsesBody: true,
    sensitiveAction: { passwordField },
  });

  app.get<WithKey>(
    path,
    {
      config: { scopes: [readScope], codes },
      schema: {
        operationId: `list${noun}s`,
        summary: `API keys ${whose}`,
        description:
          'Those that were not revoked, the first key first, then by creation. Their secrets were shown when they were made.',
        response: { 200: keyListSchema },
      },
    },
    async (request, reply) => {
      const account = orRefuse(await accountOf(request, false));
      // Write pending uses first, so that the list shows the latest ones.
      await requestLog.flush();
      const now = request.principal.now();
      const keys = await listAccountKeys(database, account.id, now);
      return reply.send({ data: await viewsOf(owned, keys, account, now) });
    },
  );

  app.post<WithKey>(
    path,
    {
      config: writes(['validation_failed', 'too_many_keys', 'key_not_found', ...(owner.createCodes ?? [])]),
      schema: {
        operationId: `create${noun}`,
        summary: 'Make an API key',
        description:
          'Of all scopes of the account or of fewer, with an allow-list, a rate limit and an end of its own if it is to have them. The secret is in this answer alone: a request sent again with its idempotency key is answered without it.',
        body: bodies.create,
        response: { 201: keyWithSecretSchema },
      },
    },
    (request, reply) => createOne(owned, request, reply),
  );

  app.patch<WithKey>(
    `${path}/:key_id`,
    {
      config: writes(['validation_failed', 'key_not_found', 'first_key']),
      schema: {
        operationId: `change${noun}`,
        summary: 'Change an API key',
        description:
          'What is not sent stays as it is. It counts from the next request on, in every process. The scopes and the end of the first key stay.',
        body: bodies.change,
        response: { 200: keyAnswerSchema },
      },
    },
    async (request, reply) => {
      const sent = orRefuse(await askedBy(owned, request, reply));
      const { account, asked, keyId } = sent;
      const body = readChange(request.body);
      const settings = orRefuse(settingsOf(body, account));
      const done = await changeKey(database, keyId, settings, asked);
      return answer(owned, reply, account, done, (key) => keyAnswer(owned, key, account, asked.now));
    },
  );

  app.post<WithKey>(
    `${path}/:key_id/rotate`,
    {
      config: { ...writes(['validation_failed', 'key_not_found']), isBodyOptional: true },
      schema: {
        operationId: `rotate${noun}`,
        summary: 'A new secret for an API key',
        description:
          'The secret before it works for the hours of the overlap, so that a program can be given the new one without a failed request. The new secret is in this answer alone: a request sent again with its idempotency key is answered without it.',
        body: bodies.rotate,
        response: { 200: keyWithSecretSchema },
      },
    },
    async (request, reply) => {
      const sent = orRefuse(await askedBy(owned, request, reply));
      const { account, asked, keyId } = sent;
      const body = readRotation(request.body ?? {});
      const overlapSeconds = (body.overlap_hours ?? 0) * hourSeconds;
      const done = await rotateKey(database, seal, keyId, overlapSeconds, asked);
      return answer(owned, reply, account, done, (rotated) =>
        shownAnswer(owned, rotated, account, asked.now),
      );
    },
  );

  app.delete<WithKey>(
    `${path}/:key_id`,
    {
      config: { ...writes(['key_not_found', 'first_key']), isBodyOptional: true },
      schema: {
        operationId: `revoke${noun}`,
        summary: 'Revoke an API key',
        description:
          'At once, in every process, with the secrets before its newest that still worked. The first key of an account is rotated instead.',
        ...(bodies.revoke === undefined ? {} : { body: bodies.revoke }),
        response: { 200: revokedKeySchema },
      },
    },
    async (request, reply) => {
      const sent = orRefuse(await askedBy(owned, request, reply));
      const done = await revokeKey(database, sent.keyId, sent.asked);
      return answer(owned, reply, sent.account, done, async (deleted) => ({ deleted }));
    },
  );
}

type OwnedKeys = KeyRoutesDependencies & KeyOwner;

async function createOne(owned: OwnedKeys, request: FastifyRequest<WithKey>, reply: FastifyReply) {
  const { database, seal } = owned;
  const sent = orRefuse(await askedBy(owned, request, reply));
  const { account, asked } = sent;
  const body = readNew(request.body);
  const settings = orRefuse(settingsOf(body, account));
  const mode = body.test === true ? 'test' : 'live';
  const whole = { scopes: null, allowedIps: [], rateLimitPerMinute: null, expiresAt: null, ...settings };
  const done = await createKey(database, seal, { ...whole, name: body.name, mode }, asked);
  return answer(owned, reply, account, done, (made) => shownAnswer(owned, made, account, asked.now), 201);
}

async function askedBy(
  { accountOf, admit, writeScope }: OwnedKeys,
  request: FastifyRequest<WithKey>,
  reply: FastifyReply,
): Promise<{ account: Account; asked: KeysAsked; keyId: number } | Refusal> {
  const idempotencyKey = idempotencyKeyOf(request);
  const account = await accountOf(request, true);
  if (isRefusal(account)) return account;
  const limited = await admit(request, reply);
  if (limited !== null) return limited;
  const { now, ...author } = actorOf(request.principal, [writeScope]);
  const keyId = parseRowId(request.params.key_id ?? '') ?? 0;
  return { account, asked: { accountId: account.id, idempotencyKey, author, now }, keyId };
}

async function answer<Result>(
  { forgetAccount }: OwnedKeys,
  reply: FastifyReply,
  account: Account,
  done: Done<Result> | Refusal,
  view: (result: Result) => Promise<object>,
  status: 200 | 201 = 200,
) {
  const { result, replayed } = orRefuse(done);
  forgetAccount(account.id);
  markReplayed(reply, { replayed });
  return reply.code(status).send(await view(result));
}

async function shownAnswer(owned: OwnedKeys, { key, apiKey }: ShownKey, account: Account, now: EpochSeconds) {
  return {
    ...(await keyAnswer(owned, key, account, now)),
    api_key: apiKey,
  };
}

async function keyAnswer(
  owned: OwnedKeys,
  key: AccountKey,
  account: Account,
  now: EpochSeconds,
): Promise<{ key?: KeyView }> {
  const [key_] = await viewsOf(owned, [key], account, now);
  return key_ === undefined ? {} : { key: key_ };
}

async function viewsOf(
  { database, showsForeign }: OwnedKeys,
  keys: readonly AccountKey[],
  account: Account,
  now: EpochSeconds,
) {
  const [usernames, keyNames, peopleNames] = await Promise.all([
    findAccountNames(database, keys.map(({ createdBy }) => createdBy).filter(isSet)),
    findApiKeyNames(database, keys.map(({ createdByKey }) => createdByKey).filter(isSet)),
    findPeopleNames(database, keys.map(({ createdByPerson }) => createdByPerson).filter(isSet)),
  ]);
  return keys.map((key) => keyView(key, account, { showsForeign, usernames, keyNames, peopleNames }, now));
}

interface SentSettings {
  readonly name?: string;
  readonly scopes?: readonly string[] | null;
  readonly allowed_ips?: readonly string[];
  readonly rate_limit_per_minute?: number | null;
  readonly expires_at?: string | null;
}

function settingsOf(
  {
    name,
    scopes,
    allowed_ips: allowedIps,
    rate_limit_per_minute: rateLimitPerMinute,
    expires_at,
  }: SentSettings,
  { isAdmin }: Account,
): Partial<KeySettings> | Refusal {
  const foreign = isAdmin
    ? -1
    : (scopes ?? []).findIndex((scope) => isKeyScope(scope) && isAdministratorScope(scope));
  if (foreign >= 0) {
    return fieldRefusal('validation_failed', `scopes.${foreign}`, 'is a scope of administrators alone');
  }
  // A name of invisible characters identifies nothing.
  if (name !== undefined && !/[^\s\p{Cf}]/u.test(name)) {
    return fieldRefusal('validation_failed', 'name', 'must have a character that can be seen');
  }
  const problem = allowedIpsRefusal(allowedIps);
  if (problem !== null) return problem;
  const expiresAt = expires_at === undefined || expires_at === null ? expires_at : parseTime(expires_at);
  if (typeof expires_at === 'string' && typeof expiresAt !== 'number') {
    return fieldRefusal('validation_failed', 'expires_at', expiresAtReason);
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes: scopes === null ? null : [...new Set(scopes)] }),
    ...(allowedIps === undefined ? {} : { allowedIps }),
    ...(rateLimitPerMinute === undefined ? {} : { rateLimitPerMinute }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function isSet(id: number | null): id is number {
  return id !== null;
}
