// The identity of a bank line, so that overlapping files book it once. Equal lines are counted, so two genuine ones are two.
// A file must hold whole days: without the bank's ids, a second equal line of a day that another file began looks like the
// first. Pending lines have no key, because they can still change.

import { hash } from 'node:crypto';
import type { BankLine, BankStatement } from './bank-statement.ts';

export interface KeyedBankLine {
  readonly line: BankLine;
  readonly key: string;
  /**
   * Of a part of a batch: the key that the whole booking has in a file that does not split it. If a line with this key
   * exists, or this line's key is the `wholeKey` of others, the money is already known in the other form.
   */
  readonly wholeKey: string | null;
}

/** The lines of one file. `iban`: the own account, because the ids of two banks may be the same. */
export function keyBankLines(statements: readonly BankStatement[], iban: string): KeyedBankLine[] {
  const seenStatements = new Set<string>();
  const counts = new Map<string, number>();
  return statements.flatMap(({ id, lines }) => {
    const booked = lines.filter(({ isBooked }) => isBooked);
    const contents = booked.map(contentOf);
    // The same statement twice in a file, as joined downloads have it.
    const whole = digest([id, ...contents]);
    if (id !== null && seenStatements.has(whole)) return [];
    seenStatements.add(whole);
    return booked.map((line, index) => {
      const content = contents[index] ?? '';
      const count = (counts.get(content) ?? 0) + 1;
      counts.set(content, count);
      const { partOf, bookedOn, currency } = line;
      const hasWhole = partOf !== null && partOf.bankId !== null;
      return {
        line,
        key: digest([iban, content, count]),
        wholeKey: hasWhole ? digest([iban, contentOf({ ...line, ...partOf, bookedOn, currency }), 1]) : null,
      };
    });
  });
}

/**
 * Where the bank gives an id, that with day and amount: camt.053 and camt.054 describe a booking with the same id and other
 * texts. The id alone is not enough, because banks give one to a whole batch, or the same on many days.
 */
function contentOf(line: BankLine): string {
  const { bankId, bookedOn, amountCents, currency } = line;
  const booking = [bookedOn, String(amountCents), currency];
  if (bankId !== null) return JSON.stringify(['id', ...booking, simple(bankId)]);
  const { payerName, payerIban, text, reference, endToEndId } = line;
  return JSON.stringify([
    'text',
    ...booking,
    ...[payerName, payerIban, text, reference, endToEndId].map(simple),
  ]);
}

/** Exports of one bank differ in line ends, spaces and case. */
function simple(text: string | null): string {
  return (text ?? '').normalize('NFKC').replace(/\s+/g, '').toLowerCase();
}

function digest(content: unknown): string {
  return hash('sha256', JSON.stringify(content), 'base64url').slice(0, 32);
}
