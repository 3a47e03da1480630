// sellthrough migrate --groups n: divides a PostgreSQL database into n shards while no service runs.
// Invariant: if interrupted, the database stays unchanged (src/platform/database/shards/split-into-shards.ts).

import { DatabaseUnavailable, type Queryable, StatementFailed } from '../platform/database/database.ts';
import { insufficientPrivilege } from '../platform/database/schema/migrate.ts';
import { lockSchema } from '../platform/database/schema-lock.ts';
import { accountGroupsMax } from '../platform/database/shards/find-shards.ts';
import { type DivisionPlan, planDivision } from '../platform/database/shards/shard-split-plan.ts';
import { accountTables } from '../platform/database/shards/sharded-tables.ts';
import { divideAccounts } from '../platform/database/shards/split-into-shards.ts';
import type { Config } from '../setup/config.ts';
import { spreadGroups } from '../setup/open-database.ts';
import { ConfigProblem } from '../setup/settings.ts';
import { readCommandConfig } from './command-config.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { confirm } from './confirm.ts';
import { createProgressLine } from './progress-line.ts';
import { refuseServices } from './refuse-services.ts';
import { say, useDatabase } from './with-database.ts';

export interface DivideFlags {
  readonly groups: number;
  readonly yes: boolean;
  readonly json: boolean;
}

/** @throws CommandFailed, ConfigProblem, SchemaMismatch, each with a message for users */
export async function divideCommand({ groups, yes, json }: DivideFlags): Promise<void> {
  // Here, accountGroups is the current number of groups, not the one that the flag asks for.
  const config: Config = { ...readCommandConfig(), accountGroups: null };
  if (config.database.kind === 'embedded') {
    throw new ConfigProblem(
      'The embedded database has a single account group. For more, make a backup, set DATABASE_URL and ACCOUNT_GROUPS, and restore it there (docs/growing.md).',
    );
  }
  await useDatabase(
    'current',
    async ({ database }) => {
      const count = database.accountGroups().length;
      if (count > 1 && count === groups) await spreadGroups(database);
      if (count === groups)
        return answer(json, { groups, moved: false }, `Nothing to do: ${areIn(count)} already.\n`);
      refuseOtherNumber(count, groups);
      await refuseStranger(database);
      const plan = await planDivision(database, groups);
      say(planText(plan, groups));
      await refuseServices(database);
      if (!yes) await confirm('Divide them now?');
      const progress = createProgressLine(plan.rows);
      const began = performance.now();
      let rows = 0;
      try {
        await database.transaction(
          async (transaction) => {
            await lockSchema(transaction);
            await refuseServices(transaction);
            await divideAccounts(transaction, groups, {
              onTable(table, done) {
                rows = done;
                progress.show(done, table);
              },
            });
          },
          { timeoutMilliseconds: null },
        );
        await spreadGroups(database);
      } catch (error) {
        throw asMessage(error);
      } finally {
        progress.end();
      }
      const seconds = Math.round((performance.now() - began) / 100) / 10;
      answer(
        json,
        { groups, moved: true, tables: plan.tables, rows, seconds, expected_seconds: plan.seconds },
        `${rows} rows of ${plan.tables} tables are in ${groups} groups now, and no table lost a row. It took ${seconds} s.
Start the service again. Where ACCOUNT_GROUPS is set it must be ${groups} from now on. "sellthrough verify" checks the
books, and "sellthrough doctor" checks every group. Earlier and later backups can be restored into either kind of database.
`,
      );
    },
    config,
  );
}

function areIn(count: number): string {
  return count === 1
    ? 'the accounts of this database are in one group'
    : `the accounts of this database are in ${count} groups`;
}

function refuseOtherNumber(count: number, wanted: number): void {
  if (count === 1) return;
  const what = wanted < count ? `fewer (${wanted})` : `${wanted}`;
  throw new CommandFailed(
    `Nothing was changed: ${areIn(count)} and cannot be moved into ${what}: the number of groups decides each account's group. Make a backup and restore it into a new database with ACCOUNT_GROUPS=${wanted}.`,
  );
}

/** Only the tables' owner may divide accounts. Checked early: failing after the service was stopped would cost downtime. */
async function refuseStranger(database: Queryable): Promise<void> {
  const [row] = await database.query(
    {
      name: '',
      text: `select current_user::text as role, has_database_privilege(current_database(), 'create') as may_create,
        not exists (select 1 from pg_class where relname = any($1::text[]) and relkind = 'r'
          and relnamespace = current_schema()::regnamespace and not pg_has_role(relowner, 'usage')) as is_owner`,
    },
    [Object.keys(accountTables)],
  );
  if (row?.['may_create'] === true && row['is_owner'] === true) return;
  throw new CommandFailed(
    `Nothing was changed: ${String(row?.['role'])} may not create schemas, or does not own the tables. Run this command as the role that owns the database (docs/postgresql.md).`,
  );
}

function planText({ tables, rows, bytes, seconds, bytesPerSecond }: DivisionPlan, groups: number): string {
  return `${rows} rows of ${tables} tables (${megabytes(bytes)}) go from one group into ${groups}.
The service must be stopped for about ${timeText(seconds)} (${megabytes(bytesPerSecond)}/s in a sample that was just copied).
During that time the database needs room for another ${megabytes(bytes)}.`;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}

function timeText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

function asMessage(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) {
    return new CommandFailed(
      `The connection was lost (${error.message}). Either all accounts are divided or none. Run this command again to see which.`,
      exitCodes.unreachable,
      { cause: error },
    );
  }
  if (!(error instanceof StatementFailed) || error.code !== insufficientPrivilege) return error;
  return new CommandFailed(
    `Nothing was changed: the role of DATABASE_URL lacks a privilege (${error.message}). docs/postgresql.md lists the ones it needs.`,
    exitCodes.failed,
    {
      cause: error,
    },
  );
}

export function readGroups(text: string): number | null {
  const groups = Number(text);
  return /^\d+$/.test(text) && groups >= 1 && groups <= accountGroupsMax ? groups : null;
}
