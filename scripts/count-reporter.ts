// A second reporter for `node --test`. It writes one JSON line per fact for scripts/test.ts to add up, at once, so that a
// crashed runner does not lose its counts.
// Invariant: a file without tests is `empty`, never passed. A file is `finished` only if it reached its end, because a file
// that stops halfway looks like one with fewer tests.
import type { TestEvent } from 'node:test/reporters';

export interface TestFact {
  readonly fact: 'passed' | 'failed' | 'skipped' | 'empty' | 'finished';
  /** The test's title. For files that are `empty`, `finished` or crashed, their path. */
  readonly name: string;
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
    // If a test in the suite failed, it is already counted. Count a suite only if it failed by itself: a hook, a crash.
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

/** For a file without tests, the runner reports one passed test named after the file. This recognizes it. */
function standsForFile(test: { name: string; nesting: number; file?: string | undefined }): boolean {
  return (
    test.nesting === 0 && test.file !== undefined && /[\\/]/.test(test.name) && test.file.endsWith(test.name)
  );
}

function processEnding(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('signal' in error && typeof error.signal === 'string') return `signal ${error.signal}`;
  if ('exitCode' in error && typeof error.exitCode === 'number') return `exit code ${error.exitCode}`;
  return undefined;
}

export function failureType(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'failureType' in error
    ? error.failureType
    : undefined;
}
