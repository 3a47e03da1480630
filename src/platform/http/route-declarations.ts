// What a route says of itself besides its schema: the scopes its caller needs, the codes it refuses with,
// whether it can be replayed, whether it is a sensitive action. From these declarations the guard lets callers in, the
// documents and the client list the errors, and the tests try every route with every role. A visible route without
// a declaration stops the start.

import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify';
import type { TSchema } from 'typebox';
import { type ErrorCode, refusal } from '../../shared/error-catalogue.ts';
import { isAdministratorScope, type Scope } from '../../shared/scopes.ts';
import { type BodyCheck, createBodyCheck } from './body-reader.ts';
import { idempotencyHeaderSchema } from './idempotency.ts';
import { bodyBytesMax } from './request-parsing.ts';
import { RequestRefused } from './request-refused.ts';

export interface RouteDeclaration {
  /** All of them are needed; none: whoever the guard lets in. */
  readonly scopes: readonly Scope[];
  /** What the route itself refuses with. Those of the guard, of scopes and of large bodies are added to them. */
  readonly codes: readonly ErrorCode[];
  /** Takes an idempotency key: a repeated request gets the first answer again. */
  readonly isReplayable?: boolean;
  readonly isBodyOptional?: boolean;
  /** The route checks its body itself, because the order of its checks is contract. Otherwise the schema does. */
  readonly parsesBody?: boolean;
  /** An export or an audit: seconds to minutes. Of these an account's sessions have less at once. */
  readonly takesLong?: boolean;
  /** In the panel's test mode it is about the test, although its scopes are of those that test mode has not got. */
  readonly hasTestMode?: boolean;
  /**
   * Whether an administrator who looks at an account's panel sees it; absent: where it is read with the scopes for that. What is about
   * the session itself says so, and what begins something by being read says no.
   */
  readonly hasView?: boolean;
  /** An action that a borrowed or stolen session must not do. */
  readonly sensitiveAction?: SensitiveAction;
  /** Also for a session whose password its holder has not chosen: that of a first sign-in. */
  readonly isForFirstSignIn?: boolean;
  /** Also for somebody who needs a second factor and has none yet. */
  readonly isForSecondFactor?: boolean;
}

/**
 * Behind a guard that can be borrowed, the body also holds the password of whoever is signed in, unless they gave it a moment
 * ago. Keys are not asked.
 */
export interface SensitiveAction {
  readonly passwordField: 'password' | 'current_password';
  /** The action is sensitive only when one of these fields is sent, whatever it holds. */
  readonly ifSent?: readonly string[];
  /** Only when the amounts, credits and debits alike, that the person moved within an hour come to more than these cents. */
  readonly ifMovedAboveCents?: bigint;
  /** A password given a moment ago does not do: it decides who may sign in, with what, or where a new password is mailed to. */
  readonly isAskedAlways?: boolean;
  /** The same, when one of these fields is sent. */
  readonly askedAlwaysIfSent?: readonly string[];
  /** The same, when the body's `role` is owner: an owner of the caller's choosing could take the account away. */
  readonly askedAlwaysIfOwner?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteDeclaration> {
    /** Every code that the route answers with, the guard's too. */
    answeredCodes?: ReadonlySet<ErrorCode>;
  }
  interface FastifyInstance {
    /** Every route of both documents, behind each of its guards. */
    declaredRoutes: readonly DeclaredRoute[];
  }
}

/** What guards the routes of a surface. */
export interface RouteGuard {
  /** The tag that its routes are documented under. */
  readonly tag: 'v1' | 'admin' | 'product' | 'panel';
  readonly kind: CallerKind;
  /** What it answers with, whichever route was asked for. */
  readonly codes: readonly ErrorCode[];
  /** Sets request.principal and lets it through to a route that needs these scopes, or answers with the refusal. */
  readonly authenticate: (
    request: FastifyRequest,
    reply: FastifyReply,
    scopes: readonly Scope[],
  ) => Promise<FastifyReply | undefined>;
  /** Lets a sensitive action through to its route, or answers with the refusal; absent where the guard asks nothing more. */
  readonly reauthenticate?: Reauthenticate | undefined;
}

type Reauthenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  sensitiveAction: SensitiveAction,
) => Promise<FastifyReply | undefined>;

/** What a sensitive action is refused with when its password is missing or wrong. */
const sensitiveActionCodes: readonly ErrorCode[] = ['validation_failed', 'wrong_password'];

/** `key` and `session`: what the caller is known by; `open`: nobody needs to be known. */
export type CallerKind = 'key' | 'session' | 'open';

export interface DeclaredRoute {
  readonly method: string;
  /** As in the documents: "/api/v1/orders/{id}". */
  readonly path: string;
  readonly operationId: string;
  readonly guard: CallerKind;
  readonly scopes: readonly Scope[];
  /** Every code, first the guard's. */
  readonly codes: readonly ErrorCode[];
  readonly isReplayable: boolean;
  readonly isBodyOptional: boolean;
  readonly bodyBytesMax: number;
  /** Of routes whose guard asks for the password again. */
  readonly sensitiveAction: SensitiveAction | null;
}

/** Every route of `api` is behind the guard, and is added to `declared`. Before the routes are added. */
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
    // The route's own hook, and the only one that knows what the route needs.
    route.onRequest = (request, reply) => guard.authenticate(request, reply, scopes);
    const { body } = route.schema;
    const first: preValidationHookHandler[] = [];
    if (body !== undefined && !isBodyOptional) first.push(requireBody);
    if (reauthenticate !== undefined && sensitiveAction !== undefined) {
      // First of its kind: nothing is done, or read, before the action is confirmed.
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

/** The password of a sensitive action is the guard's to read. */
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

/** An absent body is no JSON object (decisions "Content type"), not even for a change of nothing. */
function requireBody(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (request.body === undefined) reply.refuse(refusal('invalid_json'));
  else done();
}
