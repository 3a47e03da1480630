// Types that route files share: the parameters of their paths, and what they need of the service.

import type { FastifyInstance } from 'fastify';

/** Of a route whose path names one row. */
export interface WithId {
  Params: { id: string };
}

/** The dependencies of a function that adds routes. */
export type Needs<Routes extends (app: FastifyInstance, dependencies: never, owner: never) => void> =
  Parameters<Routes>[1];
