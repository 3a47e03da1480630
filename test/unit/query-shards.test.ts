// How answers of shards are merged and shards are chosen, on one server and on several.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSpread, type Queryable, type Row } from '../../src/platform/database/database.ts';
import { bySharding, queryShards } from '../../src/platform/database/shards/query-shards.ts';

const statement = { name: 'list', text: 'list' };
const forms = { together: { name: 'joined', text: '' }, apart: { name: 'alone', text: '' } };

interface Asked {
  readonly shard: number | 'views';
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Each shard answers every query with its rows. The views over all shards answer with `whole`. */
function shardsOf(
  answers: readonly (readonly Row[])[],
  isApart: boolean,
  whole: readonly Row[] = [],
): { database: Queryable; asked: Asked[] } {
  const asked: Asked[] = [];
  const on = (shard: number | 'views', rows: readonly Row[]): Queryable => ({
    [isSpread]: isApart,
    async query({ name }, values = []) {
      asked.push({ shard, name, values });
      return rows;
    },
    ofAccount: (id) => shards[id % shards.length] ?? assert.fail(),
    accountGroups: () => shards,
  });
  const shards = answers.map((rows, index) => on(index, rows));
  return { database: on('views', whole), asked };
}

const numbers = (rows: readonly Row[]) => rows.map((row) => row['number']);
const rowsOf = (...all: readonly number[]) => all.map((number) => ({ number }));
const shardsAsked = (asked: readonly Asked[]) => asked.map(({ shard }) => shard);

test('a statement of two texts, and what is more than one, take the form that fits', async () => {
  for (const [isApart, name] of [
    [false, 'joined'],
    [true, 'alone'],
  ] as const) {
    const { database, asked } = shardsOf([[], []], isApart);
    await queryShards(database, forms, [7], { account: 3 });
    assert.deepEqual(asked, [{ shard: 1, name, values: [7] }]);
    assert.equal(bySharding(database, { together: () => 'joined', apart: () => 'alone' }), name);
  }
});

describe('which shards are asked', () => {
  const rows = [rowsOf(1), rowsOf(2), rowsOf(3)];

  test('every shard, wherever they are', async () => {
    for (const isApart of [false, true]) {
      const { database, asked } = shardsOf(rows, isApart);
      assert.deepEqual(numbers(await queryShards(database, statement, [], 'every')), [1, 2, 3]);
      assert.deepEqual(shardsAsked(asked), [0, 1, 2]);
    }
  });

  test('the views of all shards on one server, and every shard on several', async () => {
    const together = shardsOf(rows, false, rowsOf(9));
    assert.deepEqual(numbers(await queryShards(together.database, statement, [], 'any')), [9]);
    assert.deepEqual(shardsAsked(together.asked), ['views']);
    const apart = shardsOf(rows, true, rowsOf(9));
    assert.deepEqual(numbers(await queryShards(apart.database, statement, [], 'any')), [1, 2, 3]);
  });

  test('those of the accounts alone, each account once', async () => {
    const ids = [4, 1, 4, 6];
    const together = shardsOf(rows, false);
    await queryShards(together.database, statement, ['x'], { accounts: ids });
    assert.deepEqual(together.asked, [{ shard: 'views', name: 'list', values: ['{4,1,6}', 'x'] }]);
    const apart = shardsOf(rows, true);
    await queryShards(apart.database, statement, ['x'], { accounts: ids });
    assert.deepEqual(apart.asked, [
      { shard: 0, name: 'list', values: ['{6}', 'x'] },
      { shard: 1, name: 'list', values: ['{4,1}', 'x'] },
    ]);
  });

  test('the one that has the account that another statement finds', async () => {
    const find = { name: 'find', text: 'find' };
    const scope = { holding: find, by: ['token'] };
    const together = shardsOf(rows, false);
    await queryShards(together.database, statement, [1], scope);
    assert.deepEqual(together.asked, [{ shard: 'views', name: 'list', values: [1] }]);
    const apart = shardsOf(rows, true, [{ account_id: 5 }]);
    assert.deepEqual(numbers(await queryShards(apart.database, statement, [1], scope)), [3]);
    assert.deepEqual(apart.asked, [
      { shard: 'views', name: 'find', values: ['token'] },
      { shard: 2, name: 'list', values: [1] },
    ]);
  });
});

test('rows of items come in the order of the items, whichever shard has them', async () => {
  const { database } = shardsOf([rowsOf(6, 3), rowsOf(1)], true);
  const rows = await queryShards(database, statement, [], {
    of: [3, 1, 4, 6],
    accountOf: (item) => item,
    columns: (items) => [items],
    inOrder: { keyOf: String, keyOfRow: (row) => String(row['number']) },
  });
  assert.deepEqual(numbers(rows), [3, 1, 6]);
});

describe('the first rows of all shards', () => {
  test('by the columns, numbers as numbers and big ones exactly', async () => {
    const [low, high] = [9_007_199_254_740_992n, 9_007_199_254_740_993n];
    const { database } = shardsOf(
      [
        [
          { at: 2, number: high },
          { at: 10, number: 1n },
        ],
        [
          { at: 2, number: low },
          { at: 3, number: 5n },
        ],
      ],
      false,
    );
    const first = { columns: ['at', 'number'], limit: 3 };
    const rows = await queryShards(database, statement, [], { first });
    assert.deepEqual(numbers(rows), [low, high, 5n]);
  });

  test('downwards, and text as "C" orders it', async () => {
    const { database } = shardsOf([[{ name: 'b' }, { name: 'B' }], [{ name: 'a' }]], true);
    const first = { columns: ['name'], descending: true, limit: 9 };
    const rows = await queryShards(database, statement, [], { first });
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['b', 'a', 'B'],
    );
  });
});

describe('a page', () => {
  const page = { columns: ['number'], descending: true, limit: 3 };

  test('ends where the first shard that was not read to its end does', async () => {
    const { database } = shardsOf([rowsOf(90, 80, 70), rowsOf(85, 40, 30), rowsOf(75)], true);
    const { rows, end } = await queryShards(database, statement, [], { page });
    assert.deepEqual(numbers(rows), [90, 85, 80, 75, 70]);
    assert.deepEqual(end, { number: 70 });
  });

  test('is the last one when every shard was read to its end', async () => {
    const { database } = shardsOf([rowsOf(90, 80), [], rowsOf(85)], true);
    const { rows, end } = await queryShards(database, statement, [], { page });
    assert.deepEqual(numbers(rows), [90, 85, 80]);
    assert.equal(end, null);
  });

  test('of a statement that leaves rows out ends where a shard stopped reading', async () => {
    const read = (...rows: readonly (readonly [number: number, place: number])[]) =>
      rows.map(([number, place]) => ({ number, place: BigInt(place) }));
    const { database } = shardsOf([read([50, 3]), read([60, 1], [49, 2])], true);
    const found = await queryShards(database, statement, [], { page: { ...page, place: 'place' } });
    assert.deepEqual(numbers(found.rows), [60, 50]);
    assert.deepEqual(found.end, { number: 50, place: 3n });
  });

  test('on one server is what the views answer', async () => {
    const { database, asked } = shardsOf([[], []], false, rowsOf(3, 2, 1));
    const { rows, end } = await queryShards(database, statement, [5], { page });
    assert.deepEqual(numbers(rows), [3, 2, 1]);
    assert.deepEqual(end, { number: 1 });
    assert.deepEqual(asked, [{ shard: 'views', name: 'list', values: [5] }]);
  });
});
