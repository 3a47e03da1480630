// Takes the place of `node:test` in a test file of which only some tests run (test-groups.ts). Called by test-worker.ts.

import { registerHooks } from 'node:module';
import runner from 'node:test';

export const { after, afterEach, before, beforeEach } = runner;

let chosen: readonly string[] | undefined;
let leftOut: readonly string[] = [];
let missing = new Set<string>();

/**
 * From now on only tests and suites with the titles `only` are registered, undefined for all, and none with those of `except`.
 * A test in a suite needs both titles. Returns the titles that no test had so far.
 */
export function chooseTests(
  only: readonly string[] | undefined,
  except: readonly string[] = [],
): ReadonlySet<string> {
  chosen = only;
  leftOut = except;
  missing = new Set([...(only ?? []), ...except]);
  return missing;
}

export const test = choosing(runner.test);
export const describe = choosing(runner.describe);

function choosing<Args extends readonly unknown[]>(register: (title: string, ...args: Args) => unknown) {
  return (title: string, ...args: Args): unknown => {
    missing.delete(title);
    if (chosen?.includes(title) === false || leftOut.includes(title)) return undefined;
    return register(title, ...args);
  };
}

registerHooks({
  resolve(specifier, context, next) {
    const isOfTest = specifier === 'node:test' && context.parentURL?.endsWith('.test.ts');
    return isOfTest ? { url: import.meta.url, shortCircuit: true } : next(specifier, context);
  },
});
