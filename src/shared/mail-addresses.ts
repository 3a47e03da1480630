// Which e-mail addresses are taken: those that every mail server takes, in ASCII. None of them can hold what ends a line
// or an address: a header or a command of SMTP that it is written into stays one.

import { fieldRefusal, type Refusal } from './error-catalogue.ts';

export const mailAddressLengthMax = 254;

/** A domain beyond ASCII is written as xn--…. */
const whole =
  /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$/;
const localLengthMax = 64;
const labelLengthMax = 63;

export function isMailAddress(text: string): boolean {
  if (text.length > mailAddressLengthMax || !whole.test(text)) return false;
  const [local = '', domain = ''] = text.split('@');
  return local.length <= localLengthMax && domain.split('.').every(({ length }) => length <= labelLengthMax);
}

/** One spelling for each mailbox: where mail is counted, kept from being doubled, or not wanted. */
export function plainMailAddress(address: string): string {
  return address.toLowerCase();
}

/** The refusal of the field `email`; null: it may be taken. An empty text stands for none. */
export function emailRefusal(email: string | undefined): Refusal | null {
  if (email === undefined || email === '' || isMailAddress(email)) return null;
  return fieldRefusal('validation_failed', 'email', 'must be an e-mail address such as anna@example.com');
}
