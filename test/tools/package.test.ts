// What `npm pack` makes, run from an empty folder. With PROOF_INSTALL, npm installs it, which is much slower.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { copyEmbeddedTemplate, createTestDatabase } from '../../scripts/throwaway/test-database.ts';
import { programVersion } from '../../src/shared/version.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sellthrough-package-'));
const home = join(folder, 'empty');
const installed = join(home, 'node_modules', 'sellthrough');
const run = promisify(execFile);
// Nothing may be downloaded or come from a cache.
const npmSettings = [
  '--offline',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  `--cache=${join(folder, 'cache')}`,
];
let service: ChildProcess | undefined;

before(async () => {
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{}');
  const shell = process.platform === 'win32';
  if (process.env['PROOF_INSTALL']) {
    await run('npm', ['pack', `--pack-destination=${folder}`, '--loglevel=error'], { cwd: root, shell });
    const tarball = join(folder, `sellthrough-${programVersion}.tgz`);
    await run('npm', ['install', tarball, ...npmSettings], { cwd: home, shell });
  } else {
    await run('npm', ['run', 'prepack', '--loglevel=error'], { cwd: root, shell });
    await putPackedFiles();
    // Skip initdb; another test checks that the package contains its files.
    copyEmbeddedTemplate(join(home, 'data'));
  }
});

async function putPackedFiles(): Promise<void> {
  const own = process.env['npm_execpath'] ?? '';
  const globally = async () => (await run('npm', ['root', '--global'])).stdout.trim();
  const npmCli = own.endsWith('npm-cli.js') ? own : join(await globally(), 'npm/bin/npm-cli.js');
  const lister = fileURLToPath(new URL('../harness/list-packed-files.mjs', import.meta.url));
  const listed = await run(process.execPath, [lister, npmCli, root], { maxBuffer: 64 * 2 ** 20 });
  for (const path of listed.stdout.split('\n')) {
    const place = join(installed, path);
    mkdirSync(dirname(place), { recursive: true });
    try {
      linkSync(join(root, path), place);
    } catch {
      copyFileSync(join(root, path), place); // the folder is on another file system
    }
  }
}

after(() => {
  service?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('the package holds what runs, and nothing of the development', () => {
  assert.deepEqual(readdirSync(installed).sort(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'node_modules',
    'package.json',
    'scripts',
  ]);
  assert.ok(existsSync(join(installed, 'dist/web/dist/index.html')));
  assert.ok(existsSync(join(installed, 'dist/docs/dist/index.html')));
  const client = `dist/docs/dist/downloads/sellthrough-client-${programVersion}.tgz`;
  assert.ok(existsSync(join(installed, client)), 'the client that it hands out');
  const pglite = join(installed, 'node_modules/@electric-sql/pglite/dist');
  for (const name of ['pglite.data', 'pglite.wasm', 'initdb.wasm'])
    assert.ok(existsSync(join(pglite, name)), name);
  const names = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
  // The examples that the documents offer for download are text.
  const ofDocuments = 'docs/dist/downloads/';
  assert.deepEqual(
    names.filter((name) => /\.tsx?$|\.env|\.built-from/.test(name) && !name.startsWith(ofDocuments)),
    [],
  );
  const modules = readdirSync(join(installed, 'node_modules'));
  for (const name of ['fastify', 'pg', 'commander']) assert.ok(modules.includes(name));
  for (const name of ['typescript', 'vite', 'vitepress', 'vue', 'react', 'knip'])
    assert.ok(!modules.includes(name), name);
});

test('it serves from an empty folder: the pages, the first order by the printed line, data in that folder', async () => {
  service = spawn(process.execPath, [join(installed, 'bin', 'sellthrough.mjs'), 'serve', '--demo'], {
    cwd: home,
    env: { PATH: process.env['PATH'], PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  service.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!/^ {2}curl .*\n/m.test(said)) {
    assert.equal(service.exitCode, null, said);
    await once(service.stderr ?? service, 'data');
  }
  // Without a terminal, the printed command reads the key from a file.
  const [, address, file, key, body] =
    /^ {2}curl -i (\S+) -H "Authorization: Bearer \$\(sed .* '([^']+)'\)" -H 'Idempotency-Key: (\S+)' -d '(.*)'$/m.exec(
      said,
    ) ?? [];
  assert.ok(address && file && key && body, said);
  const [, apiKey] = /^API key +(\S+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': key };
  const order = await fetch(address, { method: 'POST', headers, body });
  assert.equal(order.status, 201, await order.clone().text());
  assert.equal(((await order.json()) as { balance: string }).balance, '491.00');

  const page = await fetch(new URL('/panel/', address));
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<script type="module"/);
  assert.ok(existsSync(join(home, 'data', 'secret.key')));
  service.kill('SIGTERM');
  const [code] = await once(service, 'exit');
  assert.equal(code, 0);
  service = undefined;
});

test('its other commands run too @nightly', async () => {
  const program = join(installed, 'bin', 'sellthrough.mjs');
  // The package must also work on PostgreSQL, with the client that it includes.
  const database = await createTestDatabase();
  const environment =
    database.config.kind === 'postgres'
      ? { DATABASE_URL: database.config.connectionString, SECRET_KEY: 'k'.repeat(40) }
      : {};
  const there = { cwd: home, env: { ...process.env, ...environment } };
  await run(process.execPath, [program, 'migrate'], there);
  const verify = await run(process.execPath, [program, 'verify', '--json'], there);
  await database.remove();
  assert.equal(JSON.parse(verify.stdout).ok, true);
  const version = await run(process.execPath, [program, '--version'], { cwd: home });
  assert.equal(version.stdout.trim(), programVersion);
  const aside = join(folder, 'aside');
  mkdirSync(aside);
  const doctor = await run(process.execPath, [program, 'doctor', '--json'], {
    cwd: aside,
    env: { ...process.env, PORT: '0' },
  });
  const { checks }: { checks: { name: string; state: string }[] } = JSON.parse(doctor.stdout);
  assert.equal(checks.find(({ name }) => name === 'pages')?.state, 'ok');
});

test('its bill of materials names every package that travels in it, and is the same wherever it is made', async () => {
  const text = readFileSync(join(installed, 'dist', 'sbom.cdx.json'), 'utf8');
  const bill: { bomFormat: string; metadata: Bill; components: Bill['component'][] } = JSON.parse(text);
  assert.equal(bill.bomFormat, 'CycloneDX');
  assert.equal(bill.metadata.component.purl, `pkg:npm/sellthrough@${programVersion}`);
  const listed = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl)));
  const shipped = globSync('node_modules/**/package.json', { cwd: installed })
    // Count only packages, not the manifests within them that mark modules or tests.
    .filter((path) => /node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(installed, path), 'utf8')))
    .map(({ name, version }) => `pkg:npm/${name}@${version}`);
  assert.ok(shipped.length > 50);
  assert.deepEqual(
    shipped.filter((each) => !listed.has(each)),
    [],
  );
  assert.ok(
    listed.has(`pkg:npm/react@${pagesManifest().dependencies['react']}`),
    'what the pages are made of',
  );
  assert.doesNotMatch(
    text.replace(/"\$schema": "[^"]*"/, ''),
    /https?:|"[/\\]|[A-Z]:\\|timestamp|serialNumber/,
  );
  const again = join(folder, 'again.json');
  await run(process.execPath, [join(root, 'scripts', 'bill-of-materials.mjs'), again], { cwd: folder });
  assert.equal(readFileSync(again, 'utf8'), text);
});

interface Bill {
  readonly component: { readonly purl: string };
}

function pagesManifest(): { readonly dependencies: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(root, 'web', 'package.json'), 'utf8'));
}
