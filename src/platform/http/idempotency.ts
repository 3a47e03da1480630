// Reads the idempotency key of a request, from the header or the body, and marks answers that are replays.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { parseIdempotencyKey, sentIdempotencyHeader } from '../../shared/idempotency-keys.ts';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { orRefuse } from './request-refused.ts';

export const idempotencyHeaderSchema = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description: '1 to 80 visible ASCII characters. A request repeated with its key never charges twice.',
      maxLength: 80,
    }),
  ),
});

/** The body of a request that may have none. */
export function bodyOf({ body }: Pick<FastifyRequest, 'body'>): JsonObject {
  return isJsonObject(body) ? body : {};
}

/** The idempotency key of a request; null: none was sent. @throws RequestRefused */
export function idempotencyKeyOf(request: Pick<FastifyRequest, 'body' | 'headers'>): string | null {
  return orRefuse(parseIdempotencyKey(bodyOf(request), sentIdempotencyHeader(request.headers)));
}

/** A hook that runs before the schema check, so that an invalid key is refused first. */
export async function readableKeyFirst(request: FastifyRequest): Promise<void> {
  idempotencyKeyOf(request);
}

/** Marks the answer as a replay. */
export function markReplayed(reply: FastifyReply, { replayed }: { readonly replayed: boolean }): void {
  if (replayed) reply.header('idempotent-replayed', 'true');
}
