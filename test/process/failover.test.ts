// DATABASE_URL with several hosts. proof/machines/failover.ts tests whole failovers under load.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { send, serverProcesses } from '../../proof/machines/server-processes.ts';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { type Database, DatabaseUnavailable } from '../../src/platform/database/database.ts';
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { askServer } from '../harness/one-question.ts';

const password = randomBytes(16).toString('hex');
let primary: ThrowawayPostgres;
let standby: ThrowawayPostgres;
let foreign: ThrowawayPostgres;
let anonymous: number;

before(async () => {
  [primary, standby, foreign, anonymous] = await Promise.all([
    startThrowawayPostgres({ password }),
    startThrowawayPostgres({ password }),
    startThrowawayPostgres({ password }),
    freePort(),
  ]);
  await standby.becomeStandbyOf(primary);
  for (const { url } of [primary, foreign])
    await askServer(url, 'create table schema_migrations (); create table written (number int)');
});
after(() => Promise.all([primary, standby, foreign].map((server) => server.remove())));

function open(...ports: readonly number[]): Database {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return openPostgres({
    ...defaultLimits.database,
    connectionString: `postgres://postgres:${password}@${hosts}/postgres`,
  });
}

function write(database: Database, number: number) {
  return database.query({ name: '', text: `insert into written values (${number})` }, [], 'changes');
}

async function toldTo({ url }: ThrowawayPostgres): Promise<number[]> {
  return (await askServer(url, 'select number from written order by number')).map(({ number }) =>
    Number(number),
  );
}

describe('a list of hosts', () => {
  test('one is dead, one a standby: the third is written to', async () => {
    const database = open(anonymous, standby.port, primary.port);
    try {
      await write(database, 1);
      assert.deepEqual(await toldTo(primary), [1]);
    } finally {
      await database.close();
    }
  });

  test('one is of another cluster: refused with both system identifiers, and none is written to', async () => {
    for (const ports of [
      [anonymous, foreign.port, standby.port],
      [primary.port, foreign.port],
    ]) {
      const database = open(...ports);
      try {
        await assert.rejects(
          write(database, 2),
          (error: unknown) =>
            error instanceof DatabaseUnavailable &&
            /different clusters.*\(\d{10,}\).*\(\d{10,}\)/.test(error.message),
        );
      } finally {
        await database.close();
      }
    }
    assert.deepEqual([await toldTo(primary), await toldTo(foreign)], [[1], []]);
  });

  test('a server that begins to answer in another cluster is passed over, and never written to', async () => {
    await foreign.stop('fast');
    const database = open(foreign.port, primary.port);
    try {
      await write(database, 3);
      await foreign.start();
      await askServer(
        primary.url,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'sellthrough%'",
      );
      await untilTaken(() => write(database, 4));
      assert.deepEqual([await toldTo(primary), await toldTo(foreign)], [[1, 3, 4], []]);
    } finally {
      await database.close();
    }
  });

  test('the standby is promoted while the primary hangs: the same process writes there, and no more to the former', async () => {
    const database = open(primary.port, standby.port);
    const frozen: number[] = [];
    try {
      await write(database, 5);
      frozen.push(...serverProcesses(primary));
      send('SIGSTOP', frozen);
      await askServer(standby.url, 'select pg_promote(true)');
      await untilTaken(() => write(database, 6));
      send('SIGCONT', frozen);
      for (const number of [7, 8]) await write(database, number);
      const [here, there] = [await toldTo(primary), await toldTo(standby)];
      assert.deepEqual(there.slice(-3), [6, 7, 8]);
      // A statement that was running at the freeze may be on both servers, but no later one.
      assert.ok(!here.some((number) => number > 6), `the former primary has ${here}`);
    } finally {
      send('SIGCONT', frozen);
      await database.close();
    }
  });
});

async function untilTaken(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const isTaken = await work().then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        return false;
      },
    );
    if (isTaken) return;
    await pause(20);
  }
}
