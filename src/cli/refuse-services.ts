// Refuses commands that need a stopped service, on PostgreSQL. An embedded database has its folder lock for this.

import type { Queryable } from '../platform/database/database.ts';
import { listServices } from '../platform/secrets/secret-key-sessions.ts';
import { CommandFailed } from './command-end.ts';

export async function refuseServices(database: Queryable): Promise<void> {
  const services = await listServices(database);
  if (services.length === 0) return;
  throw new CommandFailed(
    `Nothing was changed: ${services.length === 1 ? 'a service is' : `${services.length} services are`} running on this database (${services.join('; ')}). Stop ${services.length === 1 ? 'it' : 'them'} first, then run this command again.`,
  );
}
