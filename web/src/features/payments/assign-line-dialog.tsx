import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { assignBankLine } from '../../api/payment-commands.ts';
import { foundAccountsQuery } from '../../api/queries.ts';
import type { BankLine } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';
import { saidOfLine } from './bank-line-words.ts';

interface AssignLineDialogProps {
  readonly line: BankLine;
  readonly onClose: () => void;
}

const accountsShown = 8;

export function AssignLineDialog({ line, onClose }: AssignLineDialogProps) {
  const [typed, typedField] = useText();
  const [chosen, setChosen] = useState<number | null>(null);
  const words = typed.trim();
  const { data } = useQuery({
    ...foundAccountsQuery({ q: words, limit: accountsShown }),
    enabled: words !== '',
  });
  const found = words === '' ? [] : (data?.data ?? []);
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
      ready={chosen !== null && found.some(({ id }) => id === chosen)}
    >
      <TextField
        label={t`Account`}
        kind="name"
        autoFocus
        hint={
          words !== '' && data !== undefined && found.length === 0
            ? t`No such account.`
            : t`Part of a username or name.`
        }
        {...typedField}
      />
      {found.length === 0 ? null : (
        <Choice
          label={t`Accounts found`}
          look="cards"
          value={chosen}
          options={found.map(({ id, username, display_name: name }) => ({
            value: id,
            title: <bdi>{username}</bdi>,
            ...(name !== username && { note: <bdi>{name}</bdi> }),
          }))}
          onChoose={setChosen}
        />
      )}
    </FormDialog>
  );
}
