// sellthrough restore: loads a backup into an empty database and verifies every ledger. It ends before any change if the
// file is incomplete, SECRET_KEY is another one, or the database has content.

import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type NewKey, resetEveryApiKey } from '../features/accounts/account-store.ts';
import { type BackupContent, readBackup } from '../features/backup/backup-format.ts';
import { migrationsOf, restoreBackup } from '../features/backup/restore-backup.ts';
import { type ListedErasure, listErasuresAgain } from '../features/erasure/repeat-erasures.ts';
import { type CurrentKey, listCurrentKeys } from '../features/identity/api-key-rows.ts';
import { recordVerification } from '../features/verification/verification-records.ts';
import { verifyLedger } from '../features/verification/verify-ledger.ts';
import type { Seal } from '../platform/secrets/seal.ts';
import { checkState } from '../platform/secrets/service-state.ts';
import { type Config, defaultLimits } from '../setup/config.ts';
import {
  checkDurability,
  connectDatabase,
  divideNew,
  findSeal,
  inItsGroups,
  refuseGroupsOfEmbedded,
} from '../setup/open-database.ts';
import { countSealed } from '../setup/reseal.ts';
import { ConfigProblem } from '../setup/settings.ts';
import { parseRealOwnedId } from '../shared/identifiers.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { formatTime, parseTime } from '../shared/times.ts';
import { readCommandConfig } from './command-config.ts';
import { answer, endWell, exitCodes } from './command-end.ts';
import { commandIo, fromCommandFolder } from './command-io.ts';
import { reconcileText } from './new-incarnation-command.ts';
import { minuteOf, textTable } from './text-table.ts';
import { problemLines, sayUnrecorded } from './verify-command.ts';
import { epochSeconds, say } from './with-database.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('load a backup into an empty database, embedded or PostgreSQL, and verify what was loaded')
    .argument('<file>', 'a file from "sellthrough backup"')
    .option('--check', 'only check the file and print a summary; needs no database', false)
    .option(
      '--revoke-keys',
      'revoke every API key of the backup; each account gets a new one, shown in its panel',
      false,
    )
    .option(
      '--erasures <log>',
      'erase these customers again: the log of the service, or its lines "customer erased"; give it several times for several files',
      (file: string, files: readonly string[]) => [...files, file],
      [],
    )
    .option('--json', 'print what was loaded as JSON', false)
    .addHelpText(
      'after',
      '\nSessions, login links, password links, one-time codes and recovery codes are not restored. API keys are restored, and so are team members who were removed after the backup. The command lists the keys that work.\nNew keys of administrators are printed once.',
    )
    .action((file: string, { check, revokeKeys, erasures, json }: RestoreFlags) =>
      endWell(async () => {
        const path = fromCommandFolder(file);
        const content = await readBackup(path);
        migrationsOf(content.head);
        if (check) return showContent(path, content, json);
        const config = readCommandConfig();
        const seal = checkFits(config, content);
        const listed = erasures.flatMap((log) => readErasures(fromCommandFolder(log)));
        await restoreAndVerify({ config, seal, path, revokeKeys, listed, json }, content);
      }),
    );
}

interface RestoreFlags {
  readonly check: boolean;
  readonly revokeKeys: boolean;
  readonly erasures: readonly string[];
  readonly json: boolean;
}

interface Restoring extends Pick<RestoreFlags, 'revokeKeys' | 'json'> {
  readonly config: Config;
  readonly seal: Seal;
  readonly path: string;
  readonly listed: readonly ListedErasure[];
}

function showContent(path: string, { head, sums, rows }: BackupContent, json: boolean): void {
  const { made_at, database, server_version, program_version, currency } = head;
  const tables = Object.fromEntries(sums.map((sum) => [sum.table, sum.rows]));
  answer(
    json,
    { path, made_at, database, server_version, program_version, currency, rows, tables },
    `${path} is complete: ${rows} rows of ${sums.length} tables, made at ${made_at} by version ${program_version} from ${database === 'embedded' ? 'the embedded database' : `PostgreSQL ${server_version}`}.\n`,
  );
}

/** Runs before the database is opened, because opening would create an embedded one. */
function checkFits(config: Config, { head }: BackupContent): Seal {
  if (config.currency !== head.currency) {
    throw new ConfigProblem(
      `CURRENCY is ${config.currency}, but the backup holds ${head.currency}. Set CURRENCY=${head.currency}.`,
    );
  }
  const seal = findSeal(config);
  if (seal === null || checkState(seal, head.secret_key_check) === 'unreadable') {
    throw new ConfigProblem(
      'SECRET_KEY is not the one the backup was made with. Set it to the SECRET_KEY of that service or, if it had none, to the text in its DATA_DIR/secret.key.',
    );
  }
  return seal;
}

async function restoreAndVerify(restoring: Restoring, checked: BackupContent): Promise<void> {
  const { config, seal, path, revokeKeys, listed, json } = restoring;
  refuseGroupsOfEmbedded(config);
  const connected = await connectDatabase(config);
  try {
    if (!config.allowUnsafeDatabase) await checkDurability(connected);
    const now = epochSeconds();
    const { content, migrated, incarnation, dropped } = await restoreBackup(connected, path, checked, {
      notices: { say, everyMilliseconds: defaultLimits.database.noticeMilliseconds },
      revokeKeysAt: revokeKeys ? now : null,
    });
    await divideNew(connected, config);
    const database = await inItsGroups(connected, config);
    const erasures = await listErasuresAgain(database, listed, now);
    const keys = revokeKeys ? [] : await listCurrentKeys(database, now);
    const administrators: NewKey[] = [];
    let newKeys = 0;
    if (revokeKeys) {
      for await (const key of resetEveryApiKey(database, seal, now)) {
        newKeys += 1;
        if (key.isAdmin) administrators.push(key);
      }
    }
    const { unreadable } = await countSealed(database, seal);
    const recording = { startedBy: 'restore', now: epochSeconds, onUnrecorded: sayUnrecorded } as const;
    const report = await recordVerification(database, recording, () => verifyLedger(database, now));
    if (!report.ok || unreadable > 0) commandIo().exitCode = exitCodes.findings;
    const tables = Object.fromEntries(content.sums.map((sum) => [sum.table, sum.rows]));
    const verdict = report.ok
      ? 'every ledger adds up'
      : `all rows were restored, but ${report.problems.length} problems were found in them`;
    const madeAt = content.head.made_at;
    answer(
      json,
      {
        path,
        made_at: madeAt,
        rows: content.rows,
        tables,
        migrated,
        incarnation,
        dropped,
        keys: keys.map((key) => ({
          account_id: key.accountId,
          username: key.username,
          last_four: key.lastFour,
          created_at: formatTime(key.createdAt),
          last_used_at: key.lastUsedAt === null ? null : formatTime(key.lastUsedAt),
        })),
        new_keys: newKeys,
        erasures,
        administrators: administrators.map(({ username, apiKey }) => ({ username, api_key: apiKey })),
        unreadable,
        verify: report,
      },
      [
        problemLines(report),
        `Restored ${content.rows} rows of ${content.sums.length} tables, each read back and compared; ${report.accounts} accounts, ${report.entries} ledger entries: ${verdict}.\n`,
        unreadable === 0 ? '' : unreadableText(unreadable),
        droppedText(dropped),
        listed.length === 0 ? '' : erasuresText(erasures),
        revokeKeys ? newKeysText(newKeys, administrators) : livingKeysText(keys, madeAt),
        reconcileText(`what happened after ${madeAt}`),
      ].join(''),
    );
  } finally {
    await connected.close();
  }
}

/** A backup made during a change of SECRET_KEY contains texts under both keys. */
function unreadableText(count: number): string {
  return `${count} encrypted keys and secrets cannot be decrypted with SECRET_KEY. Set SECRET_KEY_PREVIOUS to the other key that the service had at that time.\n`;
}

/** Lines of other events, and of other programs, are skipped. */
function readErasures(path: string): ListedErasure[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line): ListedErasure[] => {
      if (!line.includes('customer erased')) return [];
      const logged = parseLine(line);
      const createdAt = parseTime(String(logged['created_at'] ?? ''));
      const place = parseRealOwnedId(String(logged['customer'] ?? ''));
      return createdAt === null || place === null ? [] : [{ ...place, createdAt }];
    });
}

function parseLine(line: string): JsonObject {
  try {
    const logged: unknown = JSON.parse(line);
    return isJsonObject(logged) ? logged : {};
  } catch {
    return {};
  }
}

function erasuresText(count: number): string {
  return `${count} customers were erased after the backup. The next start erases them again before it answers requests.\n`;
}

function droppedText(dropped: Readonly<Record<string, number>>): string {
  const parts = Object.entries(dropped).map(([table, rows]) => `${rows} ${table.replaceAll('_', ' ')}`);
  return `Not restored, because they may have been revoked after the backup: ${parts.join(', ')}.\n`;
}

const shownKeysMax = 50;

/** Only the lost database knew which keys were revoked after the backup, so all keys are listed. */
function livingKeysText(keys: readonly CurrentKey[], madeAt: string): string {
  const shown = keys.slice(0, shownKeysMax);
  const table = textTable<CurrentKey>(
    [
      { title: 'ACCOUNT', value: ({ accountId }) => accountId, align: 'right' },
      { title: 'USERNAME', value: ({ username }) => username, mayShrink: true },
      { title: 'KEY', value: (key) => `…${key.lastFour}` },
      { title: 'SINCE', value: ({ createdAt }) => minuteOf(formatTime(createdAt)) },
      {
        title: 'LAST USED',
        value: ({ lastUsedAt }) => (lastUsedAt === null ? '–' : minuteOf(formatTime(lastUsedAt))),
      },
    ],
    shown,
  );
  const rest =
    keys.length > shown.length ? `and ${keys.length - shown.length} more: --json lists them all\n` : '';
  return `All data is as it was at ${madeAt}. Keys and passwords that were replaced after that work again, and the new ones do not. Blocks, allow-lists and two-factor settings are the old ones too. Team members who were removed after that are back with their roles.
These ${keys.length} keys work now:
${table}${rest}If one of them was revoked after the backup, reset it ("sellthrough account key"), or restore with --revoke-keys.
`;
}

function newKeysText(count: number, administrators: readonly NewKey[]): string {
  const lines = administrators.map(({ username, apiKey }) => `${username}  ${apiKey}\n`).join('');
  return `All keys of the backup are revoked. ${count} accounts have a new key, which they can see in their panel. The administrators' new keys, shown only now:
${lines}Passwords, blocks, allow-lists and two-factor settings are those of the backup. Team members who were removed after the backup are back.
`;
}
