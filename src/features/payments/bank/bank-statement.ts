// What the readers of bank files return: the statements of bank accounts with their lines, in one shape for all formats.

/** In one file. */
const bankLinesMax = 100_000;

export interface BankStatement {
  /** The bank's name for this statement; null: it has none. */
  readonly id: string | null;
  /** The account that the statement belongs to; null where the file does not name it as an IBAN. */
  readonly iban: string | null;
  /** The account in the bank's own notation, for example "20041010/0123456789", where it is not an IBAN. */
  readonly localAccount: string | null;
  readonly currency: string | null;
  readonly lines: readonly BankLine[];
}

export interface BankLine {
  /** The line of the file where it begins, for people. */
  readonly place: number;
  /** For example "2026-11-26". */
  readonly bookedOn: string;
  /** Negative: a debit. */
  readonly amountCents: bigint;
  readonly currency: string;
  /** The other side: who paid, or of a debit who was paid. */
  readonly payerName: string | null;
  readonly payerIban: string | null;
  /** The remittance text. Its line ends are the bank's and can fall within a word. */
  readonly text: string;
  /** The structured reference; of a return that of the original transfer. Several are separated by line ends. */
  readonly reference: string | null;
  /** The payer's own id; of a return that of the original transfer. */
  readonly endToEndId: string | null;
  /** The bank's own id of the booking. It may repeat; bank-line-key.ts decides what it identifies. */
  readonly bankId: string | null;
  /** The bank marked it as the return or reversal of an earlier booking. */
  readonly isReturn: boolean;
  /** False: pending or only announced. Such a line can still change or vanish. */
  readonly isBooked: boolean;
  /** One booking of several transactions that the file does not list with their amounts. */
  readonly isUnsplitBatch: boolean;
  /** The booking that this line is a part of; null: the line is a booking of its own. */
  readonly partOf: BatchBooking | null;
}

export interface BatchBooking {
  readonly bankId: string | null;
  readonly amountCents: bigint;
}

export type BankFileProblem =
  | 'too_large'
  | 'too_many_lines'
  | 'unknown_format'
  | 'unsupported_message'
  | 'bad_encoding'
  | 'unsafe_xml'
  | 'malformed'
  | 'truncated'
  | 'missing_field'
  | 'missing_column'
  | 'bad_amount'
  | 'ambiguous_amount'
  | 'bad_date'
  | 'ambiguous_date'
  | 'balance_differs'
  | 'other_account';

/** The whole file is refused. The message is a sentence for the operator and names the line if there is one. */
export class BankFileRefused extends Error {
  readonly problem: BankFileProblem;
  readonly line: number | null;

  constructor(problem: BankFileProblem, line: number | null, sentence: string) {
    super(line === null ? sentence : `Line ${line}: ${sentence}`);
    this.name = 'BankFileRefused';
    this.problem = problem;
    this.line = line;
  }
}

// Banks fill mandatory fields with these where they have nothing to say.
const placeholder =
  /^(?:NON ?REF|NO ?REF(?:ERENCE)?|NOT ?PROVIDED|NOT ?AVAILABLE|UNKNOWN|NONE|N\/A|[0\W_]*)$/i;

/** null for an empty field or one that only says that there is nothing. */
export function meaningfulId(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return placeholder.test(trimmed) ? null : trimmed;
}

export function limitBankLines(count: number): void {
  if (count > bankLinesMax)
    throw new BankFileRefused(
      'too_many_lines',
      null,
      `The file has more than ${bankLinesMax} lines. Export a shorter period.`,
    );
}
