import { t } from '@lingui/core/macro';
import type { BankLine } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { wordOf } from '../../text/words.ts';

const statusWords = {
  unmatched: t`Undecided`,
  waiting: t`Waiting`,
  credited: t`Credited`,
  returned: t`Returned`,
  ignored: t`Ignored`,
};
export const lineStatusWord = wordOf(statusWords);

export const lineStatusChoices = [
  ...Object.entries(statusWords).map(([value, title]) => ({ value, title })),
  { value: 'all', title: t`All lines` },
];

export const lineReasonWord = wordOf({
  pending: t`not booked by the bank yet`,
  batch: t`several transfers in one amount`,
  own_transfer_returned: t`your own transfer came back`,
  not_positive: t`money went out`,
  not_marked_as_return: t`money went out, not marked as a return`,
  no_account: t`no account’s reference`,
  several_accounts: t`references of several accounts`,
  other_currency: t`another currency`,
  no_payment: t`no payment of this amount`,
  not_bookable: t`the ledger refuses it`,
  account_blocked: t`the account is blocked`,
  account_halted: t`the account is frozen`,
});

export function saidOfLine({ account, status, amount, currency }: BankLine): string {
  const name = account?.username ?? '';
  if (status === 'credited') return t`${formatMoney(amount, currency)} credited to ${name}.`;
  if (status === 'returned') return t`Taken back from ${name}.`;
  return t`Assigned to ${name}. It is booked once the account is open.`;
}
