// Whose turns a request takes where an account has only so many at once: its own, but an administrator who looks at another
// account's panel keeps nobody of that one waiting.

import type { FastifyRequest } from 'fastify';

export function concurrencyOf({ viewer, principal }: FastifyRequest): number {
  return (viewer ?? principal).account.id;
}
