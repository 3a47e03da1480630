// Credits or debits an account in two steps: amount and memo, then the new balance and, if required, the password.

import { t } from '@lingui/core/macro';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { creditAccount } from '../../api/commands.ts';
import { mintIdempotencyKey } from '../../api/random-text.ts';
import type { Account } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatMoney, fromCents, readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { isPasswordMissing } from '../../ui/confirmed-command.tsx';
import { Dialog, DialogActions, DialogBody, DialogProblem } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { Money } from '../../ui/money.tsx';
import { OwnPasswordField, useOwnPassword } from '../../ui/own-password-field.tsx';
import { say } from '../../ui/toasts.tsx';
import { useText } from '../../ui/use-text.ts';

interface CreditDialogProps {
  readonly account: Account;
  readonly direction: 'credit' | 'debit';
  readonly onClose: () => void;
}

export function CreditDialog({ account, direction, onClose }: CreditDialogProps) {
  const { currency } = account;
  const [key] = useState(mintIdempotencyKey);
  const [typed, typedField] = useText();
  const [memo, memoField] = useText();
  const [confirming, setConfirming] = useState(false);
  // The service requires the password above a configured amount.
  const [asksPassword, setAsksPassword] = useState(false);
  const own = useOwnPassword();
  const size = readAmount(typed);
  const amount = direction === 'debit' ? `-${size ?? '0.00'}` : (size ?? '0.00');
  const after = fromCents(toCents(account.balance) + toCents(amount));
  const isTooMuch = toCents(after) < 0n;
  const isReady = size !== null && toCents(size) > 0n && !isTooMuch;
  const command = useCommand(
    (body: Parameters<typeof creditAccount>[1]) => creditAccount(account.id, body, key),
    {
      onDone: ({ balance }) => {
        say(t`The balance of ${account.username} is now ${formatMoney(balance, currency)}.`);
        onClose();
      },
    },
  );
  if (!asksPassword && isPasswordMissing(command.error)) setAsksPassword(true);
  const amountProblem =
    typed.trim() !== '' && size === null
      ? t`Enter an amount, such as 100 or ${typedAmount('99.50')}.`
      : isTooMuch
        ? t`The balance is ${formatMoney(account.balance, currency)}.`
        : null;
  const { username } = account;
  const sum = size === null ? '' : formatMoney(size, currency);
  const title = direction === 'credit' ? t`Credit ${username}` : t`Debit ${username}`;
  const send = () =>
    command.mutate({
      amount,
      ...(memo.trim() !== '' && { memo: memo.trim() }),
      ...(asksPassword && { current_password: own.sent }),
    });

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReady || command.isPending) return;
          if (confirming) send();
          else setConfirming(true);
        }}
      >
        <DialogBody>
          {confirming ? (
            <Facts
              facts={[
                {
                  name: direction === 'credit' ? t`Credit` : t`Debit`,
                  value: (
                    <Money amount={amount} currency={currency} signed className="text-base font-semibold" />
                  ),
                },
                {
                  name: t`Balance`,
                  value: (
                    <span className="inline-flex items-center gap-2">
                      <Money amount={account.balance} currency={currency} className="text-soft" />
                      <ArrowRight aria-label={t`becomes`} className="size-3.5 text-soft" />
                      <Money amount={after} currency={currency} className="font-semibold" />
                    </span>
                  ),
                },
                {
                  name: t`Memo`,
                  value:
                    memo.trim() === '' ? <span className="text-soft">{t`None`}</span> : <bdi>{memo}</bdi>,
                },
              ]}
            />
          ) : (
            <>
              <TextField
                label={t`Amount in ${currency}`}
                kind="money"
                autoFocus
                placeholder={typedAmount('100.00')}
                problem={amountProblem}
                {...typedField}
              />
              <TextField
                label={t`Memo`}
                hint={t`Shown in the account’s ledger, such as an invoice number or a reason.`}
                autoComplete="off"
                maxLength={500}
                {...memoField}
              />
            </>
          )}
          {confirming && asksPassword ? (
            <OwnPasswordField
              own={own}
              hint={t`Required for large sums: credits and debits of the last hour count together.`}
              autoFocus
            />
          ) : null}
        </DialogBody>
        <DialogProblem error={isPasswordMissing(command.error) ? null : command.error} />
        <DialogActions>
          <Button
            disabled={command.isPending}
            onClick={() => {
              if (!confirming) onClose();
              command.reset();
              setConfirming(false);
            }}
          >
            {confirming ? t`Back` : t`Cancel`}
          </Button>
          <Button
            key={confirming ? 'confirm' : 'review'}
            type="submit"
            autoFocus={confirming && !asksPassword}
            // Ignore a repeated Enter, so that holding the key does not confirm the second step.
            onKeyDown={(event) => {
              if (event.repeat) event.preventDefault();
            }}
            look={confirming && direction === 'debit' ? 'danger' : 'primary'}
            busy={command.isPending}
            disabled={!isReady || (confirming && asksPassword && !own.isReady)}
          >
            {confirming ? (direction === 'credit' ? t`Credit ${sum}` : t`Debit ${sum}`) : t`Review`}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
