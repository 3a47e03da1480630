// Makes an idempotency key for an order that came without one. Keys begin with the time, so that new ones are adjacent in
// the index, on a page that is in memory (docs/decisions/0046-age-and-speed.md).

import { randomBase62 } from '../../platform/secrets/random-text.ts';

const timeDigits = 8;
const randomDigits = 16;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** "auto_", the time, and 95 random bits. Keys sort by time. */
export function mintOrderKey(milliseconds: number = Date.now()): string {
  let time = '';
  for (let rest = milliseconds; time.length < timeDigits; rest = Math.floor(rest / digits.length)) {
    time = digits.charAt(rest % digits.length) + time;
  }
  return `auto_${time}${randomBase62(randomDigits)}`;
}
