// The lockfiles install in a fresh clone: they have the packages of every platform, or `npm ci` would refuse them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type LockedPackages = Readonly<Record<string, LockedPackage>>;

for (const file of ['', 'scripts/node24/', 'test/generated-clients/'].map(
  (folder) => `${folder}package-lock.json`,
)) {
  test(`${file} names every package with its checksum and without an address`, () => {
    const { packages } = readJson(file);
    assert.ok(Object.keys(packages).length > 1);
    assert.deepEqual(lockfileProblems(packages), []);
  });
}

// Set-up reads only the lockfile, so it would not notice an edit of package.json alone.
for (const [file, folder] of [
  ['package-lock.json', ''],
  ['package-lock.json', 'web'],
  ['package-lock.json', 'sdk'],
  ['package-lock.json', 'docs'],
  ['test/generated-clients/package-lock.json', ''],
  ['scripts/node24/package-lock.json', ''],
] as const) {
  const manifest = join(dirname(file), folder, 'package.json');
  test(`${file} has the dependencies of ${manifest}`, () => {
    const { packages } = readJson(file);
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'])
      assert.deepEqual(packages[folder][kind], readJson(manifest)[kind], kind);
  });
}

test('every dependency of the program travels in the package', () => {
  const manifest = readJson('package.json');
  assert.deepEqual([...manifest.bundleDependencies].sort(), Object.keys(manifest.dependencies).sort());
});

describe('a lockfile that would not install is reported', () => {
  const sound: LockedPackage = { version: '1.0.0', integrity: 'sha512-x' };
  const broken: readonly (readonly [title: string, packages: LockedPackages, reported: string])[] = [
    [
      'a missing optional package',
      { '': {}, 'node_modules/a': { ...sound, optionalDependencies: { b: '1' } } },
      'node_modules/a needs b, which is not in the lockfile',
    ],
    [
      'a missing package',
      { '': { dependencies: { a: '1' } } },
      'the project needs a, which is not in the lockfile',
    ],
    [
      'a package that no one depends on',
      {
        '': {},
        'node_modules/a': { ...sound, dependencies: { c: '1' } },
        'node_modules/b/node_modules/c': sound,
      },
      'node_modules/a needs c, which is not in the lockfile',
    ],
    [
      'a package without a checksum',
      { '': {}, 'node_modules/a': { version: '1.0.0' } },
      'node_modules/a has no checksum',
    ],
    [
      'a package with an address',
      { '': {}, 'node_modules/a': { ...sound, resolved: 'x' } },
      'node_modules/a names an address',
    ],
  ];
  for (const [title, packages, reported] of broken) {
    test(title, () => assert.deepEqual(lockfileProblems(packages), [reported]));
  }

  test('a package found in the folder of a parent is not', () => {
    const packages = {
      '': { dependencies: { a: '1' } },
      'node_modules/a': { ...sound, dependencies: { b: '1' } },
      'node_modules/a/node_modules/b': { ...sound, dependencies: { a: '1' } },
    };
    assert.deepEqual(lockfileProblems(packages), []);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the shape of npm's files is npm's, and what is read of it is compared
function readJson(path: string): any {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
}

function lockfileProblems(packages: LockedPackages): readonly string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const problems: string[] = [];
    const isOurs = !path.includes('node_modules/');
    if (!isOurs && !entry.link) {
      if (entry.integrity === undefined) problems.push(`${path} has no checksum`);
      if (entry.resolved !== undefined) problems.push(`${path} names an address`);
    }
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      if (!isFound(packages, path, name))
        problems.push(`${path || 'the project'} needs ${name}, which is not in the lockfile`);
    }
    return problems;
  });
}

/** Looks where Node does: in the node_modules of the package, of its parents, and of the project. */
function isFound(packages: LockedPackages, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`] !== undefined)
      return true;
    if (folder === '') return false;
  }
}
