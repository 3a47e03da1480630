// sellthrough restore: loads a backup into an empty database of either kind, checks it on the way, and adds
// every ledger up again at the end. A file that is not whole, another SECRET_KEY or a database with data in it
// end the command before anything is touched.

import { resolve } from 'node:path';
import { Command } from 'commander';
import { type BackupContent, readBackup } from '../backup/backup-format.ts';
import { migrationsOf, restoreBackup } from '../backup/restore-backup.ts';
import { checkDurability, connectDatabase, findSecretKey, opensSecretKeyCheck } from '../bootstrap.ts';
import { type Config, ConfigProblem, defaultLimits, readConfig } from '../config.ts';
import { verifyLedger } from '../verify/verify-ledger.ts';
import { answer, endWell, exitCodes } from './command-end.ts';
import { problemLines } from './verify-command.ts';
import { epochSeconds, say } from './with-database.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('load a backup into an empty database, embedded or PostgreSQL, and verify what was loaded')
    .argument('<file>', 'a file that "sellthrough backup" made')
    .option('--check', 'only read the file and say what it holds; no database is needed', false)
    .option('--json', 'print what was loaded as JSON', false)
    .action((file: string, { check, json }: { check: boolean; json: boolean }) =>
      endWell(async () => {
        const path = resolve(file);
        const content = await readBackup(path);
        migrationsOf(content.head);
        if (check) return showContent(path, content, json);
        const config = readConfig(process.env);
        checkFits(config, content);
        await restoreAndVerify(config, path, content, json);
      }),
    );
}

function showContent(path: string, { head, sums, rows }: BackupContent, json: boolean): void {
  const { made_at, database, server_version, program_version, currency } = head;
  const tables = Object.fromEntries(sums.map((sum) => [sum.table, sum.rows]));
  answer(
    json,
    { path, made_at, database, server_version, program_version, currency, rows, tables },
    `${path} is whole: ${rows} rows of ${sums.length} tables, made at ${made_at} by version ${program_version} from ${database === 'embedded' ? 'the embedded database' : `PostgreSQL ${server_version}`}.\n`,
  );
}

/** What can be said before the database is opened: an embedded one would be made by that. */
function checkFits(config: Config, { head }: BackupContent): void {
  if (config.currency !== head.currency) {
    throw new ConfigProblem(`CURRENCY is ${config.currency}, but the backup holds ${head.currency}.`);
  }
  const secretKey = findSecretKey(config);
  if (secretKey === null || !opensSecretKeyCheck(secretKey, head.secret_key_check)) {
    throw new ConfigProblem(
      'SECRET_KEY is not the one that the backup was made with: set it to the SECRET_KEY of that service or, where that had none, to the text in its DATA_DIR/secret.key.',
    );
  }
}

async function restoreAndVerify(
  config: Config,
  path: string,
  checked: BackupContent,
  json: boolean,
): Promise<void> {
  const database = await connectDatabase(config);
  try {
    if (!config.allowUnsafeDatabase) await checkDurability(database);
    const { content, migrated } = await restoreBackup(database, path, checked, {
      say,
      everyMilliseconds: defaultLimits.database.noticeMilliseconds,
    });
    const report = await verifyLedger(database, epochSeconds());
    if (!report.ok) process.exitCode = exitCodes.findings;
    const tables = Object.fromEntries(content.sums.map((sum) => [sum.table, sum.rows]));
    const verdict = report.ok
      ? 'every ledger adds up'
      : `the rows are those of the backup, but ${report.problems.length} problems were found in them`;
    answer(
      json,
      { path, rows: content.rows, tables, migrated, verify: report },
      `${problemLines(report)}Restored ${content.rows} rows of ${content.sums.length} tables, each read back and compared; ${report.accounts} accounts, ${report.entries} ledger entries: ${verdict}.\n`,
    );
  } finally {
    await database.close();
  }
}
