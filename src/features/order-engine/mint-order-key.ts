// The idempotency key of an order for which nobody sent one. It begins with the time, so that new keys stand beside one another in
// the index of all keys, on a page that is in memory, however many millions there are: docs/decisions/0046-age-and-speed.md.

import { randomBase62 } from '../../platform/secrets/random-text.ts';

/** Enough for the milliseconds of some thousand years. */
const timeDigits = 8;
const randomDigits = 16;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** "auto_", the time, and 95 random bits: nobody else's, and later ones sort behind earlier ones. */
export function mintOrderKey(milliseconds: number = Date.now()): string {
  let time = '';
  for (let rest = milliseconds; time.length < timeDigits; rest = Math.floor(rest / digits.length)) {
    time = digits.charAt(rest % digits.length) + time;
  }
  return `auto_${time}${randomBase62(randomDigits)}`;
}
