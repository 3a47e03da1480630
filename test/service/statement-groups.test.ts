// Statements of a transaction that are sent together. After a failure, no later one is executed or counts as prepared.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isPostgres } from '../../scripts/throwaway/test-database.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import {
  DatabaseUnavailable,
  StatementFailed,
  TransactionRolledBack,
} from '../../src/platform/database/database.ts';
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts';
import { defaultLimits } from '../../src/setup/config.ts';

let service: TestService;
before(async () => {
  // One session, so that the next transaction finds what this one has prepared.
  service = await startTestService({ limits: { database: { readConnections: 1 } } });
});
after(() => service.close());

const twice = { name: 'throwaway_twice', text: 'select number * 2 as doubled from unnest($1::int[]) number' };
const kinds = {
  name: 'throwaway_kinds',
  text: `select $1::bigint as whole, $2::boolean as truth, null::text as nothing, to_timestamp($3::bigint) as moment,
    array[$1::bigint] as wholes, $4::text[] as texts, $5::bytea as bytes`,
};
const divided = { name: 'throwaway_divided', text: 'select 1 / $1::int as share' };
const namesake = { name: twice.name, text: 'select number * 3 as tripled from unnest($1::int[]) number' };
const whichSession = { name: 'throwaway_session', text: 'select pg_backend_pid() as number' };
const behind = { name: 'throwaway_behind', text: 'select $1::text as said' };

test('each statement of a group has its own rows, also one that comes twice', async () => {
  for (const _time of ['first', 'again']) {
    const answers = await service.database.transaction((transaction) =>
      Promise.all([
        transaction.query(twice, ['{1,2}']),
        transaction.query(kinds, [9_007_199_254_740_993n, true, 86_400, ['a', '"b"'], Buffer.from([0, 255])]),
        transaction.query(twice, ['{}']),
        transaction.query(twice, ['{21}']),
      ]),
    );
    assert.deepEqual(answers, [
      [{ doubled: 2 }, { doubled: 4 }],
      [
        {
          whole: 9_007_199_254_740_993n,
          truth: true,
          nothing: null,
          moment: 86_400,
          wholes: [9_007_199_254_740_993n],
          texts: ['a', '"b"'],
          bytes: Buffer.from([0, 255]),
        },
      ],
      [],
      [{ doubled: 42 }],
    ]);
  }
});

test('behind a statement that fails none of its group is carried out, and all of them can be used again', async () => {
  const outcomes: PromiseSettledResult<unknown>[] = [];
  const failing = service.database.transaction(async (transaction) => {
    const sent = [
      transaction.query(twice, ['{1}']),
      transaction.query(divided, [0]),
      transaction.query(behind, ['never']),
    ];
    const committed = transaction.commit();
    outcomes.push(...(await Promise.allSettled([...sent, committed])));
    await Promise.all([...sent, committed]);
  });
  await assert.rejects(failing, (error) => error instanceof StatementFailed && error.code === '22012');
  const [fulfilled, failed, skipped, committed] = outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : outcome.reason,
  );
  assert.deepEqual(fulfilled, [{ doubled: 2 }]);
  assert.ok(failed instanceof StatementFailed && failed.code === '22012');
  assert.ok(skipped instanceof StatementFailed && skipped.code === '25P02');
  assert.ok(committed instanceof TransactionRolledBack);

  const again = await service.database.transaction((transaction) =>
    Promise.all([transaction.query(divided, [1]), transaction.query(behind, ['now'])]),
  );
  assert.deepEqual(again, [[{ share: 1 }], [{ said: 'now' }]]);
});

test('a name that stands for another statement already is a mistake, and nothing of its group is carried out', async () => {
  const mistaken = service.database.transaction(async (transaction) => {
    await transaction.query(twice, ['{1}']);
    return transaction.query(namesake, ['{1}']);
  });
  await assert.rejects(mistaken, /Two statements are called throwaway_twice/);
  const rows = await service.database.transaction((transaction) => transaction.query(twice, ['{3}']));
  assert.deepEqual(rows, [{ doubled: 6 }]);
});

const endless = { name: 'throwaway_endless', text: "select 'infinity'::timestamptz as moment" };

test('a value that cannot be read fails its statement alone, and the session goes on', async () => {
  for (const _time of ['first', 'again']) {
    const outcomes = await service.database.transaction((transaction) =>
      Promise.allSettled([
        transaction.query(twice, ['{1}']),
        transaction.query(endless),
        transaction.query(behind, ['still said']),
      ]),
    );
    const [read, unread, said] = outcomes;
    assert.deepEqual(read, { status: 'fulfilled', value: [{ doubled: 2 }] });
    assert.ok(unread.status === 'rejected' && unread.reason instanceof DatabaseUnavailable);
    assert.deepEqual(said, { status: 'fulfilled', value: [{ said: 'still said' }] });
  }
});

test('a transaction fails with its reason, also where a later answer arrives first', async () => {
  const failing = service.database.transaction(async (transaction) => {
    const wrapped = async () => {
      await transaction.query(divided, [0]);
    };
    const sent = [wrapped(), transaction.query(behind, ['never'])];
    const committed = transaction.commit();
    await Promise.all([...sent, committed]);
  });
  await assert.rejects(failing, (error) => error instanceof StatementFailed && error.code === '22012');
});

test('what was answered within the query_timeout of DATABASE_URL keeps its connection', {
  skip: !isPostgres && 'the embedded database has no address',
}, async () => {
  const { config } = service.testDatabase;
  assert.ok(config.kind === 'postgres');
  const url = new URL(config.connectionString);
  const milliseconds = 1_000;
  url.searchParams.set('query_timeout', String(milliseconds));
  const database = openPostgres({
    connectionString: url.href,
    ...defaultLimits.database,
    orderConnections: 1,
  });
  const session = async () => {
    const rows = await database.transaction((transaction) => transaction.query(whichSession), {
      rank: 'orders',
    });
    return rows[0]?.['number'];
  };
  try {
    const first = await session();
    await pause(milliseconds + 100);
    assert.equal(await session(), first);
  } finally {
    await database.close();
  }
});
