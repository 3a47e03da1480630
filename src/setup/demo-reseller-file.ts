// Where the demo's key and first password go when no person watches the start: a file that only the service's user may
// read. Written by main.ts at each such start; the line that places the first order reads the key from it.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Config } from './config.ts';
import type { DemoReseller } from './demo-reseller.ts';
import { secretsFile } from './first-administrator-file.ts';
import { ConfigProblem } from './settings.ts';

export function demoResellerFile(config: Pick<Config, 'database'>): string {
  return secretsFile(config, 'demo-reseller.txt');
}

/** A password that an earlier start wrote stays in the file. @throws ConfigProblem when the file cannot be written */
export function keepDemoSecrets(
  path: string,
  { apiKey, password }: Pick<DemoReseller, 'apiKey' | 'password'>,
): void {
  const keyLine = `API key   ${apiKey}`;
  const passwordLine = password === null ? '' : `password  ${password}\n`;
  try {
    const kept = password === null && existsSync(path) ? readFileSync(path, 'utf8') : null;
    if (kept?.includes(keyLine)) return;
    const text = kept?.replace(/^API key .*$/m, keyLine) ?? `username  demo\n${passwordLine}${keyLine}\n`;
    // Of several processes that start at once, one knows the password: the others never replace its file.
    if (password === null && kept === null) {
      writeIfAbsent(path, text);
      return;
    }
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigProblem(
      `The demo's key would stand in the log, and ${path} cannot be written (${code}): start where this user may write, or on a terminal.`,
    );
  }
}

function writeIfAbsent(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** For a shell: the key in that file. */
export function readKeyCommand(path: string): string {
  return `sed -n 's/^API key *//p' '${path.replaceAll("'", `'\\''`)}'`;
}
