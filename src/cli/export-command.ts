// sellthrough export: everything that an account has, as files that other programs read.

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { Command } from 'commander';
import { prepareLongReading, wholeDatabaseMilliseconds } from '../features/backup/write-backup.ts';
import { type ExportManifest, writeAccountExport } from '../features/data-export/account-export.ts';
import type { Account } from '../features/identity/account-table.ts';
import { findAccount, findAccountByUsername } from '../features/identity/find-accounts.ts';
import { createPackageCatalog } from '../features/packages/package-catalog.ts';
import type { Queryable } from '../platform/database/database.ts';
import { findState } from '../platform/secrets/service-state.ts';
import { parseAccountId } from '../shared/identifiers.ts';
import { answer, CommandFailed, endWell, exitCodes, whenCutOff } from './command-end.ts';
import { commandIo, fromCommandFolder } from './command-io.ts';
import { epochSeconds } from './with-database.ts';
import { readBesideService } from './with-database-copy.ts';

const copyEnding = '.unfinished-copy';

export function exportCommand(): Command {
  return new Command('export')
    .description('write everything that an account has into a folder, as JSON lines and as CSV')
    .argument('<account>', 'the username or id of the account')
    .requiredOption('--to <folder>', 'the folder to write to: a new or an empty one')
    .option('--json', 'print the manifest as JSON', false)
    .addHelpText(
      'after',
      '\nThe service may keep running: everything is read from one snapshot. Embedded: the database files are first copied beside the folder, so there must be room for them.\nThe export is complete if it has manifest.json. It contains no passwords, keys or secrets, but personal data: keep it safe.',
    )
    .action((named: string, { to, json }: { to: string; json: boolean }) =>
      endWell(async () => {
        const folder = fromCommandFolder(to);
        const copyFolder = `${folder}${copyEnding}`;
        const dropCopy = () => rmSync(copyFolder, { recursive: true, force: true, maxRetries: 5 });
        makeEmpty(folder);
        const callOff = whenCutOff(dropCopy);
        try {
          const { content: manifest } = await readBesideService('current', copyFolder, ({ database }) =>
            database.transaction(
              async (snapshot) => {
                await prepareLongReading(snapshot);
                return exportAccount(snapshot, named, folder);
              },
              { timeoutMilliseconds: wholeDatabaseMilliseconds, isSnapshot: true },
            ),
          );
          const addsUp = manifest.ledger_total === manifest.balance;
          if (!addsUp) commandIo().exitCode = exitCodes.findings;
          answer(json, manifest, sentenceOf(manifest, folder, addsUp));
        } finally {
          dropCopy();
          callOff();
        }
      }),
    );
}

function makeEmpty(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailed(`${folder} cannot be written: ${why}.`);
  }
  throw new CommandFailed(`${folder} is not empty. An export never replaces a file: choose another folder.`);
}

async function exportAccount(snapshot: Queryable, named: string, folder: string): Promise<ExportManifest> {
  const account = await find(snapshot, named);
  const state = await findState(snapshot);
  if (account === null || state === null)
    throw new CommandFailed(`There is no account "${named}" (account_not_found).`, exitCodes.refused);
  const catalog = await createPackageCatalog(snapshot);
  const { currency } = state;
  const wanted = { account, packages: catalog.current(), currency, now: epochSeconds() };
  return writeAccountExport(snapshot, wanted, folder);
}

/** A username may consist of digits, so names come first. */
async function find(snapshot: Queryable, named: string): Promise<Account | null> {
  const byName = await findAccountByUsername(snapshot, named);
  if (byName !== null && byName.testOf === null) return byName;
  const id = parseAccountId(named);
  return id === null ? null : findAccount(snapshot, id);
}

function sentenceOf(manifest: ExportManifest, folder: string, addsUp: boolean): string {
  const { account, files, balance, ledger_total: total, currency } = manifest;
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const written = `Wrote ${rows} rows of ${account.username} to ${folder}, each kind as JSON lines and as CSV.\n`;
  return addsUp
    ? `${written}The ledger adds up to the balance: ${balance} ${currency}.\n`
    : `${written}The ledger adds up to ${total}, but the balance is ${balance}. Run sellthrough verify.\n`;
}
