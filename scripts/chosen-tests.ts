// Takes the place of `node:test` in a test file of which only some tests run (`testsOnEmbedded` of test-groups.ts). Called
// by test-worker.ts.

import { registerHooks } from 'node:module';
import runner from 'node:test';

export const { after, afterEach, before, beforeEach } = runner;

let chosen: readonly string[] | undefined;
let missing = new Set<string>();

/**
 * From now on only tests and suites with these titles are registered, undefined for all. A test in a suite needs both
 * titles. Returns the titles that no test had so far.
 */
export function chooseTests(titles: readonly string[] | undefined): ReadonlySet<string> {
  chosen = titles;
  missing = new Set(titles);
  return missing;
}

export const test = choosing(runner.test);
export const describe = choosing(runner.describe);

function choosing<Args extends readonly unknown[]>(register: (title: string, ...args: Args) => unknown) {
  return (title: string, ...args: Args): unknown => {
    if (chosen?.includes(title) === false) return undefined;
    missing.delete(title);
    return register(title, ...args);
  };
}

registerHooks({
  resolve(specifier, context, next) {
    const isOfTest = specifier === 'node:test' && context.parentURL?.endsWith('.test.ts');
    return isOfTest ? { url: import.meta.url, shortCircuit: true } : next(specifier, context);
  },
});
