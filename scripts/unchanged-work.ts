// Remembers passed test files, so that test.ts runs one again only if something that it can see has changed. For example, a
// changed page runs the page tests, a changed test only itself. A fresh clone remembers nothing.
// Invariant: a file is remembered only if all its tests ran and passed, and all files that it can see are the same.

import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Passed {
  readonly passed: number;
  readonly statements: readonly string[];
}

export interface UnchangedWork {
  find(label: string, file: string): Passed | undefined;
  note(label: string, file: string, passed: Passed): void;
  /** Call after a run. Saves nothing if files changed during it. */
  save(): void;
}

/** Whether a test can see another file. `readsPages`: the test uses the pages or starts a program that serves them. */
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
      // A file that changed during the run may have been loaded before or after the change.
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
