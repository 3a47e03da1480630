// Moves the accounts of a database into several shards in one transaction, so a kill before COMMIT changes nothing.
// Invariant: every row is in its account's shard, and each table keeps its row count; otherwise nothing changes.

import { type AccountDivision, DatabaseUnavailable, type Queryable, StatementFailed } from '../database.ts';
import { quoteName } from '../quote-name.ts';
import { lockSchema } from '../schema-lock.ts';
import { SchemaMismatch } from '../schema-mismatch.ts';
import { findDivision } from './find-shards.ts';
import {
  grant,
  grantNumbers,
  putViewsUp,
  type Right,
  rightsOn,
  run,
  sequenceName,
  takeViewsDown,
} from './shard-views.ts';
import { accountTables } from './sharded-tables.ts';

export interface DivisionProgress {
  onTable(table: string, rows: number): void;
}

const lockMilliseconds = 15_000;

/**
 * May take long. No service may use the database meanwhile.
 * @param count 2 to accountGroupsMax
 * @throws SchemaMismatch if it is already divided, a table is in use, or a schema of that name exists
 */
export async function divideAccounts(
  transaction: Queryable,
  count: number,
  progress?: DivisionProgress,
): Promise<AccountDivision> {
  // A service that starts meanwhile waits for this lock, and then finds the shards.
  await lockSchema(transaction);
  if ((await findDivision(transaction)) !== null) {
    throw new SchemaMismatch(
      'The accounts of this database are in groups already. Their number cannot be changed.',
    );
  }
  const [here] = await run(
    transaction,
    "select current_schema() as name, current_setting('lock_timeout') as lock_timeout",
  );
  const sharedName = String(here?.['name']);
  const shared = quoteName(sharedName);
  const names = Array.from({ length: count }, (_, number) => `${sharedName}_group_${number}`);
  const division = { shared, groups: names.map(quoteName) };
  for (const setting of settings) await run(transaction, `set local ${setting}`);
  await run(transaction, `set local lock_timeout = ${lockMilliseconds}`);
  // On an older schema some tables are missing; later migrations create them in each shard.
  const present: (readonly [name: string, owner: string])[] = [];
  for (const [name, owner] of Object.entries(accountTables)) {
    const [found] = await run(transaction, `select to_regclass('${shared}.${name}') is not null as is_there`);
    if (found?.['is_there'] === true) present.push([name, owner]);
  }
  for (const [name] of present) await lockTable(transaction, `${shared}.${name}`);
  await run(transaction, `set local lock_timeout = '${here?.['lock_timeout']}'`);
  for (const group of division.groups) await createSchema(transaction, group);
  await grantSchemas(transaction, division);
  const tables: AccountTable[] = [];
  for (const [name, owner] of present) tables.push(await describe(transaction, name, owner));
  // Views and foreign keys go first, because they depend on the tables that move.
  const views = await takeViewsDown(transaction, shared);
  for (const table of tables) for (const reference of table.references) await run(transaction, reference);
  await copyFunctions(transaction, division);
  let rows = 0;
  for (const table of tables) {
    rows += await move(transaction, table, division);
    progress?.onTable(table.name, rows);
  }
  await putViewsUp(transaction, division, views);
  for (const [number, name] of names.entries()) {
    await transaction.query(
      { name: '', text: 'insert into account_groups (number, schema_name) values ($1::int, $2)' },
      [number, name],
    );
  }
  return division;
}

/** The move reads whole tables. The connection check releases the tables soon if this process dies. */
const settings = [
  'enable_seqscan = on',
  'enable_hashjoin = on',
  'enable_bitmapscan = on',
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  'client_connection_check_interval = 1000',
];

async function lockTable(transaction: Queryable, table: string): Promise<void> {
  try {
    await run(transaction, `lock table ${table} in access exclusive mode`);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new SchemaMismatch(
      `Nothing was changed: another session uses ${table} (a backup, or someone's own tool). Try again once it has ended.`,
      { cause: error },
    );
  }
}

interface Identity {
  readonly column: string;
  readonly sequence: string;
  /** The maximum of the sequence. Ids of test accounts begin above it. */
  readonly last: string;
}

interface AccountTable {
  readonly name: string;
  /** The column that holds a row's account. */
  readonly owner: string;
  readonly identities: readonly Identity[];
  /** With "%s" for the table, in their order: of two indexes that look equal, the planner takes the first. */
  readonly indexes: readonly string[];
  /** Definitions with "%f" for the shard, before the name of a function that is copied into each shard. */
  readonly triggers: readonly string[];
  readonly storage: string;
  /** ALTER TABLE actions, such as statistics targets. */
  readonly columnSettings: readonly string[];
  readonly references: readonly string[];
  readonly rights: readonly Right[];
}

const looksAtAccounts = (functionName: string) =>
  `${functionName}.prosrc ~ '\\m(${Object.keys(accountTables).join('|')})\\M'`;

async function describe(queryable: Queryable, name: string, owner: string): Promise<AccountTable> {
  const of = (text: string) =>
    queryable.query({ name: '', text }, [name]).then((rows) => rows.map((row) => String(row['text'])));
  const table = `format('%I.%I', current_schema(), $1::text)::regclass`;
  // Definitions name the table with its schema: "… on public.orders …".
  const ofGroup = (text: string) => text.replace(new RegExp(` ON (ONLY )?(\\S+\\.)?${name} `), ' ON %s ');
  const identities = await queryable.query(
    {
      name: '',
      text: `select quote_ident(attname) as column, s.seqrelid::regclass::text as sequence, s.seqmax::text as last
        from pg_attribute join pg_sequence s on s.seqrelid = pg_get_serial_sequence(quote_ident($1), attname)::regclass
        where attrelid = ${table} and attidentity <> ''`,
    },
    [name],
  );
  const [storage = ''] = await of(
    `select coalesce(string_agg(prefix || option, ', '), '') as text from (
       select '' as prefix, unnest(c.reloptions) as option from pg_class c where c.oid = ${table}
       union all
       select 'toast.', unnest(t.reloptions) from pg_class c join pg_class t on t.oid = c.reltoastrelid
       where c.oid = ${table}) o`,
  );
  return {
    name,
    owner,
    identities: identities.map((row) => ({
      column: String(row['column']),
      sequence: String(row['sequence']),
      last: String(row['last']),
    })),
    indexes: (
      await of(
        `select case when c.oid is null then pg_get_indexdef(i.indexrelid)
             else 'alter table %s add constraint ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid) end as text
         from pg_index i left join pg_constraint c
           on c.conindid = i.indexrelid and c.conrelid = i.indrelid and c.contype in ('p', 'u')
         where i.indrelid = ${table} order by i.indexrelid`,
      )
    ).map(ofGroup),
    triggers: (
      await of(
        `select case when ${looksAtAccounts('p')}
             then regexp_replace(pg_get_triggerdef(t.oid), 'EXECUTE FUNCTION (\\S+\\.)?([^. ]+\\()', 'EXECUTE FUNCTION %f.\\2')
             else pg_get_triggerdef(t.oid) end as text
         from pg_trigger t join pg_proc p on p.oid = t.tgfoid
         where t.tgrelid = ${table} and not t.tgisinternal order by 1`,
      )
    ).map(ofGroup),
    storage: storage === '' ? '' : ` with (${storage})`,
    columnSettings: await of(
      `select format('alter %I set statistics %s', attname, attstattarget) as text from pg_attribute
       where attrelid = ${table} and attnum > 0 and not attisdropped and attstattarget >= 0
       union all
       select format('alter %I set (%s)', attname, array_to_string(attoptions, ', ')) from pg_attribute
       where attrelid = ${table} and attnum > 0 and not attisdropped and attoptions is not null`,
    ),
    references: await of(
      `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as text from pg_constraint
       where contype = 'f' and (confrelid = ${table} or conrelid = ${table}) order by 1`,
    ),
    rights: await rightsOn(queryable, quoteName(name)),
  };
}

async function move(
  transaction: Queryable,
  { name, owner, identities, storage, ...table }: AccountTable,
  { shared, groups }: AccountDivision,
): Promise<number> {
  for (const { column, sequence, last } of identities) {
    // All shards draw numbers from one new sequence, which gets the old one's name at the end.
    await run(transaction, `create sequence ${shared}.${name}_${column}_numbers maxvalue ${last}`);
    await run(
      transaction,
      `select setval('${shared}.${name}_${column}_numbers', last_value, is_called) from ${sequence}`,
    );
    await grantNumbers(transaction, `${shared}.${name}_${column}_numbers`, table.rights);
  }
  // One scan distributes the rows to all shards, in their order on disk.
  const parent = `${shared}.${name}_to_groups`;
  await run(
    transaction,
    `create table ${parent} (like ${shared}.${name} including generated)
      partition by list ((${owner} % ${groups.length}))`,
  );
  for (const [number, group] of groups.entries()) {
    const ofGroup = `${group}.${name}`;
    await run(
      transaction,
      `create table ${ofGroup} (like ${shared}.${name} including defaults including constraints including generated
        including storage including compression including comments including statistics)${storage}`,
    );
    for (const { column } of identities) {
      await run(
        transaction,
        `alter table ${ofGroup} alter ${column} set default nextval('${shared}.${name}_${column}_numbers')`,
      );
    }
    for (const setting of table.columnSettings) await run(transaction, `alter table ${ofGroup} ${setting}`);
    await run(transaction, `alter table ${parent} attach partition ${ofGroup} for values in (${number})`);
  }
  await run(transaction, `insert into ${parent} overriding system value select * from ${shared}.${name}`);
  const before = await countRows(transaction, `${shared}.${name}`);
  const counts = new Map<string, number>();
  for (const group of groups) counts.set(group, await countRows(transaction, `${group}.${name}`));
  const after = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (before !== after)
    throw new Error(`${name} has ${before} rows, and ${after} of them came into the groups.`);
  for (const group of groups) {
    const ofGroup = `${group}.${name}`;
    await run(transaction, `alter table ${parent} detach partition ${ofGroup}`);
    for (const definition of [...table.indexes, ...table.triggers])
      await run(transaction, definition.replace('%s', ofGroup).replace('%f', group));
    await grant(transaction, ofGroup, table.rights, null);
    // Do not analyze an empty shard: the planner would then expect no rows, but in a table never analyzed it expects some.
    if (counts.get(group) !== 0) await run(transaction, `analyze ${ofGroup}`);
  }
  await run(transaction, `drop table ${parent}`);
  await run(transaction, `drop table ${shared}.${name}`);
  for (const { column } of identities) {
    const [, kept] = sequenceName(shared, name, column).split('.');
    await run(transaction, `alter sequence ${shared}.${name}_${column}_numbers rename to ${kept}`);
  }
  return after;
}

async function countRows(queryable: Queryable, table: string): Promise<number> {
  const [row] = await run(queryable, `select count(*) as count from ${table}`);
  return Number(row?.['count']);
}

/** Gives each shard its own copy of the trigger functions, so that a function never reads another shard's table. */
async function copyFunctions(transaction: Queryable, { groups }: AccountDivision): Promise<void> {
  const rows = await run(
    transaction,
    `select pg_get_functiondef(p.oid) as definition, quote_ident(p.proname) as name from pg_proc p
     where p.pronamespace = current_schema()::regnamespace and p.prorettype = 'trigger'::regtype
       and ${looksAtAccounts('p')} order by p.oid`,
  );
  for (const row of rows)
    for (const group of groups) {
      const definition = String(row['definition']);
      const [head = ''] = definition.split('\n');
      const name = String(row['name']);
      await run(transaction, `create function ${group}.${name}()${definition.slice(head.length)}`);
    }
}

/** Lets roles that may use the tables use the shards, with the same default privileges for later migrations. */
async function grantSchemas(transaction: Queryable, { groups }: AccountDivision): Promise<void> {
  const roles = new Set((await rightsOn(transaction, 'accounts')).map(({ role }) => role));
  const defaults = await run(
    transaction,
    `select format('alter default privileges for role %I in schema %%s grant %s on %s to %s', pg_get_userbyid(d.defaclrole),
         a.privilege_type, case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' else 'functions' end,
         case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end) as text
     from pg_default_acl d cross join aclexplode(d.defaclacl) a
     where d.defaclnamespace = current_schema()::regnamespace and d.defaclobjtype in ('r', 'S', 'f')
       and pg_has_role(d.defaclrole, 'usage') order by 1`,
  );
  for (const group of groups) {
    for (const role of roles) await run(transaction, `grant usage on schema ${group} to ${role}`);
    for (const row of defaults) await run(transaction, String(row['text']).replace('%s', group));
  }
}

async function createSchema(transaction: Queryable, name: string): Promise<void> {
  try {
    await run(transaction, `create schema ${name}`);
  } catch (error) {
    if (!(error instanceof StatementFailed) || error.code !== '42P06') throw error;
    throw new SchemaMismatch(
      `A schema ${name} already exists, and an account group needs that name. Rename it.`,
      {
        cause: error,
      },
    );
  }
}
