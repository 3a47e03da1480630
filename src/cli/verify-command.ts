// sellthrough verify: adds every ledger up again and names what is wrong. Exit code 1 when anything is.

import { Command } from 'commander';
import { verifyLedger } from '../ledger/verify-ledger.ts';
import { epochSeconds, withDatabase } from './with-database.ts';

export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'add every ledger up again; exit 1 and name what is wrong (for a running embedded service: GET /api/admin/v1/verify)',
    )
    .option('--json', 'print the report as JSON', false)
    .action(({ json }: { json: boolean }) =>
      withDatabase(
        async ({ database }) => {
          const report = await verifyLedger(database, epochSeconds());
          if (!report.ok) process.exitCode = 1;
          if (json) {
            process.stdout.write(`${JSON.stringify(report)}\n`);
            return;
          }
          for (const { account_id, subject, problem } of report.problems) {
            process.stdout.write(`account ${account_id}, ${subject}: ${problem}\n`);
          }
          const verdict = report.ok ? 'everything adds up' : `${report.problems.length} problems`;
          process.stdout.write(
            `${report.accounts} accounts, ${report.entries} ledger entries: ${verdict}.\n`,
          );
        },
        { mayMigrate: false },
      ),
    );
}
