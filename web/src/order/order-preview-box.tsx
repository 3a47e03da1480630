// What an order will do, before it does it: price, refund, balance and the plan's new end.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import type { OrderPreview } from '../api/shapes.ts';
import { toCents } from '../text/amounts.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Money } from '../ui/money.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { Time } from '../ui/time.tsx';

interface OrderPreviewBoxProps {
  readonly preview: OrderPreview | undefined;
  readonly error: Error | null;
  readonly waiting: boolean;
}

export function OrderPreviewBox({ preview, error, waiting }: OrderPreviewBoxProps) {
  const { currency } = useMe().account;
  if (error !== null && !waiting) {
    return (
      <ErrorNotice error={error}>
        {error instanceof ApiError && error.code === 'insufficient_credit' ? (
          <p>
            <Trans>
              The operator of this service tops it up. <TextLink to="/ledger">See your ledger</TextLink>
            </Trans>
          </p>
        ) : null}
      </ErrorNotice>
    );
  }
  if (preview === undefined) {
    return (
      <div className="rounded-control border border-dashed border-edge px-4 py-3 text-soft">
        {waiting ? (
          <Skeleton className="w-56" />
        ) : (
          t`Enter a customer to see what the order costs and when the plan ends.`
        )}
      </div>
    );
  }
  const isGain = preview.charge.startsWith('-');
  const hasRefund = toCents(preview.refund) > 0n;
  return (
    <section
      aria-label={t`Preview`}
      aria-live="polite"
      className="rounded-control border border-line bg-fill/60 px-4 py-3"
    >
      <dl>
        <Line name={t`Price`}>
          <Money amount={preview.price} currency={currency} />
        </Line>
        {hasRefund ? (
          <>
            <Line name={t`Refund for unused time`}>
              <Money amount={preview.refund} currency={currency} signed />
            </Line>
            <Line name={isGain ? t`Given back to your balance` : t`Taken from your balance`}>
              <Money amount={preview.charge.replace('-', '')} currency={currency} className="font-semibold" />
            </Line>
          </>
        ) : null}
        <Line name={t`Balance`}>
          <span className="inline-flex items-center gap-2">
            <Money amount={preview.balance} currency={currency} className="text-soft" />
            <ArrowRight aria-label={t`becomes`} className="size-3.5 text-soft" />
            <Money amount={preview.balance_after} currency={currency} className="font-semibold" />
          </span>
        </Line>
        <Line name={t`Plan runs until`}>
          <Time at={preview.expires_at} />
        </Line>
      </dl>
    </section>
  );
}

function Line({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4 py-0.5">
      <dt className="text-soft">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
