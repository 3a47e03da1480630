// Builds the client package (sdk/src into sdk/dist), as ES modules and as CommonJS for `require` on any Node since 18.
// Called by build-pages.mjs before the package is packed. Compiler output goes to stderr.

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const dist = join(root, 'sdk', 'dist');

rmSync(dist, { recursive: true, force: true });
for (const project of ['tsconfig.json', 'tsconfig.commonjs.json']) {
  const args = [compiler, '--project', join(root, 'sdk', project)];
  process.exitCode ||= spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] }).status ?? 1;
}
// This file makes Node load the folder's .js files as CommonJS.
if (!process.exitCode) writeFileSync(join(dist, 'commonjs', 'package.json'), '{ "type": "commonjs" }\n');
