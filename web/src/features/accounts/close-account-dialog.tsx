import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { closeAccount } from '../../api/commands.ts';
import type { Account } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';

interface CloseAccountDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

const balanceChoices = [
  { value: 'paid_out', title: t`Paid out outside Sellthrough` },
  { value: 'written_off', title: t`Written off` },
] as const;

export function CloseAccountDialog({ account, onClose }: CloseAccountDialogProps) {
  const { username, currency } = account;
  const [balance, setBalance] = useState<'paid_out' | 'written_off'>('paid_out');
  const [memo, memoField] = useText();
  const [typed, nameField] = useText();
  const form = useDialogForm({
    onClose,
    password: 'asked',
    isSentOnce: true,
    send: ({ key, password }) =>
      closeAccount(account.id, { balance, memo: memo.trim(), current_password: password }, key),
    says: ({ amount }) => t`${username} closed. ${formatMoney(amount, currency)} left its balance.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Close ${username} for good?`}
      description={t`Its keys are revoked, its people can no longer sign in, and webhooks, alerts and automatic top-ups stop. Its data stays readable for you. This can’t be undone.`}
      action={t`Close account`}
      danger
      ready={memo.trim() !== '' && typed.trim() === username}
      errorHelp={form.error instanceof ApiError ? openBusiness[form.error.detail('reason')] : undefined}
      summary={t`${formatMoney(account.balance, currency)} leaves its balance`}
    >
      <SelectField
        label={t`Remaining balance`}
        hint={t`A negative balance can only be written off.`}
        options={balanceChoices}
        value={balance}
        onValue={setBalance}
      />
      <TextField
        label={t`Reason`}
        hint={t`Recorded in the ledger and the audit log.`}
        autoComplete="off"
        maxLength={400}
        {...memoField}
      />
      <p>
        <Trans>
          Type <bdi className="font-semibold wrap-anywhere">{username}</bdi> to confirm.
        </Trans>
      </p>
      <TextField label={t`Username`} kind="address" maxLength={64} {...nameField} />
    </FormDialog>
  );
}

/** By the reason in the details of `account_not_closable`. */
const openBusiness: Readonly<Record<string, string>> = {
  administrator: t`An administrator’s account can’t be closed.`,
  account_halted: t`The account is frozen. Check its ledger first.`,
  order_pending: t`An order of this account is waiting for your product. Settle it first.`,
  plan_running: t`A plan of this account is still running. Cancel it first, or wait until it has ended.`,
  product_call_open: t`A call about a customer of this account hasn’t reached your product yet. Send it again, or mark it as done.`,
  payment_open: t`A payment of this account is still open. Wait for it, or cancel it.`,
  receivable_open: t`The account owes money. That can only be written off.`,
};
