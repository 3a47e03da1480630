// The prose check (scripts/check-prose.ts) finds what its rules forbid, and nothing else.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { subjectProblem } from '../../scripts/prose/commit-subjects.ts';
import { findOddWords } from '../../scripts/prose/odd-words.ts';
import { measureSentences } from '../../scripts/prose/sentences.ts';

describe('odd words', () => {
  for (const line of [
    '// Whoever holds the lock writes.',
    '// Always true: the sum is zero.',
    "test('nobody sees another account', () => {",
    'const told = 1;',
    'Events after this one are kept no more.',
    'a colour',
    'The order is fulfiled',
    '// What came is not HTTP.',
    '// One row of none of its own.',
  ])
    test(`found: ${line}`, () => assert.equal(findOddWords('src/a.ts', line).length, 1));
  for (const line of [
    "import { x } from './twin-store.ts';",
    '<div className="items-stretch">',
    'The order is fulfilled no more than once.',
    'What happens when a key expires',
    'const retold = indoor;',
  ])
    test(`not found: ${line}`, () => assert.deepEqual(findOddWords('src/a.ts', line), []));
  test('a line of two such words counts once, with its number', () =>
    assert.deepEqual(
      findOddWords('src/a.ts', 'fine\nnobody is told').map(({ line }) => line),
      [2],
    ));
});

describe('sentences', () => {
  const sentence = (words: number) => `${'Word '.repeat(words - 1)}end.`;
  test('paragraphs and list items count, headings, tables and code do not', () => {
    const long = sentence(60);
    const text = `# ${long}\n\n${sentence(5)}\n\n- ${sentence(7)} ${sentence(9)}\n\n\`\`\`\n${long}\n\`\`\`\n\n| a |\n|---|\n| ${long} |\n`;
    assert.deepEqual(measureSentences(text), { median: 7, long: [], isShort: true });
  });
  test('code is one word, and a dot in it ends nothing', () => {
    const { median } = measureSentences('Call `a. b. c. d` and wait here [for the answer](x.y).');
    assert.equal(median, 8);
  });
  test('one long sentence in twenty is allowed, two are not', () => {
    const short = Array.from({ length: 19 }, () => sentence(10)).join(' ');
    assert.equal(measureSentences(`${short} ${sentence(33)}`).isShort, true);
    assert.equal(measureSentences(`${short} ${sentence(33)} ${sentence(33)}`).isShort, false);
  });
  test('half of the sentences may have more than 18 words, not the median', () => {
    assert.equal(measureSentences(`${sentence(18)} ${sentence(19)}`).isShort, true);
    assert.equal(measureSentences(`${sentence(18)} ${sentence(19)} ${sentence(19)}`).isShort, false);
  });
});

describe('subjects of commits', () => {
  for (const subject of [
    'web: send only changed fields when editing a key',
    'cli, setup: say what to do in errors',
    'order-engine: process two batches',
  ])
    test(subject, () => assert.equal(subjectProblem(subject), undefined));
  for (const subject of [
    'Send only changed fields',
    'web: sent only changed fields'.padEnd(73, '.'),
    'web: fixed the key',
    'web: fixes the key',
    'web: fixing the key',
  ])
    test(`refused: ${subject}`, () => assert.notEqual(subjectProblem(subject), undefined));
});
