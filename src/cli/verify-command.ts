// sellthrough verify: recomputes every ledger and reports differences, with exit code 5.

import { Command } from 'commander';
import { recordVerification } from '../features/verification/verification-records.ts';
import type { VerifyReportView } from '../features/verification/verification-schemas.ts';
import { verifyLedger } from '../features/verification/verify-ledger.ts';
import { errorMessageOf } from '../setup/error-message.ts';
import { answer, exitCodes } from './command-end.ts';
import { commandIo } from './command-io.ts';
import { epochSeconds, say, withDatabase } from './with-database.ts';

export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'recompute every ledger and list all problems (for a running embedded service: GET /api/admin/v1/verify)',
    )
    .option('--json', 'print the report as JSON', false)
    .action(({ json }: { json: boolean }) =>
      withDatabase('current', async ({ database }) => {
        const recording = { startedBy: 'verify', now: epochSeconds, onUnrecorded: sayUnrecorded } as const;
        const report = await recordVerification(database, recording, () =>
          verifyLedger(database, epochSeconds()),
        );
        if (!report.ok) commandIo().exitCode = exitCodes.findings;
        const verdict = report.ok ? 'everything adds up' : `${report.problems.length} problems`;
        answer(
          json,
          report,
          `${problemLines(report)}${report.accounts} accounts, ${report.entries} ledger entries: ${verdict}.\n`,
        );
      }),
    );
}

export function sayUnrecorded(error: unknown): void {
  say(
    `The console will not list this verification, because it could not be stored: ${errorMessageOf(error)}`,
  );
}

export function problemLines({ problems }: VerifyReportView): string {
  return problems
    .map(({ account_id, subject, problem }) => `account ${account_id}, ${subject}: ${problem}\n`)
    .join('');
}
