// Decides about a line: one press where the line names an account, otherwise a dialog with a search.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { assignBankLine, ignoreBankLine } from '../../api/payment-commands.ts';
import { accountQuery } from '../../api/queries.ts';
import type { BankLine } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatMoney } from '../../text/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { say } from '../../ui/toasts.tsx';
import { AssignLineDialog } from './assign-line-dialog.tsx';

export function saidOfLine({ account, status, amount, currency }: BankLine): string {
  const name = account?.username ?? '';
  if (status === 'credited') return t`${formatMoney(amount, currency)} credited to ${name}.`;
  if (status === 'returned') return t`Taken back from ${name}.`;
  return t`Assigned to ${name}. It is booked once the account is open.`;
}

export function BankLineActions({ line }: { readonly line: BankLine }) {
  const [isAssigning, setIsAssigning] = useState(false);
  const ignore = useCommand(() => ignoreBankLine(line.id), { onDone: () => say(t`Line ignored.`) });
  const isOpen = line.status === 'unmatched' || line.status === 'ignored';
  const [suggested, ...more] = line.suggested_account_ids;
  if (!isOpen) return null;
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      {suggested === undefined || more.length > 0 ? null : <AssignTo line={line} accountId={suggested} />}
      <Button onClick={() => setIsAssigning(true)}>{t`Assign …`}</Button>
      {line.status === 'unmatched' ? (
        <Button onClick={() => ignore.mutate(undefined)} disabled={ignore.isPending}>
          {t`Ignore`}
        </Button>
      ) : null}
      {ignore.error === null ? null : <ErrorNotice error={ignore.error} />}
      {isAssigning ? <AssignLineDialog line={line} onClose={() => setIsAssigning(false)} /> : null}
    </span>
  );
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
    <>
      <Button look="primary" disabled={command.isPending} onClick={() => command.mutate(accountId)}>
        {t`Assign to ${data.account.username}`}
      </Button>
      {command.error === null ? null : <ErrorNotice error={command.error} />}
      {command.dialog}
    </>
  );
}
