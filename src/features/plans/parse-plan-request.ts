// Reads the bodies of plan requests field by field, in the documented order of checks. Pure. Unknown fields are ignored.

import { fieldRefusal, isRefusal, type Refusal, typeReason } from '../../shared/error-catalog.ts';
import { type JsonObject, own } from '../../shared/json.ts';
import type { AutoRenew } from '../order-engine/records/plan-life.ts';
import { parseMaxCharge, parseMonths } from '../orders/parse-order-request.ts';

const hoursBeforeMax = 720;
const hoursBeforeOtherwise = 24;

export function parseCancelAt(body: JsonObject): 'now' | 'period_end' | Refusal {
  const at = own(body, 'at');
  if (at === 'now' || at === 'period_end') return at;
  const reason = at === undefined ? 'missing' : typeReason(at, 'must be "now" or "period_end"');
  return fieldRefusal('validation_failed', 'at', reason);
}

export function parseAutoRenew(body: JsonObject): AutoRenew | Refusal {
  const months = parseMonths(body);
  if (isRefusal(months)) return months;
  if (months === null) return fieldRefusal('invalid_months', 'months', 'missing');
  const maxChargeCents = own(body, 'max_charge') === null ? null : parseMaxCharge(body);
  if (isRefusal(maxChargeCents)) return maxChargeCents;
  const sent = own(body, 'hours_before');
  const hoursBefore = sent === undefined ? hoursBeforeOtherwise : sent;
  if (typeof hoursBefore !== 'number' || !isHours(hoursBefore)) {
    const reason = typeReason(hoursBefore, `must be a whole number from 1 to ${hoursBeforeMax}`);
    return fieldRefusal('validation_failed', 'hours_before', reason);
  }
  return { months, maxChargeCents, hoursBefore };
}

function isHours(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= hoursBeforeMax;
}
