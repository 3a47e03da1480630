// Moves account groups between Citus workers while clients order. The lanes of both processes must follow.

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { at } from '../../scripts/throwaway/citus-database.ts';
import { type CitusPlace, startCitusPlace } from './citus-place.ts';
import { type FailoverEnd, processCount, startFailoverClients } from './failover-clients.ts';

export interface GroupMove {
  readonly title: string;
  readonly tookMilliseconds: number;
  readonly stoodStillMilliseconds: number;
  readonly othersStoodStillMilliseconds: number;
}

export interface GroupMovesOptions {
  readonly moves: number;
  readonly seed: number;
  readonly onMove: (move: GroupMove) => void;
}

export interface GroupMovesEnd extends FailoverEnd {
  readonly leftBehind: readonly string[];
}

const ordersBetween = 200;
/** Longer than the service's interval for locating groups, plus the work in progress. */
const followMilliseconds = 30_000;
const lookMilliseconds = 250;

export async function moveGroups({ moves, seed, onMove }: GroupMovesOptions): Promise<GroupMovesEnd> {
  const place = await startCitusPlace();
  const { workers } = place.servers;
  if (workers.length < 2) throw new Error('A group can be moved where there are two workers.');
  const coordinator = new pg.Client({ connectionString: place.url });
  try {
    await coordinator.connect();
    const groupCount = Number(place.environment.ACCOUNT_GROUPS);
    const periods = createPeriods(groupCount);
    const clients = await startFailoverClients(place.url, seed, {
      environment: place.environment,
      onPlaced: (accountId, answeredAt) => periods.placed(accountId % groupCount, answeredAt),
    });
    try {
      const leftBehind: string[] = [];
      await clients.placed(ordersBetween);
      for (let count = 0; count < moves; count += 1) {
        const homes = await homesOfGroups(coordinator);
        const used = homes.flatMap((home, group) => (periods.isUsed(group) ? [{ ...home, group }] : []));
        const moved = used[count % used.length];
        if (moved === undefined) throw new Error('No group has orders.');
        const { group, schema, server: from } = moved;
        const to = workers[(workers.indexOf(from) + 1) % workers.length] ?? '';
        const [host, port] = to.split(':');
        periods.begin();
        const began = performance.now();
        await coordinator.query('select citus_schema_move($1::text::regnamespace, $2, $3::int)', [
          schema,
          host,
          port,
        ]);
        const tookMilliseconds = Math.round(performance.now() - began);
        await clients.placed(ordersBetween);
        const wrong = await lanesOutOfPlace(coordinator, place, periods.isUsed);
        const { own, others } = periods.longest(group);
        onMove({
          title: `${schema}: ${from} → ${to}`,
          tookMilliseconds,
          stoodStillMilliseconds: own,
          othersStoodStillMilliseconds: others,
        });
        for (const sentence of wrong)
          leftBehind.push(`${followMilliseconds} ms after ${schema} had gone to ${to}: ${sentence}.`);
      }
      await clients.placed(ordersBetween);
      return { ...(await clients.finish()), leftBehind };
    } finally {
      await clients.kill();
    }
  } finally {
    await coordinator.end();
    await place.remove();
  }
}

async function lanesOutOfPlace(
  coordinator: pg.Client,
  { servers }: CitusPlace,
  isUsed: (group: number) => boolean,
): Promise<string[]> {
  const homes = await homesOfGroups(coordinator);
  const endsAt = performance.now() + followMilliseconds;
  for (;;) {
    const wrong: string[] = [];
    for (const worker of servers.workers) {
      const wanted =
        processCount * homes.filter(({ server }, group) => server === worker && isUsed(group)).length;
      const found = await lanesAt(coordinator, at(servers, worker));
      if (found !== wanted) wrong.push(`${worker} has ${found} lanes of its ${wanted}`);
    }
    if (wrong.length === 0 || performance.now() > endsAt) return wrong;
    await pause(lookMilliseconds);
  }
}

async function homesOfGroups(
  coordinator: pg.Client,
): Promise<readonly { readonly schema: string; readonly server: string }[]> {
  const { rows } = await coordinator.query<{ schema: string; server: string }>(
    `select g.schema_name as schema, s.nodename || ':' || s.nodeport as server
     from account_groups g join citus_shards s
       on s.table_name = (quote_ident(g.schema_name) || '.accounts')::regclass
     order by g.number`,
  );
  return rows;
}

async function lanesAt({ database = '' }: pg.Client, worker: string): Promise<number> {
  const url = new URL(worker);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name like 'sellthrough%'`,
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

function createPeriods(groupCount: number) {
  let lastAt: (number | null)[] = Array.from({ length: groupCount }, () => null);
  let longest = lastAt.map(() => 0);
  return {
    begin() {
      const now = performance.now();
      lastAt = lastAt.map((at) => (at === null ? null : now));
      longest = longest.map(() => 0);
    },
    placed(group: number, answeredAt: number) {
      const before = lastAt[group] ?? answeredAt;
      longest[group] = Math.max(longest[group] ?? 0, answeredAt - before);
      lastAt[group] = answeredAt;
    },
    isUsed: (group: number) => (lastAt[group] ?? null) !== null,
    longest(group: number) {
      const others = longest.filter((_, other) => other !== group);
      return { own: Math.round(longest[group] ?? 0), others: Math.round(Math.max(0, ...others)) };
    },
  };
}
