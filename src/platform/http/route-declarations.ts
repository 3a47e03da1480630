// What a route declares besides its schema. The start fails if a visible route has no declaration.

import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify';
import type { TSchema } from 'typebox';
import { type ErrorCode, refusal } from '../../shared/error-catalog.ts';
import { isAdministratorScope, type Scope } from '../../shared/scopes.ts';
import { type BodyCheck, createBodyCheck } from './body-reader.ts';
import { idempotencyHeaderSchema } from './idempotency.ts';
import { bodyBytesMax } from './request-parsing.ts';
import { RequestRefused } from './request-refused.ts';

export interface RouteDeclaration {
  /** The caller needs all of them. Empty: open to every caller that the guard authenticates. */
  readonly scopes: readonly Scope[];
  /** The route's own codes. Those of the guard, of missing scopes and of large bodies are added. */
  readonly codes: readonly ErrorCode[];
  /** Takes an idempotency key: a repeated request gets the first answer again. */
  readonly isReplayable?: boolean;
  readonly isBodyOptional?: boolean;
  /** The route validates its body itself, because the order of its checks is part of the API's contract. */
  readonly parsesBody?: boolean;
  /** An export or a verification, which takes seconds to minutes. A session may run fewer of these at once. */
  readonly takesLong?: boolean;
  /** May answer with an event stream. It is logged and counted when it opens, not when it ends. */
  readonly isStream?: boolean;
  /** Allowed in the panel's test mode, where it acts on the test account, although test mode lacks its scopes. */
  readonly hasTestMode?: boolean;
  /** Whether an administrator who views a panel may read this. Default: if the route's scopes are those of such a view. */
  readonly hasView?: boolean;
  readonly sensitiveAction?: SensitiveAction;
  /** Also allowed while the person must still choose a password (first sign-in). */
  readonly isForFirstSignIn?: boolean;
  /** Also allowed while a required second factor is missing. */
  readonly isForSecondFactor?: boolean;
}

/** With a session, the body must hold the user's password, unless it was confirmed recently. API keys are exempt. */
export interface SensitiveAction {
  readonly passwordField: 'password' | 'current_password';
  /** Sensitive only when one of these fields is sent, with any value. */
  readonly ifSent?: readonly string[];
  /** Sensitive only when the person's credits and debits within an hour exceed this total, in cents. */
  readonly ifMovedAboveCents?: bigint;
  /** Always re-prompt, even if confirmed recently: it decides who may sign in, how, or where a new password is mailed. */
  readonly isAskedAlways?: boolean;
  readonly askedAlwaysIfSent?: readonly string[];
  /** Always re-prompt when the body's `role` is owner: a new owner could take the account away. */
  readonly askedAlwaysIfOwner?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteDeclaration> {
    answeredCodes?: ReadonlySet<ErrorCode>;
  }
  interface FastifyInstance {
    /** Every documented route, once for each of its guards. */
    declaredRoutes: readonly DeclaredRoute[];
  }
}

export interface RouteGuard {
  readonly tag: 'v1' | 'admin' | 'product' | 'panel';
  readonly kind: CallerKind;
  readonly codes: readonly ErrorCode[];
  readonly authenticate: (
    request: FastifyRequest,
    reply: FastifyReply,
    scopes: readonly Scope[],
  ) => Promise<FastifyReply | undefined>;
  /** Confirms a sensitive action, or answers with the refusal; absent: no confirmation needed. */
  readonly reauthenticate?: Reauthenticate | undefined;
}

type Reauthenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  sensitiveAction: SensitiveAction,
) => Promise<FastifyReply | undefined>;

const sensitiveActionCodes: readonly ErrorCode[] = ['validation_failed', 'wrong_password'];

/** How callers identify themselves; `open`: not at all. */
export type CallerKind = 'key' | 'session' | 'open';

export interface DeclaredRoute {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly guard: CallerKind;
  readonly scopes: readonly Scope[];
  readonly codes: readonly ErrorCode[];
  readonly isReplayable: boolean;
  readonly isBodyOptional: boolean;
  readonly bodyBytesMax: number;
  readonly sensitiveAction: SensitiveAction | null;
}

export function declareRoutes(api: FastifyInstance, guard: RouteGuard, declared: DeclaredRoute[]): void {
  api.addHook('onRoute', (route) => {
    const method = String(route.method);
    const {
      scopes,
      codes,
      isReplayable = false,
      isBodyOptional = false,
      parsesBody = false,
    } = route.config ?? {};
    const { reauthenticate } = guard;
    const sensitiveAction = reauthenticate === undefined ? undefined : route.config?.sensitiveAction;
    const operationId = route.schema?.operationId;
    if (scopes === undefined || codes === undefined || operationId === undefined) {
      throw new Error(`${method} ${route.url} declares no scopes, codes or operationId.`);
    }
    const all = new Set([
      ...guard.codes,
      ...(method === 'GET' ? [] : (['payload_too_large'] as const)),
      ...(scopes.some(isAdministratorScope) ? (['forbidden'] as const) : []),
      ...(scopes.length > 0 ? (['insufficient_scope'] as const) : []),
      ...(sensitiveAction === undefined ? [] : sensitiveActionCodes),
      ...codes,
    ]);
    route.schema = {
      ...route.schema,
      ...(isReplayable ? { headers: idempotencyHeaderSchema } : {}),
      tags: [guard.tag],
    };
    route.config = { ...route.config, answeredCodes: all };
    // Set here, because no other hook knows the route's scopes.
    route.onRequest = (request, reply) => guard.authenticate(request, reply, scopes);
    const { body } = route.schema;
    const first: preValidationHookHandler[] = [];
    if (body !== undefined && !isBodyOptional) first.push(requireBody);
    if (reauthenticate !== undefined && sensitiveAction !== undefined) {
      // Before the route's own hooks: nothing may run or be read until the action is confirmed.
      first.push((request, reply) => reauthenticate(request, reply, sensitiveAction));
    }
    route.preValidation = [...first, route.preValidation ?? []].flat();
    if (body !== undefined && !parsesBody) {
      const validate = bodyValidator(body as TSchema, sensitiveAction?.passwordField);
      route.validatorCompiler = ({ httpPart }) => (httpPart === 'body' ? validate : () => true);
    }
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    declared.push({
      method,
      path,
      operationId,
      guard: guard.kind,
      scopes,
      codes: [...all],
      isReplayable,
      isBodyOptional,
      bodyBytesMax: route.bodyLimit ?? bodyBytesMax,
      sensitiveAction: sensitiveAction ?? null,
    });
  });
}

const checks = new WeakMap<TSchema, Map<string | undefined, BodyCheck>>();

/** Leaves out the password of a sensitive action, which the guard checks. */
function bodyValidator(schema: TSchema, passwordField: string | undefined) {
  const ofSchema = checks.get(schema) ?? new Map<string | undefined, BodyCheck>();
  checks.set(schema, ofSchema);
  const check = ofSchema.get(passwordField) ?? createBodyCheck(without(schema, passwordField));
  ofSchema.set(passwordField, check);
  return (body: unknown) => {
    const problem = check(body ?? {});
    return problem === null ? true : { error: new RequestRefused(problem) };
  };
}

function without(schema: TSchema, field: string | undefined): TSchema {
  if (field === undefined || !('properties' in schema)) return schema;
  const { required = [], properties } = schema as unknown as { required?: string[]; properties: object };
  return {
    ...schema,
    required: required.filter((name) => name !== field),
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== field)),
  } as TSchema;
}

/** An absent body is not a JSON object, even for an empty change. */
function requireBody(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (request.body === undefined) reply.refuse(refusal('invalid_json'));
  else done();
}
