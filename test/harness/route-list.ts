// Every route of the panel's door, as the documents that the service serves list them: a new route is in
// every test that goes over them.

import { createApiClient } from '../../scripts/throwaway/api-client.ts';

export interface Route {
  readonly method: string;
  readonly path: string;
}

/** The panel's own routes, and those of both APIs behind the panel's door. Ids in paths are 1. */
export async function panelRoutes(address: string): Promise<readonly Route[]> {
  const documents = ['/api/v1/openapi.json', '/panel/api/openapi.json'];
  const lists = await Promise.all(documents.map((path) => routesOf(address, path)));
  return lists.flat();
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
