// Packs the PHP and Python clients: `node scripts/build-clients.ts [folder]` writes them into clients/dist/ or the folder.
// build-docs.ts adds them to the downloads. Invariant: the same files give the same bytes.

import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipFile } from './zip-file.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string) => readFileSync(join(root, 'clients', path));

export interface PackedClient {
  /** For example sellthrough-0.2.0-py3-none-any.whl. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** All clients have one version. */
export function clientsVersion(): string {
  return JSON.parse(readFileSync(join(root, 'sdk', 'package.json'), 'utf8')).version;
}

export function packClients(): readonly PackedClient[] {
  return [packPhp(), packPython()];
}

/** Without the manifest: the modules for billing panels contain these files. */
export function phpClientFiles(): ReadonlyMap<string, Buffer> {
  return filesOf('php', '{src/**/*.php,autoload.php}', '');
}

/** A package for Composer's artifact repositories, which also works without Composer. */
function packPhp(): PackedClient {
  const folder = 'sellthrough-php';
  const { name, ...manifest } = JSON.parse(read('php/composer.json').toString());
  const files = filesOf('php', '{README.md,LICENSE}', folder);
  for (const [path, bytes] of phpClientFiles()) files.set(`${folder}/${path}`, bytes);
  // Packagist takes the version from a tag, artifact repositories from here.
  const versioned = { name, version: clientsVersion(), ...manifest };
  files.set(`${folder}/composer.json`, Buffer.from(`${JSON.stringify(versioned, null, 4)}\n`));
  return packed(`sellthrough-php-${clientsVersion()}.zip`, files);
}

/** A wheel, which pip installs without a build: https://packaging.python.org/specifications/binary-distribution-format/ */
function packPython(): PackedClient {
  const version = clientsVersion();
  const source = read('python/pyproject.toml').toString();
  const fieldOf = (name: string) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(source)?.[1] ?? '';
  const files = filesOf('python/src', '**/*.{py,typed}', '');
  const info = `sellthrough-${version}.dist-info`;
  const add = (name: string, text: string | Buffer) => files.set(`${info}/${name}`, Buffer.from(text));
  const facts = [
    'Metadata-Version: 2.1',
    'Name: sellthrough',
    `Version: ${version}`,
    `Summary: ${fieldOf('description')}`,
    'License: MIT',
    `Requires-Python: ${fieldOf('requires-python')}`,
    'Description-Content-Type: text/markdown',
  ];
  add('METADATA', `${facts.join('\n')}\n\n${read('python/README.md')}`);
  add('WHEEL', 'Wheel-Version: 1.0\nGenerator: sellthrough\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
  add('licenses/LICENSE', read('python/LICENSE'));
  const records = [...files].map(([path, bytes]) => {
    const hash = createHash('sha256').update(bytes).digest('base64url');
    return `${path},sha256=${hash},${bytes.length}\n`;
  });
  add('RECORD', `${records.sort().join('')}${info}/RECORD,,\n`);
  return packed(`sellthrough-${version}-py3-none-any.whl`, files);
}

function filesOf(folder: string, pattern: string, to: string): Map<string, Buffer> {
  const paths = globSync(pattern, { cwd: join(root, 'clients', folder) }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return new Map(paths.map((path) => [join(to, path).replaceAll('\\', '/'), read(`${folder}/${path}`)]));
}

function packed(name: string, files: ReadonlyMap<string, Buffer>): PackedClient {
  const sorted = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { name, bytes: zipFile(sorted), files: sorted };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(root, 'clients', 'dist');
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of packClients()) writeFileSync(join(folder, name), bytes);
}
