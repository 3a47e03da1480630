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

export function bodyOf({ body }: Pick<FastifyRequest, 'body'>): JsonObject {
  return isJsonObject(body) ? body : {};
}

/** @returns null if no key was sent @throws RequestRefused */
export function idempotencyKeyOf(request: Pick<FastifyRequest, 'body' | 'headers'>): string | null {
  return orRefuse(parseIdempotencyKey(bodyOf(request), sentIdempotencyHeader(request.headers)));
}

/** A hook that runs before the schema check, so that an invalid key is refused first. */
export async function readableKeyFirst(request: FastifyRequest): Promise<void> {
  idempotencyKeyOf(request);
}

export function markReplayed(reply: FastifyReply, { replayed }: { readonly replayed: boolean }): void {
  if (replayed) reply.header('idempotent-replayed', 'true');
}
