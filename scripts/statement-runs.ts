// Which statements the tests sent to a database of which kind, and which file sent them: a statement has to run on
// PostgreSQL, on PostgreSQL with its accounts in several groups, and on the embedded database. Filled by test.ts.

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { statementsOfOnePlace } from './test-groups.ts';

const places = ['postgres', 'groups', 'embedded'] as const;
type Place = (typeof places)[number];
const placeNames: Readonly<Record<Place, string>> = {
  postgres: 'PostgreSQL',
  groups: 'PostgreSQL with account groups',
  embedded: 'the embedded database',
};

export interface StatementRuns {
  add(group: string, file: string, names: readonly string[]): void;
  /** A line for each statement that did not run everywhere, or nowhere. */
  problems(root: string): string[];
  /** For whoever chooses the files of a place: name, place and file. */
  write(path: string): void;
}

export function createStatementRuns(): StatementRuns {
  const runs = new Map<string, Map<string, Set<string>>>();
  return {
    add(group, file, names) {
      for (const name of names) {
        const ofName = runs.get(name) ?? new Map<string, Set<string>>();
        const files = ofName.get(group) ?? new Set<string>();
        runs.set(name, ofName.set(group, files.add(file)));
      }
    },
    problems(root) {
      const found: string[] = [];
      for (const [name, ofName] of [...runs].sort()) {
        const missing = places.filter((place) => !ofName.has(place));
        if (missing.length === 0 || statementsOfOnePlace[name] !== undefined) continue;
        const seen = [...ofName.values()].flatMap((files) => [...files])[0];
        found.push(
          `${name} (${seen}) never ran on ${missing.map((place) => placeNames[place]).join(' or ')}`,
        );
      }
      for (const name of writtenNames(root)) if (!runs.has(name)) found.push(`${name} was never run`);
      for (const name of Object.keys(statementsOfOnePlace))
        if (places.every((place) => runs.get(name)?.has(place)))
          found.push(`${name} is excepted (test-groups.ts), and runs everywhere`);
      return found;
    },
    write(path) {
      const all = [...runs].flatMap(([name, ofName]) =>
        [...ofName].map(([group, files]) => ({ name, group, files: [...files] })),
      );
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(all));
    },
  };
}

/** Names that stand before the text of a statement in the sources. */
function writtenNames(root: string): string[] {
  const names = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bname: '(\w+)',\s*text:/g)].map(
      ([, name = '']) => name,
    ),
  );
  return [...new Set(names)].sort();
}
