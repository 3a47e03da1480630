// Mints an idempotency key for an order without one. It begins with the time, so that new keys are adjacent in the index,
// on a page in memory (docs/decisions/0046-age-and-speed.md).

import { randomBase62 } from '../../platform/secrets/random-text.ts';

const timeDigits = 8;
const randomDigits = 16;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** "auto_", the time, and 95 random bits; sorts by time. */
export function mintOrderKey(milliseconds: number = Date.now()): string {
  let time = '';
  for (let rest = milliseconds; time.length < timeDigits; rest = Math.floor(rest / digits.length)) {
    time = digits.charAt(rest % digits.length) + time;
  }
  return `auto_${time}${randomBase62(randomDigits)}`;
}
