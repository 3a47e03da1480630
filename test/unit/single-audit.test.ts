// One verification for all requests: shared while it runs, cancelled if no client waits, kept for clients that retry.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createSharedVerification,
  type SharedVerification,
} from '../../src/features/verification/shared-verification.ts';
import type { VerifyReportView } from '../../src/features/verification/verification-schemas.ts';

const report: VerifyReportView = { ok: true, accounts: 1, entries: 2, problems: [] };
const limits = { waitMilliseconds: 1_000, lingerMilliseconds: 500, keptMilliseconds: 5_000 };
const here = new AbortController().signal;

interface Stage {
  readonly audits: SharedVerification;
  readonly begun: {
    readonly signal: AbortSignal;
    readonly startedBy: string;
    end(found: VerifyReportView): void;
  }[];
}

function stage({ isTaken = () => false }: { isTaken?: () => boolean } = {}): Stage {
  const begun: Stage['begun'] = [];
  const audits = createSharedVerification({
    audit(signal, startedBy) {
      const ended = Promise.withResolvers<VerifyReportView>();
      signal.addEventListener('abort', () => ended.reject(signal.reason));
      begun.push({ signal, startedBy, end: ended.resolve });
      return ended.promise;
    },
    exclusively: async (work) => (isTaken() ? null : work(new AbortController().signal)),
    limits,
  });
  return { audits, begun };
}

test('all who ask while an audit runs receive its report; who asks later begins another', async () => {
  const { audits, begun } = stage();
  const answers = [audits.report(here, 'api'), audits.report(here, 'api'), audits.report(here, 'api')];
  assert.equal(begun.length, 1);
  begun[0]?.end(report);
  assert.deepEqual(await Promise.all(answers), [report, report, report]);
  const later = audits.report(here, 'api');
  assert.equal(begun.length, 2);
  begun[1]?.end({ ...report, entries: 3 });
  assert.equal((await later)?.entries, 3);
});

test('the first who asks is noted as the one who started an audit', async () => {
  const { audits, begun } = stage();
  const answers = [audits.report(here, 'console'), audits.report(here, 'api')];
  begun[0]?.end(report);
  await Promise.all(answers);
  const later = audits.report(here, 'api');
  begun[1]?.end(report);
  await later;
  assert.deepEqual(
    begun.map(({ startedBy }) => startedBy),
    ['console', 'api'],
  );
});

test('an asker who leaves cancels nothing while another waits', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { audits, begun } = stage();
  const leaver = new AbortController();
  const [left, stays] = [audits.report(leaver.signal, 'api'), audits.report(here, 'api')];
  leaver.abort();
  assert.equal(await left, null);
  context.mock.timers.tick(limits.lingerMilliseconds);
  assert.equal(begun[0]?.signal.aborted, false);
  begun[0]?.end(report);
  assert.deepEqual(await stays, report);
});

test('an audit that no one waits for is cancelled, unless someone comes back soon', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { audits, begun } = stage();
  const leaver = new AbortController();
  const left = audits.report(leaver.signal, 'api');
  leaver.abort();
  await left;
  context.mock.timers.tick(limits.lingerMilliseconds - 1);
  const second = new AbortController();
  const again = audits.report(second.signal, 'api');
  context.mock.timers.tick(1);
  assert.equal(begun[0]?.signal.aborted, false, 'someone came back');
  second.abort();
  await again;
  context.mock.timers.tick(limits.lingerMilliseconds);
  assert.equal(begun[0]?.signal.aborted, true);
  assert.equal(begun.length, 1);
});

test('a client that waited too long gets Retry-After, and later finds the report', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { audits, begun } = stage();
  const first = audits.report(here, 'api');
  context.mock.timers.tick(limits.waitMilliseconds);
  assert.equal(await first, null);
  context.mock.timers.tick(10 * limits.lingerMilliseconds);
  assert.equal(begun[0]?.signal.aborted, false, 'it goes on');
  begun[0]?.end(report);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await audits.report(here, 'api'), report);
  assert.equal(begun.length, 1);
  const fresh = audits.report(here, 'api');
  assert.equal(begun.length, 2, 'a report is handed out once');
  begun[1]?.end(report);
  await fresh;
});

test('a report that no one asked for in time is forgotten', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { audits, begun } = stage();
  const first = audits.report(here, 'api');
  context.mock.timers.tick(limits.waitMilliseconds);
  await first;
  begun[0]?.end(report);
  await new Promise((resolve) => setImmediate(resolve));
  context.mock.timers.tick(limits.keptMilliseconds);
  const next = audits.report(here, 'api');
  assert.equal(begun.length, 2);
  begun[1]?.end(report);
  assert.deepEqual(await next, report);
});

test('while another process runs one, clients get Retry-After', async () => {
  let isTaken = true;
  const { audits, begun } = stage({ isTaken: () => isTaken });
  assert.equal(await audits.report(here, 'api'), null);
  isTaken = false;
  const answer = audits.report(here, 'api');
  await new Promise((resolve) => setImmediate(resolve));
  begun[0]?.end(report);
  assert.deepEqual(await answer, report);
});

test('an audit that fails fails for all who wait, and the next one begins again', async () => {
  const failing = createSharedVerification({
    audit: () => Promise.reject(new Error('the database is away')),
    exclusively: (work) => work(new AbortController().signal),
    limits,
  });
  await assert.rejects(failing.report(here, 'api'), /away/);
  await assert.rejects(failing.report(here, 'api'), /away/);
});

test('closing cancels a running audit, and its clients get Retry-After', async () => {
  const { audits, begun } = stage();
  const asked = audits.report(here, 'api');
  await audits.close();
  assert.equal(begun[0]?.signal.aborted, true);
  assert.equal(await asked, null);
  assert.equal(await audits.report(here, 'api'), null);
  assert.equal(begun.length, 1);
});
