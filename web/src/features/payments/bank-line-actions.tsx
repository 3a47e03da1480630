// Decides about a line: one press where the line names an account, otherwise a dialog with a search.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { EyeOff, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { assignBankLine, ignoreBankLine } from '../../api/payment-commands.ts';
import { accountQuery } from '../../api/queries.ts';
import type { BankLine } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toasts.tsx';
import { useText } from '../../ui/use-text.ts';
import { AssignLineDialog } from './assign-line-dialog.tsx';
import { saidOfLine } from './bank-line-words.ts';

/** A line that may still be booked. */
function isOpenLine({ status }: BankLine): boolean {
  return status === 'unmatched' || status === 'ignored';
}

export function BankLineActions({ line }: { readonly line: BankLine }) {
  const [asked, setAsked] = useState<'assign' | 'ignore' | null>(null);
  if (!isOpenLine(line)) return null;
  const close = () => setAsked(null);
  return (
    <span className="inline-flex">
      <IconButton label={t`Assign to an account`} onClick={() => setAsked('assign')}>
        <UserPlus aria-hidden="true" className="size-4" />
      </IconButton>
      {line.status === 'unmatched' ? (
        <IconButton label={t`Ignore`} onClick={() => setAsked('ignore')}>
          <EyeOff aria-hidden="true" className="size-4" />
        </IconButton>
      ) : null}
      {asked === 'assign' ? <AssignLineDialog line={line} onClose={close} /> : null}
      {asked === 'ignore' ? <IgnoreDialog line={line} onClose={close} /> : null}
    </span>
  );
}

interface IgnoreDialogProps {
  readonly line: BankLine;
  readonly onClose: () => void;
}

function IgnoreDialog({ line, onClose }: IgnoreDialogProps) {
  const [note, noteField] = useText();
  const amount = formatMoney(line.amount, line.currency);
  const form = useDialogForm({
    onClose,
    send: () => ignoreBankLine(line.id, note.trim()),
    says: () => t`Line ignored.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Ignore ${amount}?`}
      description={t`The line concerns no account and leaves this list. You can still assign it later.`}
      action={t`Ignore`}
    >
      <TextField
        label={t`Note`}
        hint={t`Optional. Recorded in the audit log.`}
        autoComplete="off"
        maxLength={500}
        autoFocus
        {...noteField}
      />
    </FormDialog>
  );
}

const suggestionsShown = 3;

/** One press, if the line names an account, or nearly. */
export function SuggestedAccounts({ line }: { readonly line: BankLine }) {
  const { suggested_account_ids: suggested } = line;
  if (!isOpenLine(line) || suggested.length > suggestionsShown) return null;
  return (
    <div className="mt-1.5 flex flex-wrap gap-1.5 empty:hidden">
      {suggested.map((id) => (
        <AssignTo key={id} line={line} accountId={id} />
      ))}
    </div>
  );
}

/** Shown once the account's name has come. */
function AssignTo({ line, accountId }: { readonly line: BankLine; readonly accountId: number }) {
  const { data } = useQuery({ ...accountQuery(String(accountId)), retry: false });
  const command = useConfirmedCommand(
    (id: number, password) => assignBankLine(line.id, { account_id: id, current_password: password }),
    { action: t`Assign`, onDone: ({ line: booked }) => say(saidOfLine(booked)) },
  );
  if (data === undefined) return null;
  return (
    <div className="max-w-full">
      <Button className="max-w-full" disabled={command.isPending} onClick={() => command.mutate(accountId)}>
        <span className="truncate">{t`Assign to ${data.account.username}`}</span>
      </Button>
      {command.error === null ? null : <ErrorNotice error={command.error} />}
      {command.dialog}
    </div>
  );
}
