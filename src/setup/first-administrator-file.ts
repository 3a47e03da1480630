// Where the generated secrets of the first administrator go when nobody watches the start: into a file that only the
// service's user may read, and not into a log, which is kept, copied and read by others. Written by main.ts; doctor
// reminds of one that was left.
// Always true: what cannot be written is not made, and of several processes that start at once each writes a file of its own.

import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { ConfigProblem } from './settings.ts';

/** What was made just now; a value that was given in the environment is null. */
export interface FirstAdministrator {
  readonly username: string;
  readonly password: string | null;
  readonly apiKey: string | null;
}

const fileName = 'first-administrator.txt';

/** In the data folder or, with PostgreSQL, in the folder that the service was started in. */
export function secretsFile({ database }: Pick<Config, 'database'>, name: string, folder = '.'): string {
  return resolve(folder, database.kind === 'embedded' ? database.dataDir : '', name);
}

/** `folder`: that of the start. */
export function firstAdministratorFile(config: Pick<Config, 'database'>, folder?: string): string {
  return secretsFile(config, fileName, folder);
}

/** What was written, until the account exists. */
export interface DraftedSecrets {
  keep(): void;
  discard(): void;
}

export const nothingDrafted: DraftedSecrets = { keep() {}, discard() {} };

/** @throws ConfigProblem when the file cannot be written */
export function draftSecrets(
  path: string,
  { username, password, apiKey }: FirstAdministrator,
): DraftedSecrets {
  const generated = [
    ...(password === null ? [] : [`password  ${password}`]),
    ...(apiKey === null ? [] : [`API key   ${apiKey}`]),
  ];
  if (generated.length === 0) return nothingDrafted;
  const draft = join(dirname(path), `${fileName}.${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(draft, `username  ${username}\n${generated.join('\n')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigProblem(
      `The first administrator's password and key would stand in the log, and ${path} cannot be written (${code}): give ADMIN_PASSWORD and ADMIN_API_KEY, or start where this user may write.`,
    );
  }
  return { keep: () => renameSync(draft, path), discard: () => rmSync(draft, { force: true }) };
}
