// Random request ids and idempotency keys. crypto.randomUUID is missing on plain HTTP except on localhost.

const letters = 'abcdefghijklmnopqrstuvwxyz234567';

export function mintText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => letters.charAt(byte % 32)).join('');
}

/** Make one key per opened dialog, so that a second click charges nothing. */
export function mintIdempotencyKey(): string {
  return `panel_${mintText(26)}`;
}
