// node proof/machines/long-patroni-failover.ts [--road proxy|list]... [--only event]... [--lock-store etcd|etcd3] [--seed 1]
// Makes a Patroni cluster fail while clients order through HAProxy's address or a host list. Exit code 1 if a check fails.

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { askServer } from '../../test/harness/one-question.ts';
import { type FailoverClients, startFailoverClients } from './failover-clients.ts';
import { type PatroniCluster, startPatroniCluster, whyNoPatroni } from './patroni-cluster.ts';
import { send } from './server-processes.ts';

const etcdFrozenMilliseconds = 20_000;
const ordersAround = 300;
/** Orders after the standby has taken over and before the frozen primary continues. */
const thawedAfterOrders = 2_000;

type Event = (cluster: PatroniCluster, clients: FailoverClients) => Promise<void>;

const otherOf = (name: 'a' | 'b') => (name === 'a' ? 'b' : 'a');

async function killPrimary(cluster: PatroniCluster): Promise<void> {
  send('SIGKILL', cluster.postgresOf(await cluster.primary()));
}

async function freezeEtcd(cluster: PatroniCluster): Promise<void> {
  send('SIGSTOP', cluster.etcd());
  await pause(etcdFrozenMilliseconds);
  send('SIGCONT', cluster.etcd());
}

const events: Readonly<Record<string, Event>> = {
  switchover: (cluster) => cluster.switchover(),
  'kill -9 of the primary, fail over at once': killPrimary,
  async 'the same, restarted in place'(cluster) {
    await cluster.setFailsOverAtOnce(false);
    await killPrimary(cluster);
  },
  async 'kill -9 of Patroni and the primary'(cluster, clients) {
    const name = await cluster.primary();
    const pids = [...cluster.patroniOf(name), ...cluster.postgresOf(name)];
    send('SIGKILL', pids);
    await clients.placed(ordersAround);
    cluster.startPatroni(name);
  },
  async 'standby killed'(cluster) {
    send('SIGKILL', cluster.postgresOf(otherOf(await cluster.primary())));
  },
  async 'etcd frozen 20 s, without failsafe_mode'(cluster) {
    await cluster.setFailsafe(false);
    await freezeEtcd(cluster);
  },
  'etcd frozen 20 s, with failsafe_mode': freezeEtcd,
  async 'primary frozen and thawed later'(cluster, clients) {
    const name = await cluster.primary();
    const pids = [...cluster.patroniOf(name), ...cluster.postgresOf(name)];
    send('SIGSTOP', pids);
    await clients.placed(thawedAfterOrders);
    send('SIGCONT', pids);
    await pause(etcdFrozenMilliseconds);
  },
};

const { values } = parseArgs({
  options: {
    road: { type: 'string', multiple: true, default: ['proxy', 'list'] },
    only: { type: 'string', multiple: true },
    'lock-store': { type: 'string', default: 'etcd' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);
const began = performance.now();
const reason = whyNoPatroni();
if (reason === null) await tryAll();
else say(`0 events, not tried. ${reason}`);

async function tryAll(): Promise<void> {
  const names = Object.keys(events).filter(
    (name) => values.only === undefined || values.only.some((wanted) => name.startsWith(wanted)),
  );
  const rows: string[] = [];
  const totals = { events: 0, acknowledged: 0, wrong: 0, missing: 0 };
  const cluster = await startPatroniCluster(values['lock-store'] === 'etcd3' ? 'etcd3' : 'etcd');
  try {
    for (const road of values.road) {
      for (const name of names) {
        totals.events += 1;
        // Each event has its own shop, so that missing orders belong to this event.
        const database = `event_${totals.events}`;
        await cluster.whole();
        await askServer(cluster.proxyUrl, `create database ${database}`);
        const url = (road === 'list' ? cluster.listUrl : cluster.proxyUrl).replace(/postgres$/, database);
        const { figures, end } = await tryEvent(cluster, url, events[name]);
        const wrong = [...end.missing, ...end.doubled, ...end.problems];
        for (const sentence of wrong.slice(0, 10)) say(`  ${name}: ${sentence}`);
        totals.acknowledged += end.acknowledged;
        totals.missing += end.missing.length;
        totals.wrong += wrong.length;
        const { gapMilliseconds, refused, replayed } = figures;
        const saw = [
          ...(refused > 0 ? [`${refused} × 503`] : []),
          ...(replayed > 0 ? [`${replayed} replays`] : []),
        ];
        rows.push(
          `| ${road === 'list' ? 'list of hosts' : 'HAProxy'} | ${name} | ${(gapMilliseconds / 1_000).toFixed(1)} s | ${saw.join(', ') || 'nothing'} | ${end.missing.length} of ${end.acknowledged} |`,
        );
        say(rows.at(-1) ?? '');
      }
    }
  } finally {
    await cluster.remove();
  }
  say(
    [
      '',
      '| DATABASE_URL | Event | Gap | Clients saw | Acknowledged but missing |',
      '|---|---|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  );
  say(
    `${totals.events} events under Patroni, ${totals.acknowledged} orders acknowledged: ${totals.missing} missing, ` +
      `${totals.wrong - totals.missing} other problems; no process was started again; seed ${seed}, ` +
      `${Math.round((performance.now() - began) / 1000)} s`,
  );
  if (totals.wrong > 0 || totals.events === 0) process.exitCode = 1;
}

async function tryEvent(cluster: PatroniCluster, url: string, happen: Event | undefined) {
  const clients = await startFailoverClients(url, seed);
  try {
    await clients.placed(ordersAround);
    clients.figures();
    await happen?.(cluster, clients);
    await cluster.whole();
    await clients.placed(ordersAround);
    const figures = clients.figures();
    const end = await clients.finish();
    await cluster.setFailsafe(true);
    await cluster.setFailsOverAtOnce(true);
    return { figures, end };
  } finally {
    await clients.kill();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
