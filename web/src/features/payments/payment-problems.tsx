// Payments that could not be booked, and what to do about them.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { dismissProblem } from '../../api/payment-commands.ts';
import { paymentProblemsQuery } from '../../api/payment-queries.ts';
import { useMay } from '../../api/person.ts';
import type { NamedProblem } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { formatMoney } from '../../text/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Money } from '../../ui/money.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { useText } from '../../ui/use-text.ts';
import { problemWords } from './problem-words.ts';

export function PaymentProblems() {
  const query = useQuery(paymentProblemsQuery);
  const mayDismiss = useMay()('admin:credit');
  const columns: readonly Column<NamedProblem>[] = [
    {
      title: t`Problem`,
      cell: ({ reason, amount, currency, asked }) => (
        <>
          <div className="font-medium">{problemWords[reason].title}</div>
          {asked === null ? null : (
            <div className="figures">
              {t`${formatMoney(amount, currency)} of ${formatMoney(asked, currency)} asked`}
            </div>
          )}
          <div className="max-w-prose text-soft">{problemWords[reason].todo}</div>
        </>
      ),
    },
    {
      title: t`Account`,
      from: 'md',
      cell: ({ account_id: id, username, topup_id: topup }) => (
        <div className="flex flex-col items-start gap-1.5">
          <AccountLink id={id}>{username ?? t`Account ${id}`}</AccountLink>
          <TopupLink accountId={id} topupId={topup} />
        </div>
      ),
    },
    {
      title: t`Provider’s ID`,
      from: 'lg',
      cell: ({ reference }) => {
        const text = reference.slice(reference.indexOf(':') + 1);
        return <Copied text={text} label={t`Copy payment reference`} isCut />;
      },
    },
    { title: t`Since`, from: 'sm', cell: ({ created_at: at }) => <Time at={at} style="day" /> },
    {
      title: t`Amount`,
      align: 'end',
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    ...(mayDismiss
      ? [
          {
            title: t`Decide`,
            untitled: true,
            from: 'sm' as const,
            align: 'end' as const,
            cell: (problem: NamedProblem) => <Dismiss problem={problem} />,
          },
        ]
      : []),
  ];
  return (
    <Card flush>
      <DataTable
        caption={t`Payments that need attention`}
        columns={columns}
        {...tableState(query)}
        rowKey={({ id }) => id}
        phone={(problem) => {
          const { account_id: id, username, topup_id: topup, created_at: at } = problem;
          return (
            <div className="flex flex-wrap gap-x-3 gap-y-2 py-1">
              <AccountLink id={id}>{username ?? t`Account ${id}`}</AccountLink>
              <TopupLink accountId={id} topupId={topup} />
              <Time at={at} style="day" />
              {mayDismiss ? <Dismiss problem={problem} /> : null}
            </div>
          );
        }}
        empty={
          <EmptyState icon={CircleCheck} title={t`You’re all caught up`}>
            {t`Payments that could not be credited appear here.`}
          </EmptyState>
        }
      />
    </Card>
  );
}

interface TopupLinkProps {
  readonly accountId: number;
  readonly topupId: number;
}

/** The drawer opens among the account's top-ups. */
function TopupLink({ accountId, topupId }: TopupLinkProps) {
  return (
    <TextLink to="/admin/payments" search={{ account_id: String(accountId), open: String(topupId) }}>
      <span className="whitespace-nowrap">{t`Top-up ${topupId}`}</span>
    </TextLink>
  );
}

function Dismiss({ problem }: { readonly problem: NamedProblem }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <Button onClick={() => setIsAsked(true)}>{t`Mark as resolved`}</Button>
      {isAsked ? <DismissDialog problem={problem} onClose={() => setIsAsked(false)} /> : null}
    </>
  );
}

interface DismissDialogProps {
  readonly problem: NamedProblem;
  readonly onClose: () => void;
}

function DismissDialog({ problem, onClose }: DismissDialogProps) {
  const [note, noteField] = useText();
  const form = useDialogForm({
    onClose,
    send: ({ key }) => dismissProblem(problem.id, note.trim(), key),
    says: () => t`Removed from the list.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Have you resolved it?`}
      description={t`It leaves this list. Nothing is credited or refunded.`}
      action={t`Remove from the list`}
      ready={note.trim() !== ''}
    >
      <TextField
        label={t`What you did`}
        hint={t`Recorded in the audit log.`}
        autoComplete="off"
        maxLength={500}
        autoFocus
        {...noteField}
      />
    </FormDialog>
  );
}
