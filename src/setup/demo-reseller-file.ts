// Stores the demo's key and first password in a file with mode 0600 when the start has no terminal.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Config } from './config.ts';
import type { DemoReseller } from './demo-reseller.ts';
import { secretsFile } from './first-administrator-file.ts';
import { ConfigProblem } from './settings.ts';

export function demoResellerFile(config: Pick<Config, 'database'>): string {
  return secretsFile(config, 'demo-reseller.txt');
}

/** Keeps a password written by an earlier start. @throws ConfigProblem when the file cannot be written */
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
    // Of several simultaneous starts, only one knows the password. The others must not replace its file.
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
      `Without a terminal the demo's key is written to ${path}, but that failed (${code}). Start where this user may write, or on a terminal.`,
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

export function readKeyCommand(path: string): string {
  return `sed -n 's/^API key *//p' '${path.replaceAll("'", `'\\''`)}'`;
}
