// The methods of each path, collected from the routes; used for 404 and 405.

import type { FastifyInstance } from 'fastify';

export type AllowedMethods = (path: string) => readonly string[];

export function collectAllowedMethods(app: FastifyInstance): AllowedMethods {
  const routes = new Map<string, { pattern: RegExp; methods: string[] }>();
  app.addHook('onRoute', ({ url, method }) => {
    const escaped = url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[A-Za-z]+/g, '[^/]+')
      .replace('*', '.*');
    const route = routes.get(url) ?? { pattern: new RegExp(`^${escaped}$`), methods: [] };
    route.methods.push(...[method].flat());
    routes.set(url, route);
  });
  return (path) => [
    ...new Set(
      [...routes.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods),
    ),
  ];
}
