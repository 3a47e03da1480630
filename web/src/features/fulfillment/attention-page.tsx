// Lists product calls that ran out of attempts, with their orders, and calls that are failing but will be retried.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { sendAllCallsAgain } from '../../api/commands.ts';
import { productCallsQuery } from '../../api/console-queries.ts';
import { useMay } from '../../api/person.ts';
import { attentionCountQuery } from '../../api/queries.ts';
import type { AttentionCount } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { formatCount } from '../../text/language.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { AttentionList } from './attention-list.tsx';
import { CallTable } from './call-table.tsx';
import { failingText } from './product-words.ts';

export function AttentionPage() {
  const needing = useQuery(productCallsQuery('attention'));
  const failing = useQuery(productCallsQuery('failing'));
  const { data: counts } = useQuery(attentionCountQuery);
  const [isSendingAll, setIsSendingAll] = useState(false);
  const maySend = useMay()('admin:accounts');
  const hasNeeding = (needing.data?.data.length ?? 0) > 0;
  const hasFailing = (failing.data?.data.length ?? 0) > 0;
  return (
    <>
      <PageHeader
        title={t`Needs attention`}
        description={t`Calls the product hasn’t accepted. Those that ran out of attempts aren’t retried. Resolve each one manually.`}
        actions={
          maySend && hasNeeding ? (
            <Button onClick={() => setIsSendingAll(true)}>{t`Send all again`}</Button>
          ) : null
        }
      />
      <div className="page-stack gap-5">
        {counts === undefined || counts.failing.since === null ? null : (
          <Notice tone="warn">
            {failingText(counts.failing)}{' '}
            <Trans>
              since <Time at={counts.failing.since} style="minute" />.
            </Trans>
          </Notice>
        )}
        {counts === undefined || counts.payments.count === 0 ? null : (
          <Notice tone="warn">
            <TextLink to="/admin/payments" search={{ tab: 'attention' }}>
              {paymentsWords(counts)}
            </TextLink>
            {'.'}
          </Notice>
        )}
        <AttentionList
          query={needing}
          empty={
            <EmptyState icon={CircleCheck} title={t`No product calls need attention`}>
              {counts === undefined ? null : `${failingWords(counts)} `}
              {t`Calls that ran out of attempts appear here, including those for orders.`}
            </EmptyState>
          }
        />
        {hasFailing ? (
          <Card
            title={t`Failing`}
            description={t`They are retried automatically, and immediately once the product responds again.`}
            lined
          >
            <CallTable caption={t`Failing`} list="waiting" state={tableState(failing)} empty={null} />
          </Card>
        ) : null}
      </div>
      {isSendingAll ? <SendAllDialog onClose={() => setIsSendingAll(false)} /> : null}
    </>
  );
}

function failingWords({ failing: { count } }: AttentionCount): string {
  return count === 0
    ? t`No call is failing.`
    : plural(count, { one: '# call is failing and retried.', other: '# calls are failing and retried.' });
}

function paymentsWords({ payments: { count, more } }: AttentionCount): string {
  return more
    ? t`More than ${formatCount(count)} payments need attention`
    : plural(count, { one: '# payment needs attention', other: '# payments need attention' });
}

function SendAllDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useDialogForm({
    onClose,
    send: sendAllCallsAgain,
    says: ({ calls }) => plural(calls, { one: 'Sending # call again.', other: 'Sending # calls again.' }),
  });
  return (
    <FormDialog
      form={form}
      title={t`Send all calls again?`}
      description={t`Sends every call on this list again. Calls the product doesn’t accept return to the list.`}
      action={t`Send all again`}
    />
  );
}
