// Reads bank statements (camt.053) and notifications of single bookings (camt.054) of ISO 20022.
// Invariant: a booking of several transactions is split only if their amounts are all there and add up to it. Otherwise
// one payer could be credited with the money of all.

import { parseIban } from './bank-account-numbers.ts';
import { parseBankAmount, parseIsoDay } from './bank-amounts-and-dates.ts';
import { decodeXml } from './bank-file-text.ts';
import {
  BankFileRefused,
  type BankLine,
  type BankStatement,
  limitBankLines,
  meaningfulId,
} from './bank-statement.ts';
import { type CamtElement, type CamtKind, readCamtEntries } from './camt-entries.ts';
import { isGermanReturn, isReturnSubFamily, isSwiftReturn } from './return-codes.ts';

/** What both an entry and each of its transactions say. */
type Particulars = Pick<
  BankLine,
  'place' | 'payerName' | 'payerIban' | 'text' | 'reference' | 'endToEndId' | 'bankId' | 'isReturn'
>;

interface Transaction extends Particulars {
  /** Without a sign; null: not given. */
  readonly amount: Money | null;
  readonly isDebit: boolean | null;
}

type Account = Pick<BankStatement, 'iban' | 'localAccount' | 'currency'>;

interface Money {
  readonly cents: bigint;
  readonly currency: string;
}

/** @throws BankFileRefused */
export function readCamt(bytes: Uint8Array): BankStatement[] {
  const statements: BankStatement[] = [];
  let lines: BankLine[] = [];
  let transactions: CamtElement[] = [];
  let account: Account | null = null;
  let count = 0;
  readCamtEntries(decodeXml(bytes), (kind) => ({
    detail: (element) => {
      transactions.push(element);
    },
    entry: (element, statement) => {
      account ??= accountOf(statement);
      for (const line of linesOf(kind, element, transactions, account.iban)) lines.push(line);
      transactions = [];
      limitBankLines(count + lines.length);
    },
    statement: (element) => {
      statements.push({ id: textAt(element, 'Id'), ...accountOf(element), lines });
      count += lines.length;
      lines = [];
      account = null;
    },
  }));
  return statements;
}

function accountOf(statement: CamtElement): Account {
  const account = childOf(statement, 'Acct');
  const id = childOf(account, 'Id');
  const iban = parseIban(textAt(id, 'IBAN') ?? '');
  return {
    iban,
    localAccount:
      iban === null
        ? (textAt(id, 'IBAN') ?? textAt(id, 'Othr', 'Id') ?? textAt(id, 'PrtryAcct', 'Id'))
        : null,
    currency: textAt(account, 'Ccy'),
  };
}

function linesOf(
  kind: CamtKind,
  entry: CamtElement,
  elements: readonly CamtElement[],
  ownIban: string | null,
): BankLine[] {
  const amount = entryAmount(entry);
  const isDebit = directionOf(entry);
  if (isDebit === null)
    throw new BankFileRefused(
      'missing_field',
      entry.line,
      'the entry does not say whether it is a credit or a debit.',
    );
  const amountCents = signed(amount.cents, isDebit);
  const day = bookingDay(kind, entry);
  const transactions = elements.map((element) => transactionOf(element, isDebit, ownIban));
  const isReversal =
    /^(?:true|1)$/.test(textAt(entry, 'RvslInd') ?? '') || isReturnCode(childOf(entry, 'BkTxCd'));
  const bankId = meaningfulId(textAt(entry, 'AcctSvcrRef'));
  const shared = { ...day, currency: amount.currency };

  if (canBeSplit(amountCents, amount.currency, isDebit, entry, transactions))
    return transactions.map(({ amount: part, isDebit: isPartDebit, ...particulars }) => ({
      ...particulars,
      ...shared,
      amountCents: signed(part?.cents ?? 0n, isPartDebit ?? isDebit),
      bankId: particulars.bankId ?? bankId,
      isReturn: particulars.isReturn || isReversal,
      isUnsplitBatch: false,
      partOf: { bankId, amountCents },
    }));

  const [only] = transactions;
  const isSingle = transactions.length <= 1 && announcedCount(entry) <= 1 && !isPartial(only, amount);
  const {
    amount: _amount,
    isDebit: _isDebit,
    ...particulars
  } = isSingle
    ? (only ?? emptyTransaction(entry.line))
    : {
        ...emptyTransaction(entry.line),
        text: transactions
          .map(({ text }) => text)
          .join('\n')
          .trim(),
      };
  return [
    {
      ...particulars,
      ...shared,
      place: entry.line,
      amountCents,
      text: particulars.text || (textAt(entry, 'AddtlNtryInf') ?? ''),
      // The entry's own id comes first: it is the one that camt.053 and camt.054 share. `NtryRef` is no id: some banks
      // number the entries of every file from 1.
      bankId: bankId ?? particulars.bankId,
      isReturn: particulars.isReturn || isReversal,
      isUnsplitBatch: !isSingle,
      partOf: null,
    },
  ];
}

function canBeSplit(
  amountCents: bigint,
  currency: string,
  isDebit: boolean,
  entry: CamtElement,
  transactions: readonly Transaction[],
): boolean {
  if (transactions.length < 2 || announcedCount(entry) > transactions.length) return false;
  let sum = 0n;
  for (const { amount, isDebit: isPartDebit } of transactions) {
    if (amount === null || amount.currency !== currency) return false;
    sum += signed(amount.cents, isPartDebit ?? isDebit);
  }
  return sum === amountCents;
}

/** A bank that lists only the first transaction of a batch: it has less than the whole amount. */
function isPartial(transaction: Transaction | undefined, whole: Money): boolean {
  const part = transaction?.amount ?? null;
  return part !== null && part.currency === whole.currency && part.cents < whole.cents;
}

function announcedCount(entry: CamtElement): number {
  return entry.children
    .filter(({ name }) => name === 'NtryDtls')
    .reduce((sum, details) => sum + Number(textAt(details, 'Btch', 'NbOfTxs') ?? 0), 0);
}

function bookingDay(kind: CamtKind, entry: CamtElement): Pick<BankLine, 'bookedOn' | 'isBooked'> {
  const status = textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts');
  const booked = childOf(entry, 'BookgDt');
  const date = booked ?? childOf(entry, 'ValDt');
  const text = textAt(date, 'Dt') ?? textAt(date, 'DtTm');
  if (text === null) throw new BankFileRefused('missing_field', entry.line, 'the entry has no date.');
  const bookedOn = parseIsoDay(text);
  if (bookedOn === null)
    throw new BankFileRefused('bad_date', date?.line ?? entry.line, `${JSON.stringify(text)} is not a date.`);
  // A statement lists only bookings unless it says otherwise. A notification without a booking date announces one, and its
  // value date would make the booking seem another one later.
  const isBooked =
    kind === 'statement' ? status === null || status === 'BOOK' : status === 'BOOK' && booked !== undefined;
  return { bookedOn, isBooked };
}

function emptyTransaction(place: number): Transaction {
  return {
    place,
    payerName: null,
    payerIban: null,
    text: '',
    reference: null,
    endToEndId: null,
    bankId: null,
    isReturn: false,
    amount: null,
    isDebit: null,
  };
}

function transactionOf(element: CamtElement, isEntryDebit: boolean, ownIban: string | null): Transaction {
  const references = childOf(element, 'Refs');
  const remittance = childOf(element, 'RmtInf');
  const isDebit = directionOf(element);
  return {
    place: element.line,
    ...otherSide(childOf(element, 'RltdPties'), isDebit ?? isEntryDebit, ownIban),
    text: remittanceText(remittance) || (textAt(element, 'AddtlTxInf') ?? ''),
    reference: structuredReferences(remittance),
    endToEndId: meaningfulId(textAt(references, 'EndToEndId')),
    bankId: meaningfulId(textAt(references, 'AcctSvcrRef')),
    isReturn: childOf(element, 'RtrInf') !== undefined || isReturnCode(childOf(element, 'BkTxCd')),
    amount: moneyOf(childOf(element, 'Amt') ?? childOf(childOf(childOf(element, 'AmtDtls'), 'TxAmt'), 'Amt')),
    isDebit,
  };
}

/** The returns of some banks keep the original's debtor and creditor, so the other side is the one with another account. */
function otherSide(
  parties: CamtElement | undefined,
  isDebit: boolean,
  ownIban: string | null,
): Pick<BankLine, 'payerName' | 'payerIban'> {
  const sides = isDebit ? (['Cdtr', 'Dbtr'] as const) : (['Dbtr'] as const);
  for (const side of sides) {
    const payerIban = textAt(parties, `${side}Acct`, 'Id', 'IBAN');
    const party = childOf(parties, side);
    const ultimate = childOf(parties, `Ultmt${side}`);
    const payerName =
      textAt(party, 'Nm') ??
      textAt(party, 'Pty', 'Nm') ??
      textAt(ultimate, 'Nm') ??
      textAt(ultimate, 'Pty', 'Nm');
    if ((payerName !== null || payerIban !== null) && (payerIban === null || payerIban !== ownIban))
      return { payerName, payerIban };
  }
  return { payerName: null, payerIban: null };
}

function remittanceText(remittance: CamtElement | undefined): string {
  const parts = (remittance?.children ?? []).flatMap((child) => {
    if (child.name === 'Ustrd') return [child.text];
    if (child.name !== 'Strd') return [];
    return [
      ...child.children.filter(({ name }) => name === 'AddtlRmtInf').map(({ text }) => text),
      ...child.children.filter(({ name }) => name === 'RfrdDocInf').map((info) => textAt(info, 'Nb') ?? ''),
    ];
  });
  return parts.join('\n').trim();
}

function structuredReferences(remittance: CamtElement | undefined): string | null {
  const references = (remittance?.children ?? [])
    .filter(({ name }) => name === 'Strd')
    .map((structured) => childOf(structured, 'CdtrRefInf'))
    .map((info) => textAt(info, 'Ref') ?? textAt(info, 'CdtrRef'))
    .filter((reference) => reference !== null);
  return references.length > 0 ? references.join('\n') : null;
}

function isReturnCode(code: CamtElement | undefined): boolean {
  if (isReturnSubFamily(textAt(code, 'Domn', 'Fmly', 'SubFmlyCd') ?? '')) return true;
  // Germany's own, for example `NTRF+166+00931` or `166`.
  const [type = '', ...others] = (textAt(code, 'Prtry', 'Cd') ?? '').split('+');
  if (isSwiftReturn(type)) return true;
  const isGerman = /^(?:DK|ZKA)$/.test(textAt(code, 'Prtry', 'Issr') ?? '');
  return isGerman && isGermanReturn(/^\d/.test(type) ? type : (others[0] ?? ''));
}

/** true: debit. */
function directionOf(element: CamtElement): boolean | null {
  const text = textAt(element, 'CdtDbtInd');
  if (text === 'DBIT') return true;
  return text === 'CRDT' ? false : null;
}

function entryAmount(entry: CamtElement): Money {
  const element = childOf(entry, 'Amt');
  const amount = moneyOf(element);
  if (amount !== null) return amount;
  if (element === undefined)
    throw new BankFileRefused('missing_field', entry.line, 'the entry has no amount.');
  throw new BankFileRefused(
    'bad_amount',
    element.line,
    `${JSON.stringify(element.text.trim())} is not an amount with at most two decimals and a currency.`,
  );
}

/** null: none, or in a form of another currency, such as three decimals. */
function moneyOf(amount: CamtElement | undefined): Money | null {
  if (amount === undefined || amount.currency === null || !/^[A-Z]{3}$/.test(amount.currency)) return null;
  const cents = parseBankAmount(amount.text.trim().replace(/^\+/, ''), '.');
  return cents === null ? null : { cents, currency: amount.currency };
}

function signed(cents: bigint, isDebit: boolean): bigint {
  return isDebit ? -cents : cents;
}

function childOf(element: CamtElement | undefined, name: string): CamtElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** The text of the first element on this path; null if it is not there or empty. */
function textAt(element: CamtElement | undefined, ...path: readonly string[]): string | null {
  let found = element;
  for (const name of path) found = childOf(found, name);
  const text = found?.text.trim() ?? '';
  return text === '' ? null : text;
}
