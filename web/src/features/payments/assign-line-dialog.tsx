import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { assignBankLine } from '../../api/payment-commands.ts';
import type { BankLine } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { AccountSearch } from './account-search.tsx';
import { saidOfLine } from './bank-line-words.ts';

interface AssignLineDialogProps {
  readonly line: BankLine;
  readonly onClose: () => void;
}

export function AssignLineDialog({ line, onClose }: AssignLineDialogProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const goesOut = line.amount.startsWith('-');
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) => assignBankLine(line.id, { account_id: chosen ?? 0, current_password: password }),
    says: ({ line: booked }) => saidOfLine(booked),
  });
  return (
    <FormDialog
      form={form}
      title={t`Which account does it belong to?`}
      description={
        goesOut
          ? t`The account’s payment of this amount is taken back.`
          : t`${formatMoney(line.amount, line.currency)} is credited to the account.`
      }
      action={goesOut ? t`Take back` : t`Credit`}
      ready={chosen !== null}
    >
      <AccountSearch chosen={chosen} onChoose={setChosen} />
    </FormDialog>
  );
}
