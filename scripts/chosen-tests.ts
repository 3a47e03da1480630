// Takes the place of `node:test` in the test files, of which only some tests may run. Called by test-worker.ts.
// - On the embedded database, of some files only the tests that test-groups.ts lists.
// - In the gate, no test with `@nightly` at the end of its title: the gate has another test of the same page or rule.

import { registerHooks } from 'node:module';
import runner from 'node:test';

export const { after, afterEach, before, beforeEach } = runner;

/** A run of chosen files or titles is no gate: it has every test. */
const isGate = process.env['TEST_GATE'] === '1';
let chosen: readonly string[] | undefined;
let missing = new Set<string>();

/**
 * From now on only tests and suites with the titles `only` are registered, undefined for all. A test in a suite needs both
 * titles. Returns the titles that no test had so far.
 */
export function chooseTests(only: readonly string[] | undefined): ReadonlySet<string> {
  chosen = only;
  missing = new Set(only);
  return missing;
}

export const test = choosing(runner.test);
export const describe = choosing(runner.describe);

function choosing<Args extends readonly unknown[]>(register: (title: string, ...args: Args) => unknown) {
  return (title: string, ...args: Args): unknown => {
    missing.delete(title);
    if (chosen?.includes(title) === false || (isGate && title.endsWith(' @nightly'))) return undefined;
    return register(title, ...args);
  };
}

registerHooks({
  resolve(specifier, context, next) {
    const isOfTest = specifier === 'node:test' && /\.test\.ts(\?again)?$/.test(context.parentURL ?? '');
    return isOfTest ? { url: import.meta.url, shortCircuit: true } : next(specifier, context);
  },
});
