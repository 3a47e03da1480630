import Type, { type Static } from 'typebox';
import { count, text } from '../../shared/schema-parts.ts';

export const verifyReportSchema = Type.Object(
  {
    ok: Type.Boolean(),
    accounts: count('Accounts that were checked.'),
    entries: count('Ledger entries that were added up.'),
    test_accounts: Type.Optional(
      count(
        'Tests of accounts that were checked as well, where there are any; the others do not count them.',
        1,
      ),
    ),
    problems: Type.Array(
      Type.Object({
        account_id: count('The account.'),
        subject: text('What is wrong: an entry, an order, a customer, a counter.', 1_000),
        problem: text('Why it does not add up.', 2_000),
      }),
    ),
  },
  { $id: 'VerifyReport' },
);

export type VerifyReportView = Static<typeof verifyReportSchema>;

/** verify and restore: the commands. */
export const verificationStarters = ['console', 'api', 'verify', 'restore'] as const;
export type VerificationStarter = (typeof verificationStarters)[number];
