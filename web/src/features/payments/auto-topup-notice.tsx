// On the overview: where automatic top-up is set, and that it stopped by itself.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { autoTopupQuery } from '../../api/payment-queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { TextLink } from '../../ui/text-link.tsx';

export default function AutoTopupNotice() {
  const { data } = useQuery(autoTopupQuery);
  const reason = data?.auto_topup.reason ?? null;
  if (reason === null) return null;
  return (
    <Notice tone="warn">
      {reason === 'failed'
        ? t`Automatic top-up was turned off, because three payments in a row failed.`
        : reason === 'disputed'
          ? t`Automatic top-up paused, because a payment by the card was disputed.`
          : t`Automatic top-up paused, because your bank wants you to confirm a payment.`}{' '}
      <TextLink to="/top-ups">{t`Look at it`}</TextLink>
    </Notice>
  );
}
