// Says what became of a top-up, and what to do next. Invariant: nothing is called credited before `credited_at`.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { panelMode } from '../../api/panel-mode.ts';
import { balanceQuery } from '../../api/queries.ts';
import type { Topup } from '../../api/shapes.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';
import { Anchor } from '../../ui/anchor.tsx';
import { AnchorButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';

interface TopupStateProps {
  readonly topup: Topup;
  /** The payer returned from the provider's page, where it was paid. */
  readonly isConfirming: boolean;
  /** The provider's page opens in a new tab. */
  readonly opensTab?: boolean;
}

export function TopupState(props: TopupStateProps) {
  return (
    <div role="status">
      {props.topup.credited_at === null ? <Unpaid {...props} /> : <Credited {...props} />}
    </div>
  );
}

function Unpaid({ topup, isConfirming, opensTab = false }: TopupStateProps) {
  const { status, method, pay_url: url, expires_at: until } = topup;
  const target = opensTab ? { target: '_blank', rel: 'noopener' } : {};
  switch (status) {
    case 'processing':
      return (
        <Notice tone="info">
          {panelMode === 'test'
            ? t`The payment is on its way. It arrives one minute later on the test clock: move the clock to see it.`
            : t`The payment is on its way. Some ways to pay, such as direct debit, take a few days. The balance rises once the money has arrived.`}
        </Notice>
      );
    case 'failed':
      return <Notice tone="warn">{t`The payment failed. Nothing was added to the balance.`}</Notice>;
    case 'expired':
      return (
        <Notice tone="warn">
          {t`This top-up expired before it was paid. Money that still arrives is added to the balance all the same.`}
        </Notice>
      );
    case 'cancelled':
      return (
        <Notice tone="warn">
          {t`This top-up was canceled. Money that still arrives is added to the balance all the same.`}
        </Notice>
      );
    default:
      break;
  }
  if (method === 'bank_transfer') {
    return (
      <Notice tone="info">
        {t`Waiting for your transfer. The balance rises once the money has arrived, usually after one or two working days.`}
      </Notice>
    );
  }
  if (isConfirming) {
    return (
      <Notice tone="info">
        <p className="font-medium">{t`Your payment is being confirmed.`}</p>
        <p>{t`This usually takes a few seconds. This page shows when the money has arrived.`}</p>
        {url === undefined ? null : (
          <p className="mt-1">
            <Anchor href={url} {...target}>{t`Not paid yet? Back to the payment page`}</Anchor>
          </p>
        )}
      </Notice>
    );
  }
  return (
    <Notice tone="info">
      <p>
        {until === null ? (
          t`Not paid yet.`
        ) : (
          <Trans>
            Not paid yet. You can pay until <Time at={until} />.
          </Trans>
        )}
      </p>
      {url === undefined ? null : (
        <AnchorButton look="primary" icon={ExternalLink} className="mt-2" href={url} {...target}>
          {opensTab ? t`Open the payment page` : t`Continue to payment`}
        </AnchorButton>
      )}
    </Notice>
  );
}

function Credited({ topup }: TopupStateProps) {
  const { amount, currency, refunded, disputed, credited_at: at } = topup;
  // Read only now, so that it includes this credit.
  const { data } = useQuery({ ...balanceQuery, staleTime: 0 });
  const isBack = toCents(refunded) + toCents(disputed) > 0n;
  const added = formatMoney(amount, currency);
  const parts: ReactNode[] = [
    ...(toCents(refunded) > 0n ? [t`${formatMoney(refunded, currency)} of it was refunded.`] : []),
    ...(toCents(disputed) > 0n
      ? [t`${formatMoney(disputed, currency)} of it was disputed and taken back.`]
      : []),
    ...(data === undefined ? [] : [t`The balance is now ${formatMoney(data.balance, currency)}.`]),
  ];
  return (
    <Notice tone={isBack ? 'warn' : 'good'}>
      <p className="font-medium">
        <Trans>
          {added} was added to the balance on <Time at={at ?? ''} />.
        </Trans>
      </p>
      <p>{parts.join(' ')}</p>
    </Notice>
  );
}
