// Stores the first administrator's generated secrets in a file with mode 0600 when the start has no terminal, because its
// output would go to a log.
// Invariant: secrets that cannot be written are not created. Of several simultaneous starts, each writes its own file.

import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { ConfigProblem } from './settings.ts';

/** Values that came from the environment are null. */
export interface FirstAdministrator {
  readonly username: string;
  readonly password: string | null;
  readonly apiKey: string | null;
}

const fileName = 'first-administrator.txt';

/** In the data folder or, with PostgreSQL, the working directory of the start. */
export function secretsFile({ database }: Pick<Config, 'database'>, name: string, folder = '.'): string {
  return resolve(folder, database.kind === 'embedded' ? database.dataDir : '', name);
}

export function firstAdministratorFile(config: Pick<Config, 'database'>, folder?: string): string {
  return secretsFile(config, fileName, folder);
}

/** Secrets in a draft file, which becomes final when the account exists. */
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
      `Without a terminal the first administrator's password and key are written to ${path}, but that failed (${code}). Set ADMIN_PASSWORD and ADMIN_API_KEY, or start where this user may write.`,
    );
  }
  return { keep: () => renameSync(draft, path), discard: () => rmSync(draft, { force: true }) };
}
