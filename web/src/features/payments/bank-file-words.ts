// Why a bank's file was refused. Loaded with the first refusal.

import { t } from '@lingui/core/macro';
import type { ApiError } from '../../api/client.ts';

const words: Readonly<Record<string, string>> = {
  too_large: t`The file is larger than 10 MB.`,
  too_many_lines: t`The file has too many lines. Split it by day.`,
  unknown_format: t`This is no camt.053, camt.054, MT940 or CSV file.`,
  unsupported_message: t`The file has no camt.053 or camt.054 message.`,
  bad_encoding: t`The characters of the file can’t be read.`,
  unsafe_xml: t`The file has XML that a bank statement doesn’t need, and that is not read for safety.`,
  malformed: t`The file is damaged.`,
  truncated: t`The end of the file is missing. Download it again.`,
  missing_field: t`A required field is missing.`,
  missing_column: t`The file has no such column.`,
  bad_amount: t`An amount can’t be read.`,
  ambiguous_amount: t`It isn’t clear whether amounts have a decimal comma or point.`,
  bad_date: t`A date can’t be read.`,
  ambiguous_date: t`It isn’t clear whether the day or the month comes first.`,
  balance_differs: t`The lines don’t add up to the balance in the file.`,
  other_account: t`The statement is of another bank account than the one in the settings.`,
};

export function bankFileWords(error: ApiError): string {
  const { line } = error.details;
  const sentence = words[error.detail('problem')] ?? error.detail('reason');
  return line === undefined ? sentence : t`Line ${String(line)}: ${sentence}`;
}
