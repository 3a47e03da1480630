// Accepts ASCII addresses that every mail server accepts. They cannot break out of a mail header or SMTP command.

import { fieldRefusal, type Refusal } from './error-catalog.ts';

export const mailAddressLengthMax = 254;

/** Domains beyond ASCII must be written as xn--…. */
const whole =
  /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$/;
const localLengthMax = 64;
const labelLengthMax = 63;

export function isMailAddress(text: string): boolean {
  if (text.length > mailAddressLengthMax || !whole.test(text)) return false;
  const [local = '', domain = ''] = text.split('@');
  return local.length <= localLengthMax && domain.split('.').every(({ length }) => length <= labelLengthMax);
}

/** One spelling per mailbox, for counting and deduplication. */
export function plainMailAddress(address: string): string {
  return address.toLowerCase();
}

/** null: valid. "" means no address. */
export function emailRefusal(email: string | undefined): Refusal | null {
  if (email === undefined || email === '' || isMailAddress(email)) return null;
  return fieldRefusal('validation_failed', 'email', 'must be an e-mail address such as anna@example.com');
}
