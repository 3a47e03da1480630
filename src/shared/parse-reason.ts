// Reads the optional reason of a suspension or a block. Pure.

import { fieldRefusal, type Refusal, typeReason } from './error-catalog.ts';
import { type JsonObject, own } from './json.ts';

const reasonLengthMax = 200;

/** null if none was sent. */
export function parseReason(body: JsonObject): string | null | Refusal {
  const sent = own(body, 'reason');
  const invalid = (reason: string) => fieldRefusal('validation_failed', 'reason', reason);
  if (sent === undefined) return null;
  if (typeof sent !== 'string') return invalid(typeReason(sent, 'must be a string'));
  const text = sent.trim();
  if (!text.isWellFormed()) return invalid('not valid Unicode');
  if (/\p{Cc}/u.test(text)) return invalid('must not contain control characters');
  if ([...text].length > reasonLengthMax) return invalid(`at most ${reasonLengthMax} characters`);
  return text === '' ? null : text;
}
