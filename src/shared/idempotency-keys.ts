import { fieldRefusal, type Refusal, typeReason } from './error-catalog.ts';
import { type JsonObject, own } from './json.ts';

/** Reads 1 to 80 visible ASCII characters from header or body. If both have a key, they must be equal; null: neither has. */
export function parseIdempotencyKey(
  body: JsonObject,
  headerKey: string | undefined,
  mustHaveKey = false,
): string | null | Refusal {
  const bodyKey = own(body, 'idempotency_key');
  const invalid = (reason: string) => fieldRefusal('invalid_idempotency_key', 'idempotency_key', reason);
  if (bodyKey !== undefined && typeof bodyKey !== 'string')
    return invalid(typeReason(bodyKey, 'must be a string'));
  if (headerKey !== undefined && bodyKey !== undefined && headerKey !== bodyKey) {
    return invalid('header and body differ');
  }
  const key = headerKey ?? bodyKey;
  if (key === undefined) return mustHaveKey ? invalid('missing') : null;
  return /^[\x21-\x7e]{1,80}$/.test(key) ? key : invalid('must be 1 to 80 visible ASCII characters');
}

/** Duplicate headers were refused earlier. */
export function sentIdempotencyHeader(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const value = headers['idempotency-key'];
  return Array.isArray(value) ? value[0] : value;
}
