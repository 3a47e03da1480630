// Migrations with account groups: changes of tables run in every group, views follow, and no group is left out.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { dumpSchema } from '../../scripts/schema-dump.ts';
import { postgresForTests } from '../../scripts/throwaway-postgres.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { type Migration, migrate, readMigrations } from '../../src/platform/database/schema/migrate.ts';
import { accountTables } from '../../src/platform/database/shards/sharded-tables.ts';
import { divideAccounts } from '../../src/platform/database/shards/split-into-shards.ts';
import { connectDatabase } from '../../src/setup/open-database.ts';
import { askServer } from '../harness/one-question.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-group-migrations-'));
const schemas = ['public_group_0', 'public_group_1', 'public_group_2'];
const databases: string[] = [];
let postgres: Awaited<ReturnType<typeof postgresForTests>>;

before(async () => {
  postgres = await postgresForTests();
});
after(async () => {
  for (const name of databases) await askServer(postgres.url, `drop database if exists ${name} with (force)`);
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const madeUp = `-- A change of tables of both kinds.
create table shop_windows (id int primary key);
create function plan_of(int) returns int language sql immutable as 'select $1 * 2';
-- in each account group
alter table orders add column shop_window int references shop_windows;
alter table customers drop column external_ref;
create index orders_shop_window on orders (account_id, shop_window);
alter table accounts add column logo_number int generated always as identity;
create or replace function refuse_deleting_accounts() returns trigger language plpgsql as $$
begin
  if exists (select from orders where account_id = old.id) then raise exception 'it has orders'; end if;
  return old;
end $$;
-- once
create view orders_by_window as select shop_window, count(*) as orders from orders group by shop_window;
`;

test('what is about tables of accounts runs in every group, and the views show it', async () => {
  const { database, url } = await dividedAt(readMigrations());
  await askServer(
    url,
    `create view named_accounts with (security_barrier = true) as select id, username from accounts;
     insert into public_group_1.accounts (username, display_name, search_text, group_name, created_at, id)
       values ('one', 'One', 'one', 'reseller', now(), 4);
     insert into public_group_2.accounts (username, display_name, search_text, group_name, created_at, id)
       values ('two', 'Two', 'two', 'reseller', now(), 5)`,
  );
  assert.deepEqual(await migrate(database, { migrations: withLater(madeUp) }), [nextName()]);
  for (const schema of schemas) {
    const columns = await askServer(
      url,
      `select 1 from information_schema.columns where table_schema = '${schema}'
       and (table_name, column_name) in (('orders', 'shop_window'), ('customers', 'external_ref'), ('accounts', 'logo_number'))`,
    );
    assert.equal(columns.length, 2, schema);
    const [index] = await askServer(
      url,
      `select to_regclass('${schema}.orders_shop_window') is not null as has`,
    );
    assert.equal(index.has, true, schema);
  }
  await askServer(url, 'insert into shop_windows values (1)');
  assert.deepEqual(await askServer(url, 'select id, username from named_accounts order by id'), [
    { id: 4, username: 'one' },
    { id: 5, username: 'two' },
  ]);
  const [kept] = await askServer(url, `select reloptions from pg_class where relname = 'named_accounts'`);
  assert.deepEqual(kept.reloptions, ['security_barrier=true']);
  assert.deepEqual(await askServer(url, 'select * from orders_by_window'), []);
  assert.deepEqual(
    await askServer(
      url,
      `select count(*)::int as n from information_schema.columns
      where table_schema = 'public' and table_name = 'customers' and column_name = 'external_ref'`,
    ),
    [{ n: 0 }],
  );
  // One sequence numbers the rows of all groups. A changed function still uses its own group.
  const drawn = await askServer(
    url,
    `insert into public_group_0.accounts (username, display_name, search_text, group_name, created_at, id)
       values ('three', 'Three', 'three', 'reseller', now(), 6) returning logo_number`,
  );
  const numbers = await askServer(url, 'select logo_number as n from accounts order by id');
  assert.ok(drawn[0].logo_number > Math.max(...numbers.slice(0, 2).map(({ n }) => n)));
  await askServer(
    url,
    `alter table public_group_1.orders drop constraint of_its_account_group;
     insert into public_group_1.orders (account_id, number, customer_number, package_id, months, kind, price_cents,
       refund_cents, balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)
     values (5, 1, 1, 1, 1, 'activate', 0, 0, 0, now(), now(), 'key', 'print')`,
  );
  assert.deepEqual(await askServer(url, 'delete from public_group_2.accounts where id = 5 returning id'), [
    { id: 5 },
  ]);
  await database.close();
});

test('a migration that fails in one group changes none, and the views are as they were @nightly', async () => {
  const { database, url } = await dividedAt(readMigrations());
  await askServer(url, 'alter table public_group_2.orders add column shop_window int');
  await assert.rejects(
    migrate(database, { migrations: withLater(madeUp) }),
    /column "shop_window" .* already exists/,
  );
  const [row] = await askServer(
    url,
    `select to_regclass('shop_windows') is null as is_gone, (select count(*)::int from orders) as orders,
       (select count(*)::int from information_schema.columns where column_name = 'logo_number') as changed`,
  );
  assert.deepEqual(row, { is_gone: true, orders: 0, changed: 0 });
  await database.close();
});

test('on a database of one group the same file runs as it is', async () => {
  const { database, url } = await newDatabase();
  await migrate(database, { migrations: withLater(madeUp) });
  assert.deepEqual(await askServer(url, 'select * from orders_by_window'), []);
  await database.close();
});

test('every migration since account groups gives the same whether the database was divided before or after @nightly', async () => {
  const migrations = readMigrations();
  const begin = migrations.findIndex(({ name }) => name.endsWith('-account-groups.sql')) + 1;
  const early = await dividedAt(migrations.slice(0, begin));
  await migrate(early.database);
  const late = await dividedAt(migrations);
  const dump = async ({ database }: { database: Database }) => {
    const texts: string[] = [];
    for (const schema of ['public', ...schemas]) texts.push(await dumpOf(database, schema));
    return texts;
  };
  assert.deepEqual(await dump(early), await dump(late));
  const views = `select table_name as name from information_schema.views where table_schema = 'public' order by 1`;
  const names = (await askServer(late.url, views)).map(({ name }) => name);
  for (const table of Object.keys(accountTables)) assert.ok(names.includes(table), table);
  assert.deepEqual(
    (await askServer(early.url, views)).map(({ name }) => name),
    names,
  );
  await early.database.close();
  await late.database.close();
});

function dumpOf(database: Database, schema: string): Promise<string> {
  return dumpSchema({
    ...database,
    query: (statement, values) =>
      database.query({ name: '', text: statement.text.replaceAll(`'public'`, `'${schema}'`) }, values),
  });
}

function nextName(): string {
  return `${String(readMigrations().length + 1).padStart(4, '0')}-made-up.sql`;
}

function withLater(text: string): Migration[] {
  const all = readMigrations();
  for (const { name, sql } of all) writeFileSync(join(folder, name), sql);
  writeFileSync(join(folder, nextName()), text);
  return readMigrations(pathToFileURL(`${folder}/`));
}

async function dividedAt(migrations: readonly Migration[]) {
  const made = await newDatabase();
  await migrate(made.database, { migrations });
  await made.database.transaction((transaction) => divideAccounts(transaction, schemas.length), {
    timeoutMilliseconds: null,
  });
  return made;
}

async function newDatabase(): Promise<{ database: Database; url: string }> {
  const name = `group_migrations_${process.pid}_${databases.length}`;
  databases.push(name);
  await askServer(postgres.url, `create database ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const database = await connectDatabase({ database: { kind: 'postgres', connectionString: url.href } });
  return { database, url: url.href };
}
