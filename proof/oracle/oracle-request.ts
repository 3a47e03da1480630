// What a request body can be refused for before any account, package or customer is read. Used by oracle.ts and
// oracle-life-request.ts. "Ax" points to AMBIGUITIES.md.

export type Months = 1 | 3 | 12;
export type Period = 'monthly' | 'quarterly' | 'yearly';

export type RefusalCode =
  | 'account_blocked'
  | 'account_closed'
  | 'api_disabled'
  | 'invalid_json'
  | 'invalid_idempotency_key'
  | 'invalid_package'
  | 'invalid_customer'
  | 'invalid_months'
  | 'idempotency_conflict'
  | 'package_unavailable'
  | 'order_not_found'
  | 'customer_not_found'
  | 'customer_not_yours'
  | 'customer_erased'
  | 'reference_taken'
  | 'invalid_max_charge'
  | 'validation_failed'
  | 'order_failed'
  | 'order_already_settled'
  | 'trial_already_granted'
  | 'price_changed'
  | 'insufficient_credit';

/** Only documented fields; the text of a `reason` is not compared (A8). */
export type Refusal = { code: RefusalCode; details: Record<string, string> };

export type PlaceRequest = {
  key: string | null;
  packageId: number;
  customerReference: string;
  customerName: string;
  months: Months;
  maxChargeCents: bigint | null;
};

export type RenewRequest = { key: string | null; months: Months | null; maxChargeCents: bigint | null };

export type Fields = Map<string, unknown>;

export function readPlaceRequest(body: unknown, headerKey: string | undefined): PlaceRequest | Refusal {
  // A wrong type of these two fields has the error code of a body that is not JSON (A1).
  const fields = asFields(body);
  if (fields === null) return refuse('invalid_json');
  const name = fields.get('customer_name');
  if (name !== undefined && typeof name !== 'string')
    return refuse('invalid_json', { field: 'customer_name' });
  const returnLogin = fields.get('return_login');
  if (returnLogin !== undefined && typeof returnLogin !== 'boolean') {
    return refuse('invalid_json', { field: 'return_login' });
  }

  const key = readKey(fields, headerKey);
  if (isRefusal(key)) return key;

  // Whether the package exists is checked later (A3).
  const packageId = fields.get('package_id');
  if (typeof packageId !== 'number' || !Number.isInteger(packageId)) {
    return refuse('invalid_package', { field: 'package_id' });
  }

  // Both fields have the same error code (A2).
  const customerReference = normalizeCustomer(fields.get('customer'));
  if (customerReference === null) return refuse('invalid_customer', { field: 'customer' });
  const customerName = name === undefined ? '' : normalizeName(name);
  if (customerName === null) return refuse('invalid_customer', { field: 'customer_name' });

  const months = readMonths(fields);
  if (isRefusal(months)) return months;

  const guard = readMaxCharge(fields);
  if (isRefusal(guard)) return guard;

  return {
    key: key.value,
    packageId,
    customerReference,
    customerName,
    months: months.value ?? 1,
    maxChargeCents: guard.value,
  };
}

export function readRenewRequest(body: unknown, headerKey: string | undefined): RenewRequest | Refusal {
  // renew has no customer_name or return_login: unknown fields are ignored (A12).
  const fields: Fields | null = body === undefined ? new Map() : asFields(body);
  if (fields === null) return refuse('invalid_json');
  const key = readKey(fields, headerKey);
  if (isRefusal(key)) return key;
  const months = readMonths(fields);
  if (isRefusal(months)) return months;
  const guard = readMaxCharge(fields);
  if (isRefusal(guard)) return guard;
  return { key: key.value, months: months.value, maxChargeCents: guard.value };
}

export function normalizeCustomer(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const trimmed = value.trim();
  // Before lower-casing: U+212A, the Kelvin sign, would become an ASCII "k" (A17).
  for (const character of trimmed) {
    if (character > '\u007f') return null;
  }
  const reference = trimmed.toLowerCase();
  if (reference.includes('@')) return isEmailAddress(reference) ? reference : null;
  return /^[a-z0-9._-]{1,64}$/.test(reference) ? reference : null;
}

export function isRefusal(value: object): value is Refusal {
  return 'code' in value;
}

export function refuse(code: RefusalCode, details: Record<string, string> = {}): Refusal {
  return { code, details };
}

/** Missing fields are undefined, and null is a wrong type everywhere (A4). Returns null if it is not a JSON object. */
export function asFields(body: unknown): Fields | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  return new Map<string, unknown>(Object.entries(body));
}

export function readKey(fields: Fields, headerKey: string | undefined): { value: string | null } | Refusal {
  const bodyKey = fields.get('idempotency_key');
  const refusal = refuse('invalid_idempotency_key', { field: 'idempotency_key' });
  if (bodyKey !== undefined && (typeof bodyKey !== 'string' || !isKey(bodyKey))) return refusal;
  if (headerKey !== undefined && !isKey(headerKey)) return refusal;
  if (bodyKey !== undefined && headerKey !== undefined && bodyKey !== headerKey) return refusal;
  return { value: headerKey ?? bodyKey ?? null };
}

function isKey(key: string): boolean {
  return /^[\x21-\x7e]{1,80}$/.test(key);
}

export function readMonths(fields: Fields): { value: Months | null } | Refusal {
  const months = fields.get('months');
  const period = fields.get('period');
  if (months !== undefined && months !== 1 && months !== 3 && months !== 12) {
    return refuse('invalid_months', { field: 'months' });
  }
  if (period === undefined) return { value: months ?? null };
  const periodMonths = monthsOf(period);
  if (periodMonths === null) return refuse('invalid_months', { field: 'period' });
  // If the two disagree, the documents leave open which one is named; here it is months (A9).
  if (months !== undefined && months !== periodMonths) return refuse('invalid_months', { field: 'months' });
  return { value: periodMonths };
}

/** null: no guard. A string such as "12.50", "12" or "-3.20" (A52). */
export function readMaxCharge(fields: Fields): { value: bigint | null } | Refusal {
  const sent = fields.get('max_charge');
  if (sent === undefined) return { value: null };
  const parts = typeof sent === 'string' ? /^(-?)([0-9]{1,12})(\.[0-9]{1,2})?$/.exec(sent) : null;
  if (parts === null) return refuse('invalid_max_charge', { field: 'max_charge' });
  const [, minus, whole = '0', fraction = '.'] = parts;
  const cents = BigInt(whole) * 100n + BigInt(fraction.slice(1).padEnd(2, '0'));
  return { value: minus === '-' ? -cents : cents };
}

function monthsOf(period: unknown): Months | null {
  if (period === 'monthly') return 1;
  if (period === 'quarterly') return 3;
  if (period === 'yearly') return 12;
  return null;
}

function normalizeName(value: string): string | null {
  const name = value.trim();
  const characters = [...name];
  if (characters.length > 120) return null;
  for (const character of characters) {
    if (/^\p{Cc}$/u.test(character)) return null;
  }
  return name;
}

/** The grammar of HTML's <input type=email>; the documents give none (A18). Expects lower case. */
function isEmailAddress(value: string): boolean {
  if (value.length > 254) return false;
  const [local, domain, ...more] = value.split('@');
  if (local === undefined || domain === undefined || more.length > 0) return false;
  if (!/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+$/.test(local)) return false;
  return domain.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
}
