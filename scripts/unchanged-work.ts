// Remembers which test files passed, so that test.ts need not run them again until something changes that they can see:
// edit a page, and the tests of the pages run; edit a test, and that test runs. A fresh clone remembers nothing.
// Invariant: a file is remembered only if all of its tests ran and passed, and every file that it can see is the same as then.

import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Passed {
  readonly passed: number;
  /** Names of the statements that it sent to the database. */
  readonly statements: readonly string[];
}

export interface UnchangedWork {
  /** How it went, if it passed on what is there now; undefined when it has to run. */
  find(label: string, file: string): Passed | undefined;
  /** All of it ran, and passed. */
  note(label: string, file: string, passed: Passed): void;
  /** Of a run during which nothing was changed. */
  save(): void;
}

/** Whether a test file can see another file. `readsPages`: it looks at the built pages, or starts what serves them. */
export function sees(test: string, other: string, { readsPages, text }: TestSource): boolean {
  if (other.endsWith('.test.ts')) return other === test;
  if (other.startsWith('web/')) return readsPages;
  if (other.startsWith('docs/') || /^[A-Z]+\.md$/.test(other)) return readsPages || text.includes('docs/');
  return true;
}

export interface TestSource {
  readonly readsPages: boolean;
  readonly text: string;
}

/** What is built, and what a program leaves that was run here. */
const notSeen = [
  ...['**/node_modules', '**/dist', '**/*.log', '.git', '.prepare-lock', '.test-tmp'],
  ...['*-password', '.env', 'data', 'demo', 'first-administrator.txt', 'shots'],
  ...['docs/.vitepress/{.temp,cache}', 'docs/dist.draft'],
];

export function createUnchangedWork(root: string, sourceOf: (file: string) => TestSource): UnchangedWork {
  const path = join(root, 'node_modules', '.cache', 'unchanged-work.json');
  const remembered = new Map<string, Passed & { readonly digest: string }>(Object.entries(readJson(path)));
  const hashes = hashesOf(root);

  function digestOf(test: string): string {
    const source = sourceOf(test);
    const digest = createHash('sha256').update(process.version);
    for (const [file, hash] of hashes) if (sees(test, file, source)) digest.update(`${file}\0${hash}`);
    return digest.digest('base64');
  }

  return {
    find(label, file) {
      const last = remembered.get(label);
      return last?.digest === digestOf(file) ? last : undefined;
    },
    note(label, file, passed) {
      remembered.set(label, { ...passed, digest: digestOf(file) });
    },
    save() {
      // What was changed meanwhile may have been loaded before or after that.
      if (JSON.stringify([...hashesOf(root)]) !== JSON.stringify([...hashes])) return;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(Object.fromEntries(remembered)));
    },
  };
}

function hashesOf(root: string): ReadonlyMap<string, string> {
  const files = globSync(['**/*', '.*'], { cwd: root, exclude: notSeen }).map((file) =>
    file.replaceAll('\\', '/'),
  );
  return new Map(
    files
      .sort()
      .filter((file) => statSync(join(root, file)).isFile())
      .map((file) => [file, hashOf(readFileSync(join(root, file)))]),
  );
}

function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}

function readJson(path: string): Record<string, Passed & { readonly digest: string }> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
