// Fails the database over: a primary, its synchronous standby, and two processes of the service that list both. Each round
// kills the primary, promotes the standby, and brings the old primary back.
// Invariant: no acknowledged order is missing, each is charged once; a former primary gets no writes; no process restarts.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { askServer } from '../../test/harness/one-question.ts';
import { type FailoverEnd, type FailoverFigures, startFailoverClients } from './failover-clients.ts';
import { send, serverProcesses } from './server-processes.ts';

/**
 * `killed`: kill -9 of all the primary's processes.
 * `killed behind a frozen standby`: the standby never receives what the primary has committed meanwhile.
 * `back in place, then killed`: with a frozen standby, the primary is killed, returns for a while, and is killed for good.
 * `frozen`: the primary stops and later continues as a fork.
 */
export const failoverNames = [
  'killed',
  'killed behind a frozen standby',
  'back in place, then killed',
  'frozen',
] as const;
export type FailoverName = (typeof failoverNames)[number];

export interface FailoverOptions {
  readonly seed: number;
  readonly events: readonly FailoverName[];
  /** Replicates asynchronously, which is a fault that the checks must find. */
  readonly isAsynchronous?: boolean;
  readonly onEvent?: (name: FailoverName, figures: FailoverFigures) => void;
}

const frozenMilliseconds = 700;
const backInPlaceMilliseconds = 3_000;
const alsoGoneMilliseconds = 1_500;
const pollMilliseconds = 20;
const ordersBetween = 300;

/** @throws Error if a step could not be tried. Failures of the service are in the report. */
export async function runFailovers(options: FailoverOptions): Promise<FailoverEnd> {
  const endings: (() => Promise<void>)[] = [];
  try {
    return await failOver(options, endings);
  } finally {
    for (const end of endings.reverse()) await end();
  }
}

async function failOver(
  { seed, events, isAsynchronous = false, onEvent }: FailoverOptions,
  endings: (() => Promise<void>)[],
): Promise<FailoverEnd> {
  const password = randomBytes(16).toString('hex');
  const settings = { wal_keep_size: '1GB', max_wal_size: '1GB' };
  const servers: ThrowawayPostgres[] = [];
  for (let count = 0; count < 2; count += 1) {
    const server = await startThrowawayPostgres({ password, settings });
    endings.push(server.remove);
    servers.push(server);
  }
  let [primary, standby] = servers;
  if (primary === undefined || standby === undefined) throw new Error('Two servers are needed.');
  await join(primary, standby, isAsynchronous);
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const url = `postgres://postgres:${password}@${hosts}/postgres`;
  const clients = await startFailoverClients(url, seed);
  endings.push(clients.kill);
  const forks: string[] = [];
  for (const event of events) {
    await clients.placed(ordersBetween);
    clients.figures();
    await happen(event, primary, standby);
    await clients.placed(ordersBetween);
    onEvent?.(event, clients.figures());
    forks.push(...(await expectNobodyOn(primary, standby, event)));
    await join(standby, primary, isAsynchronous);
    [primary, standby] = [standby, primary];
  }
  await clients.placed(ordersBetween);
  const end = await clients.finish();
  return { ...end, problems: [...end.problems, ...forks] };
}

async function happen(
  event: FailoverName,
  primary: ThrowawayPostgres,
  standby: ThrowawayPostgres,
): Promise<void> {
  // As in a real failover, the promoted server has no standby to wait for.
  const promote = async () => {
    await waitForNobody(standby);
    await askServer(standby.url, 'select pg_promote(true)');
  };
  const kill = async () => {
    send('SIGKILL', serverProcesses(primary));
    await primary.stop('kill');
  };
  if (event === 'killed') {
    await kill();
  } else if (event === 'frozen') {
    send('SIGSTOP', serverProcesses(primary));
  } else {
    const frozen = serverProcesses(standby);
    send('SIGSTOP', frozen);
    await pause(frozenMilliseconds);
    await kill();
    if (event === 'back in place, then killed') {
      await primary.start();
      await pause(backInPlaceMilliseconds);
      await kill();
    }
    send('SIGCONT', frozen);
  }
  await promote();
}

/** Lets a former primary accept writes and, for a while, be the only one that answers. @returns a sentence if it got orders */
async function expectNobodyOn(
  former: ThrowawayPostgres,
  primary: ThrowawayPostgres,
  event: FailoverName,
): Promise<string[]> {
  if (former.pid() === undefined) await former.start();
  else send('SIGCONT', serverProcesses(former));
  // The former primary must not wait for a standby, so that only the service can keep orders away.
  // The loop ends when the transactions that were waiting for the standby have ended.
  await waitForNobody(former);
  const waiting = "select from pg_stat_activity where wait_event = 'SyncRep'";
  while ((await askServer(former.url, waiting)).length > 0) await pause(pollMilliseconds);
  const before = await countOrders(former);
  await primary.stop('immediate');
  await pause(alsoGoneMilliseconds);
  await primary.start();
  return (await countOrders(former)) === before
    ? []
    : [`After "${event}" someone ordered on the former primary.`];
}

async function countOrders({ url }: ThrowawayPostgres): Promise<unknown> {
  const [row] = await askServer(url, 'select count(*) as count from orders');
  return row?.['count'];
}

async function waitForNobody({ url }: ThrowawayPostgres): Promise<void> {
  await askServer(url, 'alter system reset synchronous_standby_names');
  await askServer(url, 'select pg_reload_conf()');
}

async function join(
  primary: ThrowawayPostgres,
  standby: ThrowawayPostgres,
  isAsynchronous: boolean,
): Promise<void> {
  await standby.becomeStandbyOf(primary);
  if (!isAsynchronous) await askServer(primary.url, "alter system set synchronous_standby_names = 'standby'");
  await askServer(primary.url, 'select pg_reload_conf()');
  const wanted = isAsynchronous ? 'async' : 'sync';
  const joined = `select from pg_stat_replication where state = 'streaming' and sync_state = '${wanted}'`;
  while ((await askServer(primary.url, joined)).length === 0) await pause(pollMilliseconds);
}
