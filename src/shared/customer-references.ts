// Reads the references by which orders name customers: e-mail addresses and usernames, in lower case.

import { fieldRefusal, type Refusal } from './error-catalog.ts';
import { parseOwnedId } from './identifiers.ts';

const referenceLengthMax = 64;
const emailLengthMax = 254;

export function parseCustomerReference(value: unknown, field = 'customer'): string | Refusal {
  const invalid = (reason: string) => fieldRefusal('invalid_customer', field, reason);
  if (value === undefined) return invalid('missing');
  if (typeof value !== 'string') return invalid('must be a string');
  const text = value.trim();
  // Check before lower-casing: the Kelvin sign, for example, would become an ASCII k.
  if (!/^[\x21-\x7e]*$/.test(text)) return invalid('must be ASCII without spaces');
  const reference = text.toLowerCase();
  if (reference.includes('@')) {
    return reference.length <= emailLengthMax && isEmail(reference)
      ? reference
      : invalid('not an e-mail address');
  }
  if (reference.length < 1 || reference.length > referenceLengthMax || !/^[a-z0-9._-]+$/.test(reference)) {
    return invalid('a username has 1 to 64 letters, digits, dots, underscores or hyphens');
  }
  return reference;
}

const erasedPrefix = 'erased-';

/** The refusal of a reference that a customer, of whichever account, gets when erased; null for any other. */
export function refusedAsReserved(reference: string, field = 'customer'): Refusal | null {
  const isReserved =
    reference.startsWith(erasedPrefix) && parseOwnedId(reference.slice(erasedPrefix.length)) !== null;
  return isReserved ? fieldRefusal('invalid_customer', field, 'is reserved for erased customers') : null;
}

/** Accepts local@domain without quoted parts, bare host names or address literals. */
function isEmail(text: string): boolean {
  const [local = '', domain = '', ...rest] = text.split('@');
  return (
    rest.length === 0 &&
    local.length <= 64 &&
    /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(local) &&
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(domain)
  );
}
