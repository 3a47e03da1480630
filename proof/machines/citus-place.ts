// A fresh Citus database on the servers of `npm run test:citus`, with as many account groups as workers, at least two.

import {
  type CitusServers,
  citusServers,
  citusServersWanted,
  createCitusDatabase,
} from '../../scripts/throwaway/citus-database.ts';

export interface CitusPlace {
  readonly url: string;
  readonly servers: CitusServers;
  readonly environment: { readonly ACCOUNT_GROUPS: string };
  remove(): Promise<void>;
}

export async function startCitusPlace(): Promise<CitusPlace> {
  const servers = citusServers();
  if (servers === null) throw new Error(citusServersWanted);
  const { connectionString, remove } = await createCitusDatabase(servers);
  const groups = Math.max(2, servers.workers.length);
  return { url: connectionString, servers, environment: { ACCOUNT_GROUPS: String(groups) }, remove };
}
