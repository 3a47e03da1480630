// The codes by which banks mark what is not one ordinary payment: returns, reversals and batches.

/** Sub-families of ISO 20022 bank transaction codes: returned transfers, recalled ones, direct debits and checks unpaid. */
const isoSubFamilies = new Set(['RRTN', 'RPCR', 'ARET', 'PRDD', 'RCDD', 'UPDD', 'UPCQ', 'CQRV']);

/** Germany's three-digit codes: returned direct debits, their re-credit, returned transfers. */
const germanCodes = new Set(['009', '108', '109', '159', '181', '184']);

export function isReturnSubFamily(code: string): boolean {
  return isoSubFamilies.has(code);
}

export function isGermanReturn(code: string): boolean {
  return germanCodes.has(code);
}

/** One booking of many transactions, which MT940 does not list. */
export function isGermanBatch(code: string): boolean {
  return /^(?:079|19\d)$/.test(code);
}

/** SWIFT's transaction types, for example `NRTI`: N, S or F for the origin, then RTI for a returned item. */
export function isSwiftReturn(type: string): boolean {
  return /^[NSF]RTI$/.test(type);
}
