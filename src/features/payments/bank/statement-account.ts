// Whether a statement is of the account that top-ups are paid to.

import type { BankStatement } from './bank-statement.ts';

/**
 * Files without IBANs name an account as their bank does, such as "20041010/0123456789": its numbers must be in the IBAN.
 * CSV files name none, and are taken on trust.
 */
export function isOfAccount(
  { iban, localAccount }: Pick<BankStatement, 'iban' | 'localAccount'>,
  own: string,
): boolean {
  if (iban !== null) return iban === own;
  const national = own.slice(4);
  const numbers = (localAccount ?? '').toUpperCase().match(/[0-9][0-9A-Z]*/g) ?? [];
  return numbers.every((number) => national.includes(number.replace(/^0+/, '')));
}
