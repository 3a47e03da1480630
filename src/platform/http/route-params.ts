import type { FastifyInstance } from 'fastify';
import type { Static, TSchema } from 'typebox';

export interface WithId {
  Params: { id: string };
}

export interface WithBody<Schema extends TSchema> {
  Body: Static<Schema>;
}

export type Needs<Routes extends (app: FastifyInstance, dependencies: never, owner: never) => void> =
  Parameters<Routes>[1];
