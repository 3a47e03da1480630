// The worker thread that reads one bank file, started by read-bank-file.ts.

import { parentPort, workerData } from 'node:worker_threads';
import type { BankCsvProfile } from './bank-csv-reader.ts';
import { type KeyedBankLine, keyBankLines } from './bank-line-key.ts';
import { type BankFileProblem, BankFileRefused, type BankStatement } from './bank-statement.ts';
import { accountIdOfReference, findRfReferences } from './rf-reference.ts';
import { isOfAccount } from './statement-account.ts';
import { readStatementFile } from './statement-file-reader.ts';

export interface BankFile {
  readonly bytes: Uint8Array;
  /** null: the file is not CSV. */
  readonly csv: BankCsvProfile | null;
  /** The operator's account. Statements of another one are refused. */
  readonly iban: string;
}

export type ReadBankFile =
  | {
      readonly kind: 'read';
      readonly lines: readonly KeyedBankLine[];
      /** Lines that are not booked yet. */
      readonly pendingCount: number;
      /** Every account that a line could be for, by the references in it. They may not exist. */
      readonly accountIds: readonly number[];
    }
  | {
      readonly kind: 'refused';
      readonly problem: BankFileProblem;
      readonly line: number | null;
      readonly message: string;
    };

if (parentPort === null)
  throw new Error('bank-file-worker.ts runs as a worker thread of read-bank-file.ts only');
parentPort.postMessage(read(workerData as BankFile));

/** An instance of BankFileRefused would arrive without its fields. */
function read({ bytes, csv, iban }: BankFile): ReadBankFile {
  try {
    const statements = readStatementFile(bytes, csv);
    for (const statement of statements) refuseOtherAccount(statement, iban);
    const lines = keyBankLines(statements, iban);
    const pendingCount = statements.flatMap((one) => one.lines).filter(({ isBooked }) => !isBooked).length;
    return { kind: 'read', lines, pendingCount, accountIds: [...new Set(lines.flatMap(accountIdsIn))] };
  } catch (error) {
    if (!(error instanceof BankFileRefused)) throw error;
    const { problem, line, message } = error;
    return { kind: 'refused', problem, line, message };
  }
}

function refuseOtherAccount(statement: BankStatement, iban: string): void {
  if (isOfAccount(statement, iban)) return;
  throw new BankFileRefused(
    'other_account',
    null,
    `The file has a statement of ${statement.iban ?? statement.localAccount}, and top-ups are paid to ${iban}.`,
  );
}

function accountIdsIn({ line: { text, reference, endToEndId } }: KeyedBankLine): number[] {
  return [text, reference ?? '', endToEndId ?? '']
    .flatMap(findRfReferences)
    .flatMap((found) => accountIdOfReference(found) ?? []);
}
