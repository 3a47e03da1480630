// Collects findings for the report. Problems of the books halt their account at once; others do not.

import type { VerifyReportView } from './verification-schemas.ts';

export type Problem = VerifyReportView['problems'][number];

/** Each check has its own list and limit, so that many findings of one do not hide another's. */
export type Check =
  | 'account'
  | 'chain'
  | 'kinds'
  | 'dates'
  | 'orders'
  | 'references'
  | 'days'
  | 'plan_changes'
  | 'payments'
  | 'owners'
  | 'log'
  | 'hashes'
  | 'rules';

/** The limit per account and check. Every account with a problem is listed. */
const problemsPerCheckMax = 20;

export interface Findings {
  /** For checks of the books, resolves once the account is halted. */
  add(check: Check, accountId: number, subject: string, problem: string): Promise<void>;
  isBroken(accountId: number): boolean;
  hasRoom(check: Check, accountId: number): boolean;
  list(): Problem[];
}

export function createFindings(halt: (accountId: number) => Promise<void>): Findings {
  const problems: Problem[] = [];
  const counts = new Map<string, number>();
  const broken = new Set<number>();
  const countOf = (check: Check, accountId: number) => counts.get(`${check} ${accountId}`) ?? 0;
  return {
    async add(check, accountId, subject, problem) {
      const count = countOf(check, accountId);
      counts.set(`${check} ${accountId}`, count + 1);
      if (count < problemsPerCheckMax) problems.push({ account_id: accountId, subject, problem });
      if (check === 'rules' || check === 'log' || check === 'hashes' || broken.has(accountId)) return;
      broken.add(accountId);
      await halt(accountId);
    },
    isBroken: (accountId) => broken.has(accountId),
    hasRoom: (check, accountId) => countOf(check, accountId) < problemsPerCheckMax,
    list: () => problems.toSorted((one, other) => one.account_id - other.account_id),
  };
}
