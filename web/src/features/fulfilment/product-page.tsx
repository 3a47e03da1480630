// The operator's product: settings and the state of the hand-off.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { removeProduct } from '../../api/commands.ts';
import { useMay } from '../../api/person.ts';
import { healthQuery, productQuery, waitingCallsQuery } from '../../api/queries.ts';
import type { Health, Product, WaitingCalls } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { formatCount } from '../../text/language.ts';
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
import { productModeWord } from './product-words.ts';

export function ProductPage() {
  const may = useMay();
  const { data, error, refetch } = useQuery(productQuery);
  const calls = useQuery(waitingCallsQuery);
  const { data: health } = useQuery({ ...healthQuery, refetchInterval: false });
  const [isRemoving, setIsRemoving] = useState(false);
  const product = data?.product;
  const canChange = may('admin:packages');
  return (
    <>
      <PageHeader
        title={t`Product`}
        description={t`What makes an order real for the customer: it is called with every change of a plan.`}
        mark={product && <ProductBadge product={product} calls={calls.data} />}
        actions={
          <>
            <AnchorButton href="/docs/hand-off">{t`What it is told`}</AnchorButton>
            {canChange && product !== undefined && product.url !== null ? (
              <Button look="danger" onClick={() => setIsRemoving(true)}>
                {t`Call it no more`}
              </Button>
            ) : null}
          </>
        }
      />
      <div className="flex flex-col gap-5">
        {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
        <Card title={t`How it goes`}>
          <Facts columns={2} facts={stateFacts(product, calls.data, health)} />
        </Card>
        {product === undefined ? null : (
          <ProductForm
            key={`${product.mode} ${product.url} ${product.test_url}`}
            product={product}
            canChange={canChange}
          />
        )}
        <Card
          title={t`Calls that wait`}
          description={t`What the product has not taken. Calls of one customer go one after another.`}
          lined
        >
          <CallTable
            caption={t`Calls that the product has not taken`}
            list="waiting"
            state={tableState(calls)}
            empty={<EmptyState icon={CircleCheck} title={t`No call waits`} />}
          />
        </Card>
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
    <Badge tone="bad">{t`Does not take calls`}</Badge>
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
  return [
    { name: t`An order is`, value: product && productModeWord(product.mode) },
    {
      name: t`Address`,
      value: product && (product.url === null ? t`None` : <bdi className="wrap-anywhere">{product.url}</bdi>),
    },
    { name: t`Calls that wait`, value: calls && bounded(calls.waiting) },
    {
      name: t`Failing now`,
      value:
        calls &&
        (calls.failing.since === null ? (
          t`None`
        ) : (
          <>
            <TextLink to="/admin/attention">{bounded(calls.failing)}</TextLink>{' '}
            <Trans>
              since <Time at={calls.failing.since} style="minute" />
            </Trans>
          </>
        )),
    },
    {
      name: t`Needs attention`,
      value:
        calls &&
        (calls.attention.count === 0 ? (
          t`None`
        ) : (
          <TextLink to="/admin/attention">{bounded(calls.attention)}</TextLink>
        )),
    },
    { name: t`Secret`, value: product && (product.has_secret ? t`Set: calls are signed` : t`Not set`) },
    ...(product?.mode === 'none' ? [] : [{ name: t`The caller`, value: job && <Caller job={job} /> }]),
  ];
}

function Caller({ job }: { readonly job: Health['jobs'][number] }) {
  if (job.failures_in_a_row > 0)
    return (
      <span className="text-bad">
        {plural(job.failures_in_a_row, { one: 'Failed once', other: 'Failed # times in a row' })}
      </span>
    );
  if (job.started_at === null) return t`Has not run yet`;
  return (
    <Trans>
      Began <Time at={job.started_at} style="relative" />
    </Trans>
  );
}

function RemoveDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) => removeProduct({ current_password: password }),
    says: () => t`The product is called no more. New orders are completed at once.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Call the product no more?`}
      description={t`Its addresses and secrets are forgotten, and new orders are completed at once. Orders that wait for it need your attention: nobody else will answer.`}
      action={t`Call it no more`}
      danger
    />
  );
}
