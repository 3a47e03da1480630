// docs/decisions: no gaps in the numbers, and dates and statuses. The second half breaks the rules on purpose.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

type Texts = Readonly<Record<string, string>>;

const head =
  /^# (\d{4}): \S.*\n\n- Date: (20\d\d-[01]\d-[0-3]\d)\n- Status: (accepted|withdrawn|superseded by .+|accepted, superseded in part by .+)\n(?:- Rewritten in place: last on 20\d\d-[01]\d-[0-3]\d\n)?\n\S/;

function recordProblems(records: Texts): string[] {
  const names = Object.keys(records).sort();
  const holes = names.flatMap((name, index) => {
    const expected = String(index + 1).padStart(4, '0');
    return name.startsWith(`${expected}-`) ? [] : [`${name} has not the number ${expected}`];
  });
  return [
    ...holes.slice(0, 1),
    ...names.flatMap((name) => {
      const [, number, , status = ''] = head.exec(records[name] ?? '') ?? [];
      if (number === undefined) return [`${name} does not begin with its title, date and status`];
      if (!name.startsWith(number)) return [`${name} calls itself ${number}`];
      const others = [...status.matchAll(/\[(\d{4})\]\(([^)]+)\)/g)];
      if (status.includes('superseded') && others.length === 0)
        return [`${name} does not link its successor`];
      return others.flatMap(([, other = '', file = '']) =>
        file in records && file.startsWith(other) && other > number
          ? []
          : [`${name} names ${other} as its successor`],
      );
    }),
  ];
}

test('decision records have numbers without holes, a date and a status', () => {
  const cwd = fileURLToPath(new URL('../../docs/decisions/', import.meta.url));
  const names = globSync('*.md', { cwd });
  assert.ok(names.length >= 69);
  assert.deepEqual(
    recordProblems(Object.fromEntries(names.map((name) => [name, readFileSync(`${cwd}${name}`, 'utf8')]))),
    [],
  );
});

test('a hole, a missing date, an unknown status and a successor that does not exist are named', () => {
  const record = (number: string, status = 'accepted', date = '2026-11-20') =>
    `# ${number}: Title\n\n- Date: ${date}\n- Status: ${status}\n\nText.\n`;
  const problems = (records: Texts) => recordProblems({ '0001-first.md': record('0001'), ...records });
  assert.deepEqual(problems({ '0002-second.md': record('0002') }), []);
  for (const [records, problem] of [
    [{ '0003-third.md': record('0003') }, '0003-third.md has not the number 0002'],
    [{ '0002-second.md': record('0003') }, '0002-second.md calls itself 0003'],
    [
      { '0002-second.md': record('0002', 'accepted', 'yesterday') },
      '0002-second.md does not begin with its title, date and status',
    ],
    [
      { '0002-second.md': record('0002', 'perhaps') },
      '0002-second.md does not begin with its title, date and status',
    ],
    [
      { '0002-second.md': record('0002', 'superseded by 0009') },
      '0002-second.md does not link its successor',
    ],
    [
      { '0002-second.md': record('0002', 'superseded by [0009](0009-x.md)') },
      '0002-second.md names 0009 as its successor',
    ],
  ] as const) {
    assert.deepEqual(problems(records), [problem]);
  }
});
