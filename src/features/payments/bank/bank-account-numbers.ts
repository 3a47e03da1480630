// Checks IBAN and BIC, and whether a statement belongs to an account.

import { electronicFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools';
import type { BankStatement } from './bank-statement.ts';

/** In capitals without spaces; null if the country's form or the check digits are wrong. */
export function parseIban(text: string): string | null {
  const iban = electronicFormatIBAN(text);
  return iban !== null && isValidIBAN(iban) ? iban : null;
}

export function parseBic(text: string): string | null {
  const bic = text.replace(/\s/g, '').toUpperCase();
  return isValidBIC(bic) ? bic : null;
}

/** False for CSV, which names no account. Some banks write "bank code/account number" or the number alone, both of which the IBAN contains. */
export function isStatementOf(
  { iban, localAccount }: Pick<BankStatement, 'iban' | 'localAccount'>,
  ownIban: string,
): boolean {
  if (iban !== null) return iban === ownIban;
  if (localAccount === null) return false;
  const domestic = ownIban.slice(4);
  const [, bank = '', number = ''] = /^(?:(\w+)\/)?(\w+)$/.exec(localAccount.replace(/[\s.-]/g, '')) ?? [];
  if (bank !== '' && number !== '')
    return domestic === bank + number.padStart(domestic.length - bank.length, '0');
  return number.length >= 7 && domestic.endsWith(number);
}
