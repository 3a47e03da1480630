// Writes dist/sbom.cdx.json (CycloneDX): the program's dependencies, which the package contains, and those compiled into
// the panel's pages. Called by prepare.mjs before `npm pack`.
// Invariant: the same lockfile gives the same bytes on every machine. The file holds only names, versions, licenses and
// checksums, never addresses or paths.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'sellthrough-sbom-'));

try {
  // Omit packages used only for development or the documents. npm would classify packages that the program shares with them
  // as development dependencies.
  const { devDependencies: _development, ...program } = { ...read('package.json'), workspaces: ['web'] };
  const { devDependencies: _types, ...pages } = read('web/package.json');
  const { packages, ...lock } = read('package-lock.json');
  const kept = Object.entries(packages).filter(
    ([path, { dev, devOptional, os, cpu }]) =>
      !dev && !devOptional && os === undefined && cpu === undefined && !/^(?:docs|sdk)\b/.test(path),
  );
  const locked = { ...Object.fromEntries(kept), '': program, web: pages };
  for (const name of ['docs', 'client']) delete locked[`node_modules/@sellthrough/${name}`];
  // npm names the root after its folder.
  const project = join(folder, program.name);
  mkdirSync(join(project, 'web'), { recursive: true });
  const write = (path, value) => writeFileSync(join(project, path), JSON.stringify(value));
  write('package.json', program);
  write('web/package.json', pages);
  write('package-lock.json', { ...lock, packages: locked });

  const own = process.env.npm_execpath;
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const [command, ...words] = own?.endsWith('npm-cli.js')
    ? [process.execPath, own, ...args]
    : ['npm', ...args];
  const { status, stdout } = spawnSync(command, words, {
    cwd: project,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', 'pipe', 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('npm sbom failed.');
  const { serialNumber: _serial, metadata, ...bill } = JSON.parse(stdout);
  const { timestamp: _timestamp, tools: _tools, ...about } = metadata;
  const target = process.argv[2] ?? join(root, 'dist', 'sbom.cdx.json');
  writeFileSync(target, `${JSON.stringify({ ...bill, metadata: about }, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
