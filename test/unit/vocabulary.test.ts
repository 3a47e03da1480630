// Each thing has one word. Our former private words must not return to the code; the right word is beside each.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** A word matches the beginning of a part of a name: keyHappenings has the parts "key" and "happenings". */
const oldWords: Readonly<Record<string, string>> = {
  happening: 'event',
  telling: 'product call',
  deed: 'action, or sensitive action',
  door: 'guard; of the data folder: control socket',
  twin: 'test account',
  purse: 'reservation',
  stretch: 'range',
  speech: 'translator',
  hygiene: 'request parsing',
  deaf: 'stale',
  housekeeping: 'scheduled jobs',
};

const oldNames: Readonly<Record<string, string>> = {
  lameDuck: 'gracefulDrain',
  walkDown: 'scanDown',
  onceByKey: 'runOnce',
  carryOut: 'execute…',
  authorProblem: 'recheckCaller',
  stillThere: 'recheckInDoubt',
  singleAudit: 'sharedVerification',
  keptBodies: 'body capture',
  entryMarks: 'rollupWatermarks',
  ledgerDays: 'dailyTotals',
  keyDirectory: 'API key cache',
  accountTurns: 'perAccountConcurrency',
  readPace: 'readThrottle',
  youngStatistics: 'earlyAnalyze',
};

/** Stored or recorded names, and words with another meaning, stay: file and line. */
const allowed: readonly (readonly [file: string, text: string])[] = [
  // Audit entries that exist have this action and field.
  ['src/features/auth/sign-in-log.ts', "action: 'deed.refuse',"],
  ['src/features/auth/sign-in-log.ts', 'deed: operation'],
  ['src/features/audit/read-security-events.ts', "'deed.refuse'"],
  ['src/platform/audit-log/remove-addresses.ts', "'deed.refuse'"],
  ['web/src/features/audit/audit-actions.ts', "'deed.refuse'"],
  ['web/src/features/audit/audit-page.tsx', "value: 'deed'"],
  ['web/src/features/audit/audit-page.tsx', "action.startsWith('deed.')"],
  ['web/src/features/audit/audit-words.ts', 'deed: t`Action`'],
  // The folder of the control socket. Commands of other versions use it.
  ['src/platform/database/embedded/control-socket.ts', "'door', 'socket'"],
  ['src/', 'list_stretch'],
  ['src/features/ledger/facet-index.ts', 'stretch'],
  // Programs that turn speech into text.
  ['web/src/shell/', 'speech input'],
];

const ofWords = Object.entries(oldWords);
const ofNames = Object.entries(oldNames).map(([name, right]) => [name, name.toLowerCase(), right] as const);

function partsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.map((part) => part.toLowerCase()));
}

function problemsOf(file: string, text: string): string[] {
  const problems: string[] = [];
  const exceptions = allowed.flatMap(([path, part]) => (file.startsWith(path) ? [part] : []));
  for (const [index, line] of text.split('\n').entries()) {
    if (exceptions.some((part) => line.includes(part))) continue;
    // Remove paths, because file names have their own rules.
    const parts = partsOf(line.replaceAll(/[\w./-]+\.(tsx?|md|sql|lua)\b/g, ''));
    for (const [word, right] of ofWords) {
      if (parts.has(word) || parts.has(`${word}s`) || parts.has(`${word}es`))
        problems.push(`${file}:${index + 1}: say ${right}, not ${word}`);
    }
    const lower = line.replaceAll(/[\w./-]+\.tsx?\b/g, '').toLowerCase();
    for (const [name, lowerName, right] of ofNames) {
      if (lower.includes(lowerName)) problems.push(`${file}:${index + 1}: say ${right}, not ${name}`);
    }
  }
  return problems;
}

test('the code says the words of the field', () => {
  const files = globSync('{src,sdk/src,web/src}/**/*.{ts,tsx,lua}');
  assert.ok(files.length > 600);
  const problems = files.flatMap((file) => problemsOf(file, readFileSync(file, 'utf8')));
  assert.deepEqual(problems, []);
});

test('an old word is found in a name, a comment and a plural', () => {
  for (const line of [
    'const keyHappenings = 1;',
    '// The twins of an account.',
    'type DoorKind = 1;',
    'walkDown(x)',
  ])
    assert.equal(problemsOf('src/a.ts', line).length, 1, line);
  for (const line of ["import { x } from './twin-store.ts';", 'const indoor = 1;', 'the customer is told'])
    assert.deepEqual(problemsOf('src/a.ts', line), [], line);
});
