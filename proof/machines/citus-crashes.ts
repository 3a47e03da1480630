// Crashes every Citus worker and then the coordinator while clients order, then compares what was acknowledged with what
// exists.

import pg from 'pg';
import { at } from '../../scripts/throwaway/citus-database.ts';
import { startCitusPlace } from './citus-place.ts';
import { type FailoverEnd, type FailoverFigures, startFailoverClients } from './failover-clients.ts';

export interface CitusCrashesOptions {
  readonly crashes: number;
  readonly seed: number;
  readonly onCrash: (title: string, figures: FailoverFigures) => void;
}

const ordersBetween = 300;

export async function crashServers({ crashes, seed, onCrash }: CitusCrashesOptions): Promise<FailoverEnd> {
  const place = await startCitusPlace();
  const { coordinator, workers } = place.servers;
  const servers = [
    ...workers.map((worker) => ({ title: `worker ${worker}`, url: at(place.servers, worker) })),
    { title: 'coordinator', url: coordinator },
  ];
  try {
    const clients = await startFailoverClients(place.url, seed, { environment: place.environment });
    try {
      for (let count = 0; count < crashes; count += 1) {
        const server = servers[count % servers.length];
        if (server === undefined) throw new Error('There is no server.');
        await clients.placed(ordersBetween);
        clients.figures();
        await crash(server.url);
        await clients.placed(ordersBetween);
        onCrash(server.title, clients.figures());
      }
      await clients.placed(ordersBetween);
      return await clients.finish();
    } finally {
      await clients.kill();
    }
  } finally {
    await place.remove();
  }
}

/** PostgreSQL then ends all other backends, drops its shared memory and recovers. Works remotely, too. */
async function crash(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ended = new Promise<void>((resolve) => client.once('error', () => resolve()));
  await client.query("copy (select 1) to program 'kill -9 $PPID'").then(
    () => Promise.reject(new Error('The server is still there.')),
    () => undefined,
  );
  await ended;
}
