// Records which test file sent which query to which kind of database. Each query must run on the embedded database, on
// PostgreSQL, and on PostgreSQL with several account groups. Filled by test.ts.

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { statementsOfOnePlace } from './test-groups.ts';

const places: readonly (readonly [name: string, groups: readonly string[]])[] = [
  ['the embedded database', ['embedded']],
  ['PostgreSQL', ['postgres', 'groups']],
  ['PostgreSQL with several account groups', ['groups']],
];
/** The tests' own queries have names that start like this. */
const ofTests = /^throwaway_/;

export interface StatementRuns {
  add(group: string, file: string, names: readonly string[]): void;
  /** One line for each query that did not run everywhere or did not run at all. */
  problems(root: string): string[];
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
      const names = new Set([...runs.keys(), ...writtenNames(root)]);
      const excepted = new Set<RegExp>();
      for (const name of [...names].filter((one) => !ofTests.test(one)).sort()) {
        const ofName = runs.get(name);
        const missing = places.filter(([, groups]) => !groups.some((group) => ofName?.has(group)));
        if (missing.length === 0) continue;
        const exception = statementsOfOnePlace.find(([pattern]) => pattern.test(name));
        if (exception !== undefined) {
          excepted.add(exception[0]);
          continue;
        }
        const [file = 'no test'] = [...(ofName?.values() ?? [])].flatMap((files) => [...files]);
        found.push(`${name} (${file}) never ran on ${missing.map(([place]) => place).join(' or ')}`);
      }
      for (const [pattern] of statementsOfOnePlace)
        if (!excepted.has(pattern))
          found.push(`${pattern} is excepted (test-groups.ts), and runs everywhere`);
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

function writtenNames(root: string): string[] {
  const names = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bname: '(\w+)',\s*text:/g)].map(
      ([, name = '']) => name,
    ),
  );
  return [...new Set(names)].sort();
}
