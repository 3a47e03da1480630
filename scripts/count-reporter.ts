// A reporter for `node --test` beside the one that prints: writes what happened as one JSON line per fact,
// for scripts/test.ts to add up. Written as it happens, so that a runner that dies leaves what it had counted.
// Always true: a file that ended without running a test is a fact of its own (`empty`), not a passed test; a file
// that came to its end is one too (`finished`), because one that stops halfway looks like one with fewer tests.
import type { TestEvent } from 'node:test/reporters';

export interface TestFact {
  readonly fact: 'passed' | 'failed' | 'skipped' | 'empty' | 'finished';
  /** The test's title; of `empty`, of `finished` and of a file that crashed: the file's path. */
  readonly name: string;
  /** Of a file whose process ended as it should not: how, e.g. `signal SIGSEGV`. */
  readonly ending?: string;
}

export default async function* countReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const fact = testFact(event);
    if (fact !== undefined) yield `${JSON.stringify(fact)}\n`;
  }
}

function testFact(event: TestEvent): TestFact | undefined {
  if (event.type === 'test:fail') {
    const { name, details, todo } = event.data;
    // A suite fails because a test in it did, which is counted already, or by itself: a hook, a crash.
    if (details.type === 'suite' && failureType(details.error) === 'subtestsFailed') return undefined;
    const ending = processEnding(details.error);
    return { fact: todo ? 'skipped' : 'failed', name, ...(ending !== undefined && { ending }) };
  }
  if (event.type === 'test:pass') {
    const { name, details, skip, todo } = event.data;
    if (skip || todo) return { fact: 'skipped', name };
    if (details.type === 'suite') return undefined;
    return { fact: standsForFile(event.data) ? 'empty' : 'passed', name };
  }
  if (event.type === 'test:summary' && event.data.file !== undefined) {
    return { fact: 'finished', name: event.data.file };
  }
  return undefined;
}

/** The runner stands in for a file that ran no test with a passed test of the file's own name. */
function standsForFile(test: { name: string; nesting: number; file?: string | undefined }): boolean {
  return (
    test.nesting === 0 && test.file !== undefined && /[\\/]/.test(test.name) && test.file.endsWith(test.name)
  );
}

/** The runner knows how a file's process ended, and the reporter that prints does not say it. */
function processEnding(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('signal' in error && typeof error.signal === 'string') return `signal ${error.signal}`;
  if ('exitCode' in error && typeof error.exitCode === 'number') return `exit code ${error.exitCode}`;
  return undefined;
}

/** How the runner calls what made a test fail. */
export function failureType(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'failureType' in error
    ? error.failureType
    : undefined;
}
