// Public ids of orders, customers and ledger entries. Each is the account's id and the row's number
// within that account in one integer: account 12's order 34 is 12000000034. So an id is unique in the
// service, needs no index of its own, and stays below 2^53 (docs/decisions/0002-ids.md).

const numbersPerAccount = 1_000_000_000;
/** An account that has numbered so many is full: well before its numbers would run into the next account's ids. */
export const numbersUsedMax = 900_000_000;
/** A test is for trying things out: it numbers so many. */
export const testNumbersUsedMax = 10_000_000;
/** Above it ids of orders would lie beyond 2^53. */
export const accountIdMax = 9_007_198;
/** Ids of real accounts end here; those behind it are of their tests. Statements hold it as a number, as their indexes do. */
export const realAccountIdMax = 5_000_000;

export interface OwnedId {
  readonly accountId: number;
  readonly number: number;
}

/** Whether the account is a test account (docs/decisions/0042-test-mode.md). */
export function isTestAccount(accountId: number): boolean {
  return accountId > realAccountIdMax;
}

export function publicId(accountId: number, number: number): number {
  return accountId * numbersPerAccount + number;
}

/** A path id: decimal, no sign, no leading zero (decisions "Path ids"); null for anything else or anything too large. */
function parsePathId(text: string): number | null {
  if (!/^[1-9]\d{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

/** The account and number behind a public id; null where no account can own it. */
export function parseOwnedId(text: string): OwnedId | null {
  const id = parsePathId(text);
  if (id === null) return null;
  const accountId = Math.floor(id / numbersPerAccount);
  const number = id % numbersPerAccount;
  return accountId >= 1 && accountId <= accountIdMax && number >= 1 ? { accountId, number } : null;
}

/** The same of what an operator may be asked about: no test has such an id. */
export function parseRealOwnedId(text: string): OwnedId | null {
  const id = parseOwnedId(text);
  return id === null || isTestAccount(id.accountId) ? null : id;
}

/** The row number behind `text` when it is the caller's own id; null otherwise. */
export function parseOwnNumber(text: string, accountId: number): number | null {
  const id = parseOwnedId(text);
  return id !== null && id.accountId === accountId ? id.number : null;
}

/** The id of an account that an operator may be asked about: no test has one. */
export function parseAccountId(text: string): number | null {
  const id = parseRowId(text);
  return id === null || isTestAccount(id) ? null : id;
}

/** Ids of accounts and packages: a positive int4; null for anything else. */
export function parseRowId(text: string): number | null {
  const id = parsePathId(text);
  return id !== null && id <= 2_147_483_647 ? id : null;
}
