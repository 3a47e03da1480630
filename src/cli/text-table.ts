// Tables for terminals. On a narrow terminal, long texts are cut with "…", then optional columns are dropped, then each row
// becomes a block of lines.
// Invariant: no control character of a row reaches the terminal.

import { commandIo } from './command-io.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null;
  readonly align?: 'right';
  readonly mayShrink?: true;
  /** The column may be dropped from a narrow table, but not from the blocks. */
  readonly mayLeave?: true;
}

const gap = '  ';
const shrunkWidthMin = 8;

export function textTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | undefined = terminalWidth(),
): string {
  for (let kept = columns; ; ) {
    const table = fittedTable(kept, rows, width);
    if (table !== null) return table;
    const leaving = kept.findLastIndex(({ mayLeave }) => mayLeave);
    if (leaving < 0) return blocks(columns, rows);
    kept = kept.toSpliced(leaving, 1);
  }
}

function fittedTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | undefined,
): string | null {
  const cells = rows.map((row) => columns.map(({ value }) => shown(value(row))));
  const natural = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...cells.map((line) => displayWidth(line[index] ?? ''))),
  );
  const widths = width === undefined ? natural : shrink(columns, natural, width);
  if (widths === null) return null;
  const line = (texts: readonly string[]) =>
    columns
      .map(({ align }, index) => fitted(texts[index] ?? '', widths[index] ?? 0, align))
      .join(gap)
      .trimEnd();
  return `${[line(columns.map(({ title }) => title)), ...cells.map(line)].join('\n')}\n`;
}

/** "2026-01-31 12:00", in UTC. */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

export function secondOf(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}

/** "2026-01-31", in UTC. */
export function dayOf(time: string): string {
  return time.slice(0, 10);
}

export function textRecord(
  fields: readonly (readonly [name: string, value: string | number | null])[],
): string {
  const nameWidth = Math.max(...fields.map(([name]) => displayWidth(name)));
  return fields.map(([name, value]) => `${fitted(name, nameWidth)}${gap}${shown(value)}\n`).join('');
}

function terminalWidth(): number | undefined {
  const columns = Number(commandIo().env['COLUMNS']);
  return commandIo().stdout.columns ?? (Number.isInteger(columns) && columns > 0 ? columns : undefined);
}

function shrink<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  width: number,
): readonly number[] | null {
  const widths = [...natural];
  let surplus = widths.reduce((sum, one) => sum + one, 0) + gap.length * (columns.length - 1) - width;
  // The widest column shrinks first, so that short texts stay whole.
  while (surplus > 0) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const mayGive = column.mayShrink && (widths[index] ?? 0) > shrunkWidthMin;
      if (mayGive && (widest < 0 || (widths[index] ?? 0) > (widths[widest] ?? 0))) widest = index;
    }
    if (widest < 0) return null;
    widths[widest] = (widths[widest] ?? 0) - 1;
    surplus -= 1;
  }
  return widths;
}

function blocks<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return rows
    .map((row) => textRecord(columns.map(({ title, value }) => [title, value(row)] as const)))
    .join('\n');
}

function fitted(text: string, width: number, align?: 'right'): string {
  const cut = displayWidth(text) > width ? `${cutTo(text, width - 1)}…` : text;
  const space = ' '.repeat(Math.max(0, width - displayWidth(cut)));
  return align === 'right' ? space + cut : cut + space;
}

function cutTo(text: string, width: number): string {
  let cut = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    cut += segment;
  }
  return cut;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

function shown(value: string | number | null): string {
  return String(value ?? '–').replaceAll(/\p{Cc}/gu, '�');
}
