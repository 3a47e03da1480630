// Decides about a line: one press where the line names an account, otherwise a dialog with a search.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { EyeOff, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { assignBankLine, ignoreBankLine } from '../../api/payment-commands.ts';
import { accountQuery } from '../../api/queries.ts';
import type { BankLine } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { say } from '../../ui/toasts.tsx';
import { AssignLineDialog } from './assign-line-dialog.tsx';
import { saidOfLine } from './bank-line-words.ts';

/** A line that may still be booked. */
function isOpenLine({ status }: BankLine): boolean {
  return status === 'unmatched' || status === 'ignored';
}

export function BankLineActions({ line }: { readonly line: BankLine }) {
  const [isAssigning, setIsAssigning] = useState(false);
  const ignore = useCommand(() => ignoreBankLine(line.id), { onDone: () => say(t`Line ignored.`) });
  if (!isOpenLine(line)) return null;
  return (
    <span className="inline-flex">
      <IconButton label={t`Assign to an account`} onClick={() => setIsAssigning(true)}>
        <UserPlus aria-hidden="true" className="size-4" />
      </IconButton>
      {line.status === 'unmatched' ? (
        <IconButton label={t`Ignore`} onClick={() => ignore.mutate(undefined)} disabled={ignore.isPending}>
          <EyeOff aria-hidden="true" className="size-4" />
        </IconButton>
      ) : null}
      {ignore.error === null ? null : <ErrorNotice error={ignore.error} />}
      {isAssigning ? <AssignLineDialog line={line} onClose={() => setIsAssigning(false)} /> : null}
    </span>
  );
}

/** One press, if the line names one account. */
export function SuggestedAccount({ line }: { readonly line: BankLine }) {
  const [suggested, ...more] = line.suggested_account_ids;
  if (!isOpenLine(line) || suggested === undefined || more.length > 0) return null;
  return <AssignTo line={line} accountId={suggested} />;
}

/** Shown once the account is known to exist. */
function AssignTo({ line, accountId }: { readonly line: BankLine; readonly accountId: number }) {
  const { data } = useQuery({ ...accountQuery(String(accountId)), retry: false });
  const command = useConfirmedCommand(
    (id: number, password) => assignBankLine(line.id, { account_id: id, current_password: password }),
    { action: t`Assign`, onDone: ({ line: booked }) => say(saidOfLine(booked)) },
  );
  if (data === undefined) return null;
  return (
    <div className="mt-1.5">
      <Button className="max-w-full" disabled={command.isPending} onClick={() => command.mutate(accountId)}>
        <span className="truncate">{t`Assign to ${data.account.username}`}</span>
      </Button>
      {command.error === null ? null : <ErrorNotice error={command.error} />}
      {command.dialog}
    </div>
  );
}
