// The client as its users get it: packed by npm, then installed offline into its own folder.

import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export async function installClientPackage(folder: string): Promise<void> {
  await succeed('npm', ['pack', '--workspace', 'sdk', '--pack-destination', folder], root);
  writeFileSync(`${folder}/package.json`, '{ "private": true, "type": "module" }');
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  assert.ok(tarball, 'npm pack made a file');
  await succeed('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], folder);
}

export async function succeed(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, { cwd });
  assert.equal(code, 0, `${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}
