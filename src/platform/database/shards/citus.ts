// Shards on several servers with Citus (13 or newer). Each shard is a schema on one worker, which runs its order batches.
// Tables unique across accounts are hash-distributed, and tables that every batch reads are on every server. Citus commits a
// batch that writes to several servers with a two-phase commit.
// Invariant: the coordinator knows every table; sessions on workers run only order batches.

import { type AccountDivision, isSpread, type Queryable, type Row, type Server } from '../database.ts';

/** Tables on every server, because every batch reads them or some batches write them. */
const everywhere = ['service_state', 'test_customer_references'] as const;
/** Tables on the coordinator that the workers must know, because some batches write them. */
const knownToWorkers = ['audit_log'] as const;

/** With Citus's default of 32 an order costs half as much again. To split the table: docs/growing.md. */
const referenceShards = 1;

export async function isCitus(queryable: Queryable): Promise<boolean> {
  const [found] = await run(queryable, "select to_regclass('pg_catalog.pg_dist_node') is not null as has");
  if (found?.['has'] !== true) return false;
  const [workers] = await run(
    queryable,
    'select exists (select 1 from pg_dist_node where shouldhaveshards) as has',
  );
  return workers?.['has'] === true;
}

/** True if a transaction over several servers may be committed on only some of them, or a server does not answer. */
export async function isAnythingPrepared(queryable: Queryable): Promise<boolean> {
  if (!queryable[isSpread]) return false;
  const [found] = await run(
    queryable,
    `select bool_or(not success or result <> '0') as is_so from run_command_on_all_nodes(
      'select count(*) from pg_prepared_xacts where database = current_database()')`,
  );
  return found?.['is_so'] === true;
}

/** Distributes the tables over the servers. Safe to repeat. Copies rows to the workers, so it may take long. */
export async function distribute(
  transaction: Queryable,
  { groups }: Pick<AccountDivision, 'groups'>,
): Promise<void> {
  // Safe, because the triggers that protect history read only tables of their own shard.
  await run(transaction, 'set local citus.enable_unsafe_triggers = on');
  await run(transaction, "set local citus.multi_shard_modify_mode = 'sequential'");
  const known = new Set(
    (await run(transaction, 'select logicalrelid::text as name from pg_dist_partition')).map((row) =>
      String(row['name']),
    ),
  );
  if (!known.has('customer_references')) {
    await run(
      transaction,
      `select create_distributed_table('customer_references', 'reference', colocate_with => 'none', shard_count => ${referenceShards})`,
    );
  }
  for (const name of everywhere)
    if (!known.has(name)) await run(transaction, `select create_reference_table('${name}')`);
  for (const name of knownToWorkers) {
    if (known.has(name)) continue;
    await divideTriggers(transaction, name);
    await run(transaction, `select citus_add_local_table_to_metadata('${name}')`);
  }
  for (const group of groups) {
    // Batches look customers up by reference in this table, because customer_references is on another server.
    await run(
      transaction,
      `create unique index if not exists customers_reference on ${group}.customers (account_id, reference)`,
    );
    // Each server draws event numbers from its own range, so reading one account's events in order needs an index.
    await run(
      transaction,
      `create unique index if not exists event_inbox_of_account on ${group}.event_inbox (account_id, first_number)`,
    );
    const [found] = await transaction.query(
      {
        name: '',
        text: 'select exists (select 1 from citus_schemas where schema_name = $1::regnamespace) as has',
      },
      [group],
    );
    if (found?.['has'] !== true)
      await transaction.query({ name: '', text: 'select citus_schema_distribute($1::regnamespace)' }, [
        group,
      ]);
  }
}

/** Citus would silently drop the part that refuses updates from a trigger that also handles TRUNCATE. */
async function divideTriggers(transaction: Queryable, table: string): Promise<void> {
  const triggers = await transaction.query(
    {
      name: '',
      text: `select quote_ident(tgname) as name, quote_ident(tgname || '_truncate') as of_truncate, pg_get_triggerdef(oid) as definition
        from pg_trigger where tgrelid = $1::regclass and not tgisinternal
          -- Row, before, insert, delete, update, truncate: 1 to 32.
          and tgtype & 32 <> 0 and tgtype & 28 <> 0`,
    },
    [table],
  );
  for (const { name, of_truncate, definition } of triggers) {
    const [, head = '', events = '', rest = ''] =
      / (BEFORE|AFTER) (.+?)( ON .+)$/.exec(String(definition)) ?? [];
    const others = events.split(' OR ').filter((event) => event !== 'TRUNCATE');
    await run(transaction, `drop trigger ${name} on ${table}`);
    await run(transaction, `create trigger ${name} ${head} ${others.join(' or ')}${rest}`);
    await run(transaction, `create trigger ${of_truncate} ${head} truncate${rest}`);
  }
}

/** @returns the worker of each shard, in the order of the shards; null without Citus or if it does not hold every shard */
export async function locateGroups(
  queryable: Queryable,
  { groups }: Pick<AccountDivision, 'groups'>,
): Promise<readonly Server[] | null> {
  if (!(await isCitus(queryable))) return null;
  const rows = await run(
    queryable,
    `select n.nspname as schema, d.nodename as host, d.nodeport as port
     from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid join pg_namespace n on n.oid = c.relnamespace
     join pg_dist_shard s on s.logicalrelid = p.logicalrelid join pg_dist_placement l on l.shardid = s.shardid
     join pg_dist_node d on d.groupid = l.groupid and d.noderole = 'primary'
     where c.relname = 'accounts' and p.partmethod = 'n'`,
  );
  const servers = new Map(rows.map((row) => [String(row['schema']), serverOf(row)]));
  const found = groups.map((group) => servers.get(group.replaceAll('"', '')));
  return found.every((server) => server !== undefined) ? found : null;
}

function serverOf(row: Row): Server {
  return { host: String(row['host']), port: Number(row['port']) };
}

function run(queryable: Queryable, text: string): Promise<readonly Row[]> {
  return queryable.query({ name: '', text });
}
