import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/queries.ts';
import { formatCount } from '../../text/language.ts';
import { formatDuration } from '../../text/times.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

export function UsageCard() {
  const { data: usage, error, refetch } = useQuery(usageQuery);
  return (
    <Card
      title={t`Rate limit`}
      description={t`API requests only; panel use doesn’t count.`}
      action={<ButtonLink to="/requests">{t`Requests`}</ButtonLink>}
    >
      {usage === undefined ? (
        error === null ? (
          <Skeleton className="h-14 w-full" />
        ) : (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <p className="figures mb-2 text-xl font-semibold tracking-tight">
            {formatCount(usage.used)}
            <span className="text-sm font-normal text-soft">
              {' '}
              {usage.window_seconds === 60
                ? t`of ${formatCount(usage.limit)} used in a minute`
                : t`of ${formatCount(usage.limit)} used in ${formatDuration(usage.window_seconds)}`}
            </span>
          </p>
          <Meter label={t`Requests used`} value={usage.used} max={usage.limit} />
          <p className="mt-2 text-soft">
            {usage.remaining === 0
              ? t`Requests are refused with rate_limited for ${formatDuration(usage.reset_seconds)}.`
              : t`${formatCount(usage.remaining)} left. The operator sets the limit.`}
          </p>
        </>
      )}
    </Card>
  );
}
