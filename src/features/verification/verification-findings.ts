// What an audit finds, as the report lists it. Problems of the books halt their account at the moment the
// first is found; those of the rules, of row hashes, and of the audit log beside the books, are listed and halt no account.

import type { VerifyReportView } from './verification-schemas.ts';

export type Problem = VerifyReportView['problems'][number];

/** What is asked of an account; each kind lists a few of its problems, so that one flood hides no other. */
export type Check =
  | 'account'
  | 'chain'
  | 'kinds'
  | 'dates'
  | 'orders'
  | 'references'
  | 'days'
  | 'plan_changes'
  | 'owners'
  | 'log'
  | 'hashes'
  | 'rules';

/** Listed for each account and check; every account with a problem is listed. */
const problemsPerCheckMax = 20;

export interface Findings {
  /** Resolves once the account is halted, where the check is one of the books. */
  add(check: Check, accountId: number, subject: string, problem: string): Promise<void>;
  /** Whether the account's books have a problem. */
  isBroken(accountId: number): boolean;
  /** Whether more of it would be listed. */
  hasRoom(check: Check, accountId: number): boolean;
  /** By account, in the order in which they were found. */
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
