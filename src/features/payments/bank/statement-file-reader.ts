// Reads a bank file of any format that is taken: camt.053, camt.054, MT940, or CSV where its columns are named.

import { bankFileBytesMax } from '../../../shared/bank-files.ts';
import { type BankCsvProfile, readBankCsv } from './bank-csv-reader.ts';
import { BankFileRefused, type BankStatement } from './bank-statement.ts';
import { readCamt } from './camt-reader.ts';
import { readMt940 } from './mt940-reader.ts';

/** @throws BankFileRefused */
export function readStatementFile(bytes: Uint8Array, csv: BankCsvProfile | null): BankStatement[] {
  if (bytes.length > bankFileBytesMax)
    throw new BankFileRefused(
      'too_large',
      null,
      `The file is larger than ${bankFileBytesMax / 2 ** 20} MiB. Export a shorter period.`,
    );
  if (csv !== null) return readBankCsv(bytes, csv);
  // Enough to see a tag behind a byte order mark, in any encoding.
  const head = Buffer.from(bytes.subarray(0, 4_096)).toString('latin1').replaceAll('\0', '');
  if (/^[^\w:{]*</.test(head)) return readCamt(bytes);
  if (/(?:^|[\r\n@}{:])\s*:?20:|^\s*\{1:/.test(head)) return readMt940(bytes);
  throw new BankFileRefused(
    'unknown_format',
    null,
    'The file is neither camt.053, camt.054 nor MT940. For CSV, name its columns.',
  );
}
