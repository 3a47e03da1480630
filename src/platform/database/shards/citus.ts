// Account groups over several servers with Citus (13 or newer): each group is a schema that Citus keeps on one of its
// workers, so that the batches of its orders run there. What is unique over all accounts is spread by hash, what every
// batch reads is on every server, and Citus's own two-phase commit joins what a batch writes to both. Called by open-database.ts
// and find-shards.ts.
// Always true: the coordinator knows every table; a session on a worker is for batches of orders alone.

import { type AccountDivision, isSpread, type Queryable, type Row, type Server } from '../database.ts';

/** Read by every batch, or written with some: on every server. */
const everywhere = ['service_state', 'test_customer_references'] as const;
/** Written with some batches: on the coordinator, and known to the workers. */
const knownToWorkers = ['audit_log'] as const;

/**
 * Of `customer_references`. A batch of new customers asks every shard and writes to every shard: a statement and a COPY for
 * each, and a two-phase commit for each server. With Citus's own 32 an order costs half as much again and more. A row has
 * three columns; who outgrows the server that has them divides the shard (docs/growing.md).
 */
const referenceShards = 1;

/** Whether this database is a coordinator of Citus that has workers. */
export async function isCitus(queryable: Queryable): Promise<boolean> {
  const [found] = await run(queryable, "select to_regclass('pg_catalog.pg_dist_node') is not null as has");
  if (found?.['has'] !== true) return false;
  const [workers] = await run(
    queryable,
    'select exists (select 1 from pg_dist_node where shouldhaveshards) as has',
  );
  return workers?.['has'] === true;
}

/** Whether a transaction over several servers is committed on some of them and not yet on others, or a server does not say. */
export async function isAnythingPrepared(queryable: Queryable): Promise<boolean> {
  if (!queryable[isSpread]) return false;
  const [found] = await run(
    queryable,
    `select bool_or(not success or result <> '0') as is_so from run_command_on_all_nodes(
      'select count(*) from pg_prepared_xacts where database = current_database()')`,
  );
  return found?.['is_so'] === true;
}

/**
 * Hands the groups of a divided database to Citus, and what they share with them; what is done already stays. In a
 * transaction that may take long: rows are copied to the workers.
 */
export async function distribute(
  transaction: Queryable,
  { groups }: Pick<AccountDivision, 'groups'>,
): Promise<void> {
  // Triggers keep history from being rewritten: they look at tables of their own group alone.
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
    // A batch finds its customers without their claims, which are elsewhere.
    await run(
      transaction,
      `create unique index if not exists customers_reference on ${group}.customers (account_id, reference)`,
    );
    // Each server draws numbers of its own: what is in an account's order goes by its own numbers.
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

/**
 * A trigger that truncate sets off stays with what everybody sees, and every other moves to the shard: of one that is both,
 * Citus drops the part that would refuse an update, and says nothing.
 */
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

/** The worker of each group, in their order; null: this is no Citus, or not all groups are its. */
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
