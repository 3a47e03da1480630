import type { FastifyBaseLogger } from 'fastify';
import { type Database, ranked } from '../platform/database/database.ts';
import { isMigrated, readMigrations } from '../platform/database/schema/migrate.ts';
import { accountGroupCount } from '../platform/database/shards/find-shards.ts';

export function createReadiness(
  database: Database,
  isLeaving: () => boolean,
  logger: FastifyBaseLogger,
): () => Promise<string[]> {
  const lookups = ranked(database, 'lookups');
  const migrations = readMigrations();
  let hasSaid = false;
  /** If the accounts were divided while this process runs, its writes fail, because the tables are views now. */
  function dividedMeanwhile(count: number): string {
    const problem = `the accounts of this database are in ${count === 1 ? 'one group' : `${count} groups`} now`;
    if (!hasSaid) logger.error({ account_groups: count }, 'account groups changed');
    hasSaid = true;
    return problem;
  }

  return async () => {
    const problems = isLeaving() ? ['shutting down'] : [];
    try {
      if (!(await isMigrated(lookups, migrations))) problems.push('the schema is not this version');
      const count = await accountGroupCount(lookups);
      if (count !== database.accountGroups().length) problems.push(dividedMeanwhile(count));
    } catch {
      problems.push('the database cannot be reached');
    }
    return problems;
  };
}
