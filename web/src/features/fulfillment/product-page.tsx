// The operator's product: its settings, and whether orders reach it.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { removeProduct } from '../../api/commands.ts';
import {
  healthQuery,
  productFiguresQuery,
  productQuery,
  waitingCallsQuery,
} from '../../api/console-queries.ts';
import { useMay } from '../../api/person.ts';
import type { Health, Product, ProductFigures, WaitingCalls } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { formatCount, formatMilliseconds } from '../../text/language.ts';
import { formatPercent } from '../../text/percent.ts';
import { Badge } from '../../ui/badge.tsx';
import { AnchorButton, Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { CallTable } from './call-table.tsx';
import { ProductForm } from './product-form.tsx';
import { TestCallCard } from './product-test.tsx';
import { productModeWord } from './product-words.ts';

export function ProductPage() {
  const may = useMay();
  const { data, error, refetch } = useQuery(productQuery);
  const calls = useQuery(waitingCallsQuery);
  const { data: health } = useQuery({ ...healthQuery, refetchInterval: false });
  const { data: figures } = useQuery(productFiguresQuery);
  const [isRemoving, setIsRemoving] = useState(false);
  const product = data?.product;
  const canChange = may('admin:packages');
  const isWaiting = (calls.data?.waiting.count ?? 0) > 0 || (calls.data?.attention.count ?? 0) > 0;
  const hasCalls = product !== undefined && (product.mode !== 'none' || isWaiting);
  return (
    <>
      <PageHeader
        title={t`Product`}
        description={
          product === undefined || product.mode !== 'none'
            ? t`Your product provisions plans. It is called for each plan that starts, changes or ends.`
            : t`Your product provisions plans. It isn’t called yet, so orders complete immediately.`
        }
        mark={product && <ProductBadge product={product} calls={calls.data} />}
        actions={
          <>
            <AnchorButton href="/docs/hand-off">{t`View call reference`}</AnchorButton>
            {canChange && product !== undefined && product.url !== null ? (
              <Button look="danger" onClick={() => setIsRemoving(true)}>
                {t`Disconnect product`}
              </Button>
            ) : null}
          </>
        }
      />
      <div className="page-stack gap-5">
        {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {product === undefined || hasCalls ? (
          <Card title={t`Status`}>
            <Facts facts={[...stateFacts(product, calls.data, health), ...lastDaysFacts(figures)]} />
          </Card>
        ) : null}
        {product === undefined ? null : (
          <ProductForm
            key={`${product.mode} ${product.url} ${product.test_url}`}
            product={product}
            canChange={canChange}
          />
        )}
        {canChange && product !== undefined && product.url !== null && product.mode !== 'none' ? (
          <TestCallCard />
        ) : null}
        {hasCalls ? (
          <Card
            title={t`Pending calls`}
            description={t`Calls the product hasn’t accepted yet. Calls for one customer are sent in order.`}
            lined
          >
            <CallTable
              caption={t`Pending product calls`}
              list="waiting"
              state={tableState(calls)}
              empty={<EmptyState icon={CircleCheck} title={t`No pending calls`} />}
            />
          </Card>
        ) : null}
      </div>
      {isRemoving ? <RemoveDialog onClose={() => setIsRemoving(false)} /> : null}
    </>
  );
}

interface ProductBadgeProps {
  readonly product: Product;
  readonly calls: WaitingCalls | undefined;
}

function ProductBadge({ product: { mode }, calls }: ProductBadgeProps) {
  if (mode === 'none') return <Badge>{productModeWord(mode)}</Badge>;
  return (calls?.failing.count ?? 0) > 0 ? (
    <Badge tone="bad">{t`Not accepting calls`}</Badge>
  ) : (
    <Badge tone="good">{productModeWord(mode)}</Badge>
  );
}

function stateFacts(
  product: Product | undefined,
  calls: WaitingCalls | undefined,
  health: Health | undefined,
) {
  const job = health?.jobs.find(({ kind }) => kind === 'product_calls');
  const bounded = ({ count, more }: WaitingCalls['waiting']) => `${formatCount(count)}${more ? '+' : ''}`;
  const isIdle = calls?.waiting.count === 0 && calls.failing.since === null && calls.attention.count === 0;
  return [
    ...(product?.url === null
      ? []
      : [
          {
            name: t`Product URL`,
            value: product && <bdi className="wrap-anywhere">{product.url}</bdi>,
          },
        ]),
    ...(calls === undefined || isIdle
      ? [{ name: t`Calls`, value: calls && <Badge tone="good">{t`None pending`}</Badge> }]
      : []),
    ...(calls !== undefined && calls.waiting.count > 0
      ? [{ name: t`Pending calls`, value: bounded(calls.waiting) }]
      : []),
    ...(calls === undefined || calls.failing.since === null
      ? []
      : [
          {
            name: t`Failing`,
            value: (
              <>
                <TextLink to="/admin/attention">{bounded(calls.failing)}</TextLink>{' '}
                <Trans>
                  since <Time at={calls.failing.since} style="minute" />
                </Trans>
              </>
            ),
          },
        ]),
    ...(calls === undefined || calls.attention.count === 0
      ? []
      : [
          {
            name: t`Needs attention`,
            value: <TextLink to="/admin/attention">{bounded(calls.attention)}</TextLink>,
          },
        ]),
    // The health page has the job's runs. Here it counts only if calls are not sent.
    ...(product?.mode !== 'none' && job !== undefined && job.failures_in_a_row > 0
      ? [{ name: t`Caller`, value: <FailedTimes count={job.failures_in_a_row} /> }]
      : []),
  ];
}

/** Of the calls that are kept. Waiting calls are above. */
function lastDaysFacts(figures: ProductFigures | undefined) {
  if (figures === undefined) return [];
  const { days, accepted, refused, failed, more } = figures;
  const total = accepted + refused + failed;
  const share = total === 0 ? null : (accepted * 100) / total;
  const rest = [
    t`${formatCount(accepted)} of ${`${formatCount(total)}${more ? '+' : ''}`}`,
    ...(refused === 0 ? [] : [t`${formatCount(refused)} refused`]),
    ...(failed === 0 ? [] : [t`${formatCount(failed)} out of attempts`]),
  ];
  return [
    {
      name: t`Accepted, last ${days} days`,
      value: total === 0 ? t`No calls` : `${formatPercent(share)} (${rest.join(', ')})`,
    },
    ...(figures.median_milliseconds === null
      ? []
      : [{ name: t`Median response time`, value: formatMilliseconds(figures.median_milliseconds) }]),
    ...(figures.accepted_at === null
      ? []
      : [{ name: t`Last accepted call`, value: <Time at={figures.accepted_at} style="relative" /> }]),
  ];
}

function FailedTimes({ count }: { readonly count: number }) {
  return (
    <span className="text-bad">
      {plural(count, { one: 'Failed once', other: 'Failed # times in a row' })}
    </span>
  );
}

function RemoveDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) => removeProduct({ current_password: password }),
    says: () => t`Product disconnected. New orders complete immediately.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Disconnect product?`}
      description={t`Deletes its URLs and secrets. New orders complete immediately. You must resolve orders waiting for the product yourself.`}
      action={t`Disconnect product`}
      danger
    />
  );
}
