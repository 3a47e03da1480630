// The reporter of test-worker.ts. It sends facts to scripts/test.ts as they happen.

import { subscribe } from 'node:diagnostics_channel';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { failureType } from './count-reporter.ts';

export interface WorkerFact {
  readonly kind: 'passed' | 'failed' | 'skipped' | 'note';
  readonly text: string;
  readonly depth: number;
  readonly isSuite: boolean;
  /** False for a suite that failed only because of a test in it, because that test is counted. */
  readonly counts: boolean;
  readonly milliseconds?: number;
  readonly error?: string;
}

const loggedMax = 10;
/** The last errors that services logged during the current file. */
const logged: string[] = [];
subscribe('sellthrough:logged-error', (line) => {
  logged.push(String(line));
  if (logged.length > loggedMax) logged.shift();
});

const ended = new Set<string>();
let onEnded: () => void = () => {};

export async function suiteEnded(name: string): Promise<void> {
  while (!ended.has(name)) {
    await new Promise<void>((resolve) => {
      onEnded = resolve;
    });
  }
  ended.delete(name);
}

export default async function* workerReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const fact = workerFact(event);
    if (fact === undefined) continue;
    if (process.connected) process.send?.(fact);
    // After the last file, only errors arrive that came too late for any test.
    else process.stderr.write(`${fact.text}\n`);
    if (fact.depth === 0 && fact.isSuite) {
      logged.length = 0;
      ended.add(fact.text);
      onEnded();
    }
  }
  yield '';
}

function workerFact(event: TestEvent): WorkerFact | undefined {
  if (event.type === 'test:diagnostic') {
    const { message, nesting } = event.data;
    // Ignore the sums, which test.ts computes itself. Other top-level messages are about tests that had already ended.
    if (nesting === 0 && /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message))
      return undefined;
    return { kind: 'note', text: message, depth: nesting, isSuite: false, counts: false };
  }
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return undefined;
  const { name, nesting, details, skip, todo } = event.data;
  const isSuite = details.type === 'suite';
  const common = { text: name, depth: nesting, isSuite, milliseconds: details.duration_ms };
  if (skip !== undefined || todo !== undefined) {
    const reason = [skip, todo].find((one) => typeof one === 'string' && one !== '');
    return { ...common, kind: 'skipped', counts: true, ...(reason && { error: String(reason) }) };
  }
  if (event.type === 'test:pass') return { ...common, kind: 'passed', counts: !isSuite };
  const { error } = event.data.details;
  const counts = !(isSuite && failureType(error) === 'subtestsFailed');
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return { ...common, kind: 'failed', counts, ...(counts && { error: withLogged(inspect(cause)) }) };
}

function withLogged(error: string): string {
  return [error, ...(logged.length === 0 ? [] : ['Services had logged:', ...logged])].join('\n');
}
