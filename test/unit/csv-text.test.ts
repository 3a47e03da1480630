// CSV in a model of a spreadsheet: with any separator no cell is a formula, texts survive, and numbers stay numbers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvLines, withoutGuards } from '../../src/shared/csv-text.ts';
import '../harness/fixed-seed.ts';
import { columns, hostileFile, hostileTexts, rowOf } from '../harness/hostile-cells.ts';

const separators = [',', ';', '\t', '|'];

/** Like a spreadsheet: quotes count only at the beginning of a cell, and what follows them is appended. */
function cellsOf(file: string, separator: string, quote: string | null): string[] {
  const cells: string[] = [];
  let place = 0;
  while (place < file.length) {
    let cell = '';
    if (file[place] === quote) {
      for (place += 1; place < file.length; place += 1) {
        if (file[place] !== quote) cell += file[place];
        else if (file[place + 1] === quote) {
          cell += quote;
          place += 1;
        } else break;
      }
      place += 1;
    }
    const isEnd = (character: string | undefined) =>
      character === undefined || character === separator || /[\n\r\v\f\u0085\u2028\u2029]/.test(character);
    for (; !isEnd(file[place]); place += 1) cell += file[place];
    place += 1;
    cells.push(cell);
  }
  return cells;
}

/** Stricter than any spreadsheet: everything that starts like a formula and is not a number. */
function isFormula(cell: string): boolean {
  return /^[\s\p{Cf}]*[=+\-@＝＋－＠]/u.test(cell) && !/^[+-]?\d+(?:\.\d+)?$/.test(cell);
}

function formulasIn(file: string): string[] {
  return separators.flatMap((separator) =>
    ['"', null].flatMap((quote) =>
      cellsOf(file, separator, quote)
        .filter(isFormula)
        .map((cell) => `${JSON.stringify(separator)} ${quote}: ${cell}`),
    ),
  );
}

test('the model of a spreadsheet sees formulas', () => {
  assert.equal(formulasIn('1,"Ada;=1+1",2\n').length, 2);
  assert.ok(formulasIn('1,"Ada\t=1+1",2\n').length > 0);
  assert.deepEqual(formulasIn('1,"Ada",-12.50\n'), []);
});

test('no hostile text becomes a formula, whichever separator the file is opened with', () => {
  for (const text of hostileTexts)
    assert.deepEqual(formulasIn(hostileFile([text])), [], JSON.stringify(text));
  assert.deepEqual(formulasIn(hostileFile(hostileTexts)), []);
});

const hostile = fc
  .array(fc.constantFrom(...',;|\t\n\r"\'=+-@% ', 'Ada', '1', '\u200b', '＝', '\u2028', '\u0085'), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));

test('random texts side by side make no formula, and programs read them as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hostile, hostile, hostile), { minLength: 1, maxLength: 4 }), (texts) => {
      const rows = texts.map((three, index) => rowOf(index + 1, three));
      const file = csvLines([columns, ...rows]);
      assert.deepEqual(formulasIn(file), []);
      const read: string[][] = parse(file, { from: 2 });
      assert.deepEqual(
        read.map(([, , name = '', reference = '', , , memo = '']) =>
          [name, reference, memo].map(withoutGuards),
        ),
        texts.map((three) => [...three]),
      );
    }),
    { numRuns: 3_000 },
  );
});

test('what needs no guard stands in quotes as it is, numbers and dates without them', () => {
  const names: [string, string, string] = [
    "Zoë O'Neil-Smith",
    'zoe+1@example.com',
    'Invoice 7; paid, 10 % off',
  ];
  assert.equal(
    csvLines([rowOf(2, names)]),
    `2,2026-01-31T12:00:00Z,"Zoë O'Neil-Smith","zoe+1@example.com",-12.50,EUR,"Invoice 7; paid, 10 % off"\n`,
  );
  assert.equal(csvLines([[{ text: "Ada;=cmd|' /C calc'!A0" }]]), `"Ada;'=cmd|' /C calc'!A0"\n`);
});
