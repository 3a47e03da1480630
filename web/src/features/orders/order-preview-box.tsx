// What an order will do: a sentence, the refund and the new balance. Always visible above the buttons.

import { t } from '@lingui/core/macro';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../../api/me.ts';
import type { OrderPreview } from '../../api/shapes.ts';
import { toCents } from '../../text/amounts.ts';
import { Money } from '../../ui/money.tsx';
import { priceRuleWords } from '../../ui/ruled-price.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';

interface OrderPreviewBoxProps {
  readonly preview: OrderPreview | undefined;
  readonly headline: ReactNode;
  readonly waiting: boolean;
  readonly missing?: string | undefined;
}

export function OrderPreviewBox({ preview, headline, waiting, missing }: OrderPreviewBoxProps) {
  const { currency } = useMe().account;
  if (preview === undefined) {
    return waiting ? (
      <Skeleton className="my-1 w-56" />
    ) : (
      <span className="font-normal text-soft">
        {missing ?? t`Enter a customer to see the price and when the plan ends.`}
      </span>
    );
  }
  const rule = priceRuleWords(preview);
  const isGain = preview.charge.startsWith('-');
  return (
    <section aria-label={t`Preview`}>
      <p>{headline}</p>
      <dl className="mt-0.5 flex flex-wrap gap-x-6 gap-y-0.5 font-normal">
        {toCents(preview.refund) > 0n ? (
          <>
            <Line name={t`Price`}>
              <Money amount={preview.price} currency={currency} />
            </Line>
            <Line name={t`Refund for unused time`}>
              <Money amount={preview.refund} currency={currency} signed />
            </Line>
            <Line name={isGain ? t`Returned to your balance` : t`From your balance`}>
              <Money amount={preview.charge.replace('-', '')} currency={currency} className="font-semibold" />
            </Line>
          </>
        ) : null}
        <Line name={t`Balance`}>
          <span className="inline-flex items-center gap-1.5">
            <Money amount={preview.balance} currency={currency} className="text-soft" />
            <ArrowRight aria-label={t`becomes`} className="size-3.5 text-soft" />
            <Money amount={preview.balance_after} currency={currency} className="font-semibold" />
          </span>
        </Line>
        {preview.kind === 'change' ? (
          <Line name={t`Plan runs until`}>
            <Time at={preview.expires_at} style="day" />
          </Line>
        ) : null}
      </dl>
      {rule === null ? null : <p className="mt-0.5 text-xs font-normal text-soft">{rule}</p>}
    </section>
  );
}

function Line({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-2">
      <dt className="text-soft">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
