// Orders that the operator's product did not answer in time: an administrator completes each in its place, or fails it. What that
// does to the money is said before.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { settleOrder } from '../api/commands.ts';
import { useMay } from '../api/person.ts';
import { attentionQuery } from '../api/queries.ts';
import type { AttentionOrder } from '../api/shapes.ts';
import { tableState } from '../api/table-state.ts';
import { useCommand } from '../api/use-command.ts';
import { formatMoney } from '../text/amounts.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Money } from '../ui/money.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { RowLink, TextLink } from '../ui/text-link.tsx';
import { Time } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';

interface Asked {
  readonly of: AttentionOrder;
  readonly outcome: 'accept' | 'fail';
}

export function AttentionPage() {
  const query = useQuery(attentionQuery);
  const [asked, setAsked] = useState<Asked | null>(null);
  const maySettle = useMay()('admin:credit');
  const columns: readonly Column<AttentionOrder>[] = [
    {
      title: t`Order`,
      grows: true,
      cell: ({ order, account }) => (
        <TwoLines
          first={
            <RowLink to="/admin/orders/$orderId" params={{ orderId: String(order.id) }}>
              <bdi>{order.customer.reference}</bdi>
            </RowLink>
          }
          second={<bdi className="md:hidden">{account.username}</bdi>}
        />
      ),
    },
    {
      title: t`Account`,
      from: 'md',
      cell: ({ account }) => (
        <TextLink to="/admin/accounts/$accountId" params={{ accountId: String(account.id) }}>
          <bdi>{account.username}</bdi>
        </TextLink>
      ),
    },
    { title: t`Package`, from: 'md', cell: ({ order }) => <bdi>{order.package.name}</bdi> },
    { title: t`Ordered`, from: 'sm', cell: ({ order }) => <Time at={order.created_at} style="minute" /> },
    {
      title: t`The product said`,
      from: 'lg',
      cell: ({ call }) => call.last_error ?? call.last_status ?? t`Nothing`,
    },
    {
      title: t`Charged`,
      align: 'end',
      cell: ({ order }) => <Money amount={order.price} currency={order.currency} />,
    },
    ...(maySettle
      ? [
          {
            title: t`Decide`,
            untitled: true,
            align: 'end',
            cell: (of: AttentionOrder) => (
              <span className="inline-flex flex-wrap justify-end gap-2">
                <Button onClick={() => setAsked({ of, outcome: 'accept' })}>
                  <Trans>Accept</Trans>
                </Button>
                <Button onClick={() => setAsked({ of, outcome: 'fail' })}>
                  <Trans>Fail</Trans>
                </Button>
              </span>
            ),
          } as const,
        ]
      : []),
  ];
  return (
    <>
      <PageHeader
        title={t`Needs attention`}
        description={t`Orders that the product has not answered. It is not asked again: decide about each one.`}
      />
      <Card flush>
        <DataTable
          caption={t`Needs attention`}
          columns={columns}
          {...tableState(query)}
          rowKey={({ order }) => order.id}
          phone={({ order }) => <Time at={order.created_at} />}
          empty={
            <EmptyState icon={CircleCheck} title={t`Nothing waits for you`}>
              <Trans>Orders that the product has not answered for 72 hours are listed here.</Trans>
            </EmptyState>
          }
        />
      </Card>
      {asked === null ? null : <SettleDialog asked={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function SettleDialog({
  asked: { of, outcome },
  onClose,
}: {
  readonly asked: Asked;
  readonly onClose: () => void;
}) {
  const { order, account } = of;
  const [reason, setReason] = useState('');
  const fails = outcome === 'fail';
  const { username } = account;
  const { name } = order.package;
  const customer = order.customer.reference;
  const price = formatMoney(order.price, order.currency);
  const command = useCommand(() => settleOrder(order.id, outcome, reason.trim()), {
    onDone: () => {
      say(fails ? t`The order has failed. ${username} has its money back.` : t`The order is completed.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={fails ? t`Fail this order?` : t`Complete this order?`}
      description={
        fails
          ? t`${username} gets back what the order took: its price was ${price}. The plan of ${customer} stays as it was before.`
          : t`${customer} gets ${name}. The price of ${price} stays charged to ${username}. The product is not called again: it must have the plan already, or get it from you.`
      }
      action={fails ? t`Fail the order` : t`Complete the order`}
      danger={fails}
      busy={command.isPending}
      ready={!fails || reason.trim() !== ''}
      error={command.error}
      onSubmit={() => command.mutate(undefined)}
      onClose={onClose}
    >
      {fails ? (
        <TextField
          label={t`Reason, for the account`}
          value={reason}
          maxLength={200}
          required
          onText={setReason}
        />
      ) : null}
    </FormDialog>
  );
}
