// Random texts for request ids and idempotency keys. crypto.randomUUID is missing on plain http addresses
// other than loopback, getRandomValues is everywhere.

const letters = 'abcdefghijklmnopqrstuvwxyz234567';

/** `length` letters of 5 random bits each. */
export function mintText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => letters.charAt(byte % 32)).join('');
}

/** One for each dialog that is opened: a second click sends the same key and charges nothing. */
export function mintIdempotencyKey(): string {
  return `panel_${mintText(26)}`;
}
