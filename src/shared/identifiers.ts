// Public ids: account id and row number in one integer, for example 12000000034 for account 12's order 34. They need no
// index of their own, and stay below 2^53 (docs/decisions/0002-ids.md).

const numbersPerAccount = 1_000_000_000;
/** The account counts as full here, well before its ids would collide with the next account's. */
export const numbersUsedMax = 900_000_000;
export const testNumbersUsedMax = 10_000_000;
/** Larger account ids would give order ids beyond 2^53. */
export const accountIdMax = 9_007_198;
/** Larger ids are those of test accounts. SQL contains this number as a literal, because indexes do. */
export const realAccountIdMax = 5_000_000;

export interface OwnedId {
  readonly accountId: number;
  readonly number: number;
}

export function isTestAccount(accountId: number): boolean {
  return accountId > realAccountIdMax;
}

export function publicId(accountId: number, number: number): number {
  return accountId * numbersPerAccount + number;
}

/** Decimal without sign or leading zero; null: invalid or too large. */
function parsePathId(text: string): number | null {
  if (!/^[1-9]\d{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

export function parseOwnedId(text: string): OwnedId | null {
  const id = parsePathId(text);
  if (id === null) return null;
  const accountId = Math.floor(id / numbersPerAccount);
  const number = id % numbersPerAccount;
  return accountId >= 1 && accountId <= accountIdMax && number >= 1 ? { accountId, number } : null;
}

/** For operators: excludes the ids of test accounts. */
export function parseRealOwnedId(text: string): OwnedId | null {
  const id = parseOwnedId(text);
  return id === null || isTestAccount(id.accountId) ? null : id;
}

/** null unless the id belongs to this account. */
export function parseOwnNumber(text: string, accountId: number): number | null {
  const id = parseOwnedId(text);
  return id !== null && id.accountId === accountId ? id.number : null;
}

export function parseAccountId(text: string): number | null {
  const id = parseRowId(text);
  return id === null || isTestAccount(id) ? null : id;
}

/** A positive int4; null otherwise. */
export function parseRowId(text: string): number | null {
  const id = parsePathId(text);
  return id !== null && id <= 2_147_483_647 ? id : null;
}
