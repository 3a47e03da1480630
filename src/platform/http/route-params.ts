// Types that route files share: the parameters of their paths, and what they need of the service.

import type { FastifyInstance } from 'fastify';
import type { Static, TSchema } from 'typebox';

/** Of a route whose path names one row. */
export interface WithId {
  Params: { id: string };
}

/** Of a route whose body is held to this schema. */
export interface WithBody<Schema extends TSchema> {
  Body: Static<Schema>;
}

/** The dependencies of a function that adds routes. */
export type Needs<Routes extends (app: FastifyInstance, dependencies: never, owner: never) => void> =
  Parameters<Routes>[1];
