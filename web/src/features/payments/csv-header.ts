// Reads the column names of a bank's CSV file, to offer them. The service reads the file itself.

import { t } from '@lingui/core/macro';
import type { CsvColumns } from '../../api/payment-commands.ts';

export interface CsvHeader {
  readonly names: readonly string[];
  /** The lines after the header, each as long as the header at most. */
  readonly rows: readonly (readonly string[])[];
}

const looked = 64 * 1_024;
const headerLinesMax = 30;
const rowsShown = 3;
const delimiters = [';', ',', '\t', '|'];

/** @returns null if the file is not CSV */
export async function readCsvHeader(file: File): Promise<CsvHeader | null> {
  const bytes = await file.slice(0, looked).arrayBuffer();
  const text = new TextDecoder().decode(bytes);
  if (/^\s*(<|\{1:|:20:)/.test(text)) return null;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const widest = delimiters
    .flatMap((delimiter) =>
      lines.slice(0, headerLinesMax).map((line, at) => ({ at, delimiter, cells: cellsOf(line, delimiter) })),
    )
    .reduce<{ at: number; delimiter: string; cells: string[] } | null>(
      (best, each) => (best === null || each.cells.length > best.cells.length ? each : best),
      null,
    );
  if (widest === null || widest.cells.length < 2) return null;
  const { at, delimiter, cells } = widest;
  // Columns without a name, or with one that stands before, cannot be chosen.
  const shown = cells.flatMap((name, place) => (name !== '' && cells.indexOf(name) === place ? [place] : []));
  const rowOf = (all: readonly string[]) => shown.map((place) => all[place] ?? '');
  return {
    names: rowOf(cells),
    rows: lines.slice(at + 1, at + 1 + rowsShown).map((line) => rowOf(cellsOf(line, delimiter))),
  };
}

function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const sign of line.replace(/^\uFEFF/, '')) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === delimiter && !isQuoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += sign;
  }
  return [...cells, cell.trim()];
}

type ColumnName = keyof CsvColumns;

export const csvColumns: readonly {
  readonly name: ColumnName;
  readonly title: string;
  readonly looksLike: RegExp;
}[] = [
  { name: 'date', title: t`Day`, looksLike: /buchung.*(tag|datum)|^(booking |value )?date|^day|datum|date/i },
  { name: 'amount', title: t`Amount`, looksLike: /betrag|amount|umsatz/i },
  { name: 'text', title: t`Text`, looksLike: /zweck|purpose|details|description|^text|memo/i },
  { name: 'reference', title: t`Payment reference`, looksLike: /referen/i },
  {
    name: 'payer',
    title: t`Payer`,
    looksLike: /name|payer|zahlungspflicht|auftraggeber|beguenstigter|begünstigter/i,
  },
  { name: 'iban', title: t`Payer’s account`, looksLike: /iban|kontonummer|account/i },
  { name: 'currency', title: t`Currency`, looksLike: /währung|waehrung|currency/i },
  { name: 'direction', title: t`Credit or debit`, looksLike: /soll|haben|direction|credit.?debit|s\/h/i },
  { name: 'id', title: t`Bank’s own ID`, looksLike: /transaction.?id|buchungs.?id|^id$/i },
];

/** Each column of the file is taken once. */
export function guessColumns(names: readonly string[]): Readonly<Partial<Record<ColumnName, string>>> {
  const taken = new Set<string>();
  return Object.fromEntries(
    csvColumns.flatMap(({ name, looksLike }) => {
      const found = names.find((each) => !taken.has(each) && looksLike.test(each));
      if (found === undefined) return [];
      taken.add(found);
      return [[name, found]];
    }),
  );
}
