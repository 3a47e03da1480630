// A statement as PDF, written while its entries are read: a month of a hundred thousand entries takes no more memory than
// one of a few. Called by the routes of statements. Always true: a finished month has the same bytes whenever and wherever
// it is asked for, as long as the issuer is the same; so nothing here depends on the time or on chance.
// The fonts that every reader has know Western letters alone: texts with others are set in DejaVu, which is embedded.

import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { formatAmount } from '../../contract/amounts.ts';
import { publicId } from '../../contract/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../contract/times.ts';
import type { FoundEntry } from '../../ledger/ledger-search.ts';
import type { Statement } from '../../ledger/statements.ts';

export interface StatementHead {
  readonly statement: Statement;
  /** Name and address, line by line; empty: nobody is named. */
  readonly issuer: readonly string[];
  readonly accountName: string;
  readonly username: string;
  readonly currency: string;
  /** When it was asked for: shown, and in the file, where the month is not over. */
  readonly now: EpochSeconds;
}

// Points of an A4 page.
const page = { width: 595, left: 50, right: 545, top: 50, bottom: 780 };
const rowHeight = 14;
/** Other work has its turn after so many: setting a row takes a fraction of a millisecond. */
const rowsAtOnce = 25;

const columns = [
  { title: 'Time (UTC)', left: page.left, width: 92, align: 'left' },
  { title: 'Kind', left: 144, width: 42, align: 'left' },
  { title: 'Customer or memo', left: 188, width: 142, align: 'left' },
  { title: 'Order', left: 332, width: 75, align: 'left' },
  { title: 'Amount', left: 408, width: 66, align: 'right' },
  { title: 'Balance', left: 476, width: 69, align: 'right' },
] as const;

const wideFont = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));

export async function* statementPdf(
  { statement, issuer, accountName, username, currency, now }: StatementHead,
  pages: AsyncIterable<readonly FoundEntry[]>,
): AsyncGenerator<Buffer> {
  // Only when the first one is asked for: it takes longer to load than all the rest of the program.
  const { default: PdfDocument } = await import('pdfkit');
  const { month, isFinal } = statement;
  const document = new PdfDocument({
    autoFirstPage: false,
    size: 'A4',
    margin: 0,
    lang: 'en',
    info: {
      Title: `Statement ${month}, ${username}`,
      Author: issuer[0] ?? '',
      CreationDate: new Date(isFinal ? endOf(month) : now * 1000),
    },
  });
  document.registerFont('wide', wideFont);
  let y = 0;
  let pageNumber = 0;

  const put = (
    text: string,
    x: number,
    width: number,
    align: 'left' | 'right',
    size = 8.5,
    isBold = false,
  ) => {
    const isWestern = /^[\x20-\x7e\xa0-\xff]*$/.test(text);
    document.font(isWestern ? (isBold ? 'Helvetica-Bold' : 'Helvetica') : 'wide').fontSize(size);
    let shown = text;
    if (document.widthOfString(shown) > width) {
      const letters = [...text];
      while (letters.length > 1 && document.widthOfString(`${letters.join('')}...`) > width) letters.pop();
      shown = `${letters.join('')}...`;
    }
    const start = align === 'left' ? x : x + width - document.widthOfString(shown);
    document.text(shown, start, y, { lineBreak: false });
  };
  const line = () => {
    document.moveTo(page.left, y).lineTo(page.right, y).lineWidth(0.5).strokeColor('#999999').stroke();
    document.fillColor('#000000');
  };
  const beginPage = () => {
    document.addPage();
    pageNumber += 1;
    y = 805;
    put(`Statement ${month}, ${username}`, page.left, 300, 'left', 7.5);
    put(`Page ${pageNumber}`, page.right - 100, 100, 'right', 7.5);
    y = page.top;
  };
  const titles = () => {
    for (const { title, left, width, align } of columns) put(title, left, width, align, 8.5, true);
    y += rowHeight - 2;
    line();
    y += 4;
  };

  beginPage();
  for (const [index, text] of issuer.entries()) {
    put(text, page.left, 300, 'left', index === 0 ? 11 : 9, index === 0);
    y += index === 0 ? 15 : 12;
  }
  y = Math.max(y, page.top + 15) + 25;
  put(`Statement of account, ${month}`, page.left, 495, 'left', 16, true);
  y += 24;
  put(accountName === username ? username : `${accountName} (${username})`, page.left, 495, 'left', 10);
  y += 14;
  put(`Amounts in ${currency}. Times in UTC.`, page.left, 495, 'left', 9);
  if (!isFinal) {
    y += 16;
    put(`Not final: the month is not over. As of ${formatTime(now)}.`, page.left, 495, 'left', 10, true);
  }
  y += 24;
  for (const [label, cents, isBold] of [
    ['Opening balance', statement.openingCents, true],
    ['Credits', statement.creditedCents, false],
    ['Debits', -statement.debitedCents, false],
    ['Charges', -statement.chargedCents, false],
    ['Refunds', statement.refundedCents, false],
    ['Closing balance', statement.closingCents, true],
  ] as const) {
    put(label, page.left, 150, 'left', 9.5, isBold);
    put(formatAmount(cents), page.left + 150, 90, 'right', 9.5, isBold);
    y += 15;
  }
  y += 14;
  put(`Entries: ${statement.entryCount}`, page.left, 495, 'left', 9.5);
  y += 20;
  if (statement.entryCount > 0) titles();

  let rows = 0;
  for await (const entries of pages) {
    for (const found of entries) {
      if (y > page.bottom) {
        beginPage();
        titles();
      }
      const cells = cellsOf(found);
      for (const [index, { left, width, align }] of columns.entries())
        put(cells[index] ?? '', left, width, align);
      y += rowHeight;
      rows += 1;
      if (rows % rowsAtOnce === 0) await turn();
    }
    // What is written is handed on before more is read: whoever reads slowly fills no memory.
    for (let chunk = document.read(); chunk !== null; chunk = document.read()) yield Buffer.from(chunk);
  }
  document.end();
  for await (const chunk of document) yield Buffer.from(chunk);
}

function cellsOf({ entry, customerReference }: FoundEntry): string[] {
  const { accountId, orderNumber } = entry;
  return [
    formatTime(entry.createdAt).replace('T', ' ').replace('Z', ''),
    entry.kind,
    customerReference ?? entry.memo ?? '',
    orderNumber === null ? '' : String(publicId(accountId, orderNumber)),
    formatAmount(entry.amountCents),
    formatAmount(entry.balanceAfterCents),
  ];
}

/** The first moment after a month. */
function endOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}
