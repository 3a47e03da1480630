// Writes a statement as PDF and streams it while its entries are read, so that memory does not depend on their number.
// Invariant: a finished month always gives the same bytes for the same letterhead and language, so nothing here may depend
// on time or chance.

import { setImmediate as turn } from 'node:timers/promises';
import type { TextKey } from '../../platform/text/english-texts.ts';
import type { Translator } from '../../platform/text/translator.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { type Letterhead, openLetterDocument, paper } from '../brand/letterhead-pdf.ts';
import type { FoundEntry } from './find-entries.ts';
import type { MonthlyStatement } from './monthly-statements.ts';

export interface StatementHead {
  readonly statement: MonthlyStatement;
  readonly letterhead: Letterhead;
  readonly translator: Translator;
  readonly accountName: string;
  readonly username: string;
  readonly currency: string;
  /** Printed if the month is not over. */
  readonly now: EpochSeconds;
}

const rowHeight = 14;
/** After this many rows, other work gets a turn. */
const rowsAtOnce = 25;

const columns = [
  { title: 'column_time', left: paper.left, width: 92, align: 'left' },
  { title: 'column_kind', left: 144, width: 54, align: 'left' },
  { title: 'column_memo', left: 200, width: 130, align: 'left' },
  { title: 'column_order', left: 332, width: 75, align: 'left' },
  { title: 'column_amount', left: 408, width: 66, align: 'right' },
  { title: 'column_balance', left: 476, width: 69, align: 'right' },
] as const satisfies readonly { title: TextKey; left: number; width: number; align: 'left' | 'right' }[];

export async function* statementPdf(
  { statement, letterhead, translator, accountName, username, currency, now }: StatementHead,
  pages: AsyncIterable<readonly FoundEntry[]>,
): AsyncGenerator<Buffer> {
  const { t } = translator;
  const { month, isFinal } = statement;
  const title = t('statement_short', { month, account: username });
  const createdAt = isFinal ? endOf(month) : now;
  const document = await openLetterDocument({ ...letterhead, translator, title, createdAt });
  const width = paper.right - paper.left;
  const titles = () => {
    for (const { title: name, left, width: wide, align } of columns)
      document.put(t(name), left, wide, { align, isBold: true });
    document.y += rowHeight - 2;
    document.rule();
    document.y += 4;
  };

  document.beginPage();
  document.putLetterhead();
  document.put(t('statement_title', { month: translator.month(month) }), paper.left, width, {
    size: 16,
    isBold: true,
  });
  document.y += 24;
  const whose = accountName === username ? username : `${accountName} (${username})`;
  document.put(whose, paper.left, width, { size: 10 });
  document.y += 14;
  document.put(t('amounts_in', { currency }), paper.left, width, { size: 9 });
  if (!isFinal) {
    document.y += 16;
    document.put(t('not_final', { time: translator.moment(now) }), paper.left, width, {
      size: 10,
      isBold: true,
    });
  }
  document.y += 24;
  for (const [label, cents, isBold] of [
    ['opening', statement.openingCents, true],
    ['credits', statement.creditedCents, false],
    ['debits', -statement.debitedCents, false],
    ['charges', -statement.chargedCents, false],
    ['refunds', statement.refundedCents, false],
    ['closing', statement.closingCents, true],
  ] as const) {
    document.put(t(label), paper.left, 150, { size: 9.5, isBold });
    const amount = translator.amount(formatAmount(cents));
    document.put(amount, paper.left + 150, 90, { align: 'right', size: 9.5, isBold });
    document.y += 15;
  }
  document.y += 14;
  document.put(t('entries', { count: translator.count(statement.entryCount) }), paper.left, width, {
    size: 9.5,
  });
  document.y += 20;
  if (statement.entryCount > 0) titles();

  let rows = 0;
  for await (const entries of pages) {
    for (const found of entries) {
      if (document.y > paper.bottom) {
        document.beginPage();
        titles();
      }
      const cells = cellsOf(found, translator);
      for (const [index, { left, width: wide, align }] of columns.entries())
        document.put(cells[index] ?? '', left, wide, { align });
      document.y += rowHeight;
      rows += 1;
      if (rows % rowsAtOnce === 0) await turn();
    }
    // Send what is written before reading more, so that slow clients do not fill the memory.
    yield* document.written();
  }
  yield* document.end();
}

function cellsOf({ entry, customerReference }: FoundEntry, { t, amount }: Translator): string[] {
  const { accountId, orderNumber } = entry;
  return [
    formatTime(entry.createdAt).replace('T', ' ').replace('Z', ''),
    t(`kind_${entry.kind}`),
    customerReference ?? entry.memo ?? '',
    orderNumber === null ? '' : String(publicId(accountId, orderNumber)),
    amount(formatAmount(entry.amountCents)),
    amount(formatAmount(entry.balanceAfterCents)),
  ];
}

function endOf(month: string): EpochSeconds {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1) / 1000;
}
