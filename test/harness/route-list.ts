// Lists every route of the panel from the served documents, and every route of the router, even hidden ones.

import assert from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';

export interface Route {
  readonly method: string;
  readonly path: string;
}

/** The panel's own routes and those of both APIs behind its guard, without the product's. Ids in paths are 1. */
export async function panelRoutes(address: string): Promise<readonly Route[]> {
  const documents = ['/api/v1/openapi.json', '/panel/api/openapi.json'];
  const lists = await Promise.all(documents.map((path) => routesOf(address, path)));
  return lists.flat().filter(({ path }) => !path.startsWith('/panel/api/product/'));
}

async function routesOf(address: string, documentPath: string): Promise<readonly Route[]> {
  const { paths } = (await createApiClient(address, null).get(documentPath)).body;
  return Object.entries<object>(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({
      method: method.toUpperCase(),
      path: path
        .replace('/api/', '/panel/api/')
        .replace('/panel/panel', '/panel')
        .replace(/\{\w+\}/g, '1'),
    })),
  );
}

/** Parses the router's printed tree, such as "├── /:id (GET, PATCH)" below "api/v1/orders (POST)". */
export function everyRoute(app: FastifyInstance): readonly Route[] {
  const above: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([ │]*)[├└]── (.*?) \((.+)\)$/.exec(line) ?? [];
      assert.ok(part !== '', `the drawing of the routes is read: ${line}`);
      above.length = indent.length / 4;
      const path = above.join('') + part;
      above.push(part);
      return methods.split(', ').map((method) => ({ method, path: path.replace(/:(\w+)/g, '{$1}') }));
    });
}
