// From what the engine says of an administrator's command to the refusal that is sent: for the routes that submit one.

import type { FastifyReply } from 'fastify';
import type { Refusal } from '../../shared/error-catalogue.ts';

export function refuseOutcome(
  reply: FastifyReply,
  outcome: { type: string; refusal?: Refusal },
): FastifyReply {
  if (outcome.refusal === undefined)
    throw new Error(`An administrator's command was answered with "${outcome.type}".`);
  return reply.refuse(outcome.refusal);
}
