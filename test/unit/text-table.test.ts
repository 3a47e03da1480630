import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Column, textRecord, textTable } from '../../src/cli/text-table.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly price: string;
  readonly note: string | null;
}

const columns: readonly Column<Row>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'NAME', value: ({ name }) => name, mayShrink: true },
  { title: 'PRICE', value: ({ price }) => price, align: 'right' },
  { title: 'NOTE', value: ({ note }) => note, mayLeave: true },
];
const rows: readonly Row[] = [
  { id: 7, name: 'Grüße an alle Kunden', price: '9.00', note: null },
  { id: 12, name: '漢字', price: '1000.00', note: 'x' },
];

const table = (width: number | undefined, which = rows) => textTable(columns, which, width).split('\n');

test('numbers and amounts end in one column, texts begin in one, wide letters count twice', () => {
  assert.deepEqual(table(200), [
    'ID  NAME                    PRICE  NOTE',
    ' 7  Grüße an alle Kunden     9.00  –',
    '12  漢字                  1000.00  x',
    '',
  ]);
});

test('a narrow terminal cuts the long texts first', () => {
  assert.deepEqual(table(29), [
    'ID  NAME          PRICE  NOTE',
    ' 7  Grüße an …     9.00  –',
    '12  漢字        1000.00  x',
    '',
  ]);
});

test('then a column leaves, and at last each row is a block with all of them', () => {
  assert.deepEqual(table(21), [
    'ID  NAME        PRICE',
    ' 7  Grüße a…     9.00',
    '12  漢字      1000.00',
    '',
  ]);
  assert.deepEqual(table(20), [
    'ID     7',
    'NAME   Grüße an alle Kunden',
    'PRICE  9.00',
    'NOTE   –',
    '',
    'ID     12',
    'NAME   漢字',
    'PRICE  1000.00',
    'NOTE   x',
    '',
  ]);
});

test('no control character reaches the terminal', () => {
  const evil = { id: 1, name: '\u001b[2Jgone\n\u009b31m', price: '1.00', note: '\r' };
  assert.match(table(200, [evil]).join('|'), /^[^\p{Cc}]*$/u);
  assert.doesNotMatch(textRecord([['name', evil.name]]).trimEnd(), /\p{Cc}/u);
});
