// Refusals of cancel, suspend, resume and PUT/DELETE auto-renew before any account or customer is read. Used only by
// oracle-life.ts. "Ax" points to AMBIGUITIES.md.

import type { AutoRenewSettings } from './oracle-plan.ts';
import type { Fields, Refusal } from './oracle-request.ts';
import { asFields, isRefusal, readKey, readMaxCharge, readMonths, refuse } from './oracle-request.ts';

export type Keyed<Data> = Data & { key: string | null };
export type CancelRequest = Keyed<{ at: 'now' | 'period_end' }>;
export type SuspendRequest = Keyed<{ reason: string | null }>;
export type AutoRenewRequest = Keyed<AutoRenewSettings>;

export function readCancelRequest(body: unknown, headerKey: string | undefined): CancelRequest | Refusal {
  const head = readHead(body, headerKey);
  if (isRefusal(head)) return head;
  const at = head.fields.get('at');
  if (at !== 'now' && at !== 'period_end') return refuse('validation_failed', { field: 'at' });
  return { key: head.key, at };
}

export function readSuspendRequest(body: unknown, headerKey: string | undefined): SuspendRequest | Refusal {
  const head = readHead(orEmpty(body), headerKey);
  if (isRefusal(head)) return head;
  const sent = head.fields.get('reason');
  if (sent === undefined) return { key: head.key, reason: null };
  const reason = typeof sent === 'string' ? sent.trim() : null;
  if (reason === null || [...reason].length > 200 || /\p{Cc}/u.test(reason))
    return refuse('validation_failed', { field: 'reason' });
  return { key: head.key, reason: reason === '' ? null : reason };
}

/** Resume and DELETE auto-renew have no fields but the key. */
export function readEmptyRequest(body: unknown, headerKey: string | undefined): Keyed<object> | Refusal {
  const head = readHead(orEmpty(body), headerKey);
  return isRefusal(head) ? head : { key: head.key };
}

export function readAutoRenewRequest(
  body: unknown,
  headerKey: string | undefined,
): AutoRenewRequest | Refusal {
  const head = readHead(body, headerKey);
  if (isRefusal(head)) return head;
  const { fields, key } = head;
  const months = readMonths(fields);
  if (isRefusal(months)) return months;
  if (months.value === null) return refuse('invalid_months', { field: 'months' });
  // Only here, null means no guard, so that an object that was read can be sent back unchanged (A62).
  const guard = fields.get('max_charge') === null ? { value: null } : readMaxCharge(fields);
  if (isRefusal(guard)) return guard;
  const sentHours = fields.get('hours_before');
  const hoursBefore = sentHours === undefined ? 24 : sentHours;
  if (
    typeof hoursBefore !== 'number' ||
    !Number.isInteger(hoursBefore) ||
    hoursBefore < 1 ||
    hoursBefore > 720
  )
    return refuse('validation_failed', { field: 'hours_before' });
  return { key, months: months.value, maxChargeCents: guard.value, hoursBefore };
}

function readHead(
  body: unknown,
  headerKey: string | undefined,
): { fields: Fields; key: string | null } | Refusal {
  const fields = asFields(body);
  if (fields === null) return refuse('invalid_json');
  const key = readKey(fields, headerKey);
  return isRefusal(key) ? key : { fields, key: key.value };
}

/** As in renewals, a missing body is `{}` wherever nothing is required (A61). */
function orEmpty(body: unknown): unknown {
  return body === undefined ? {} : body;
}
