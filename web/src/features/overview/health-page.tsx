// The service's health: a verdict, database, requests, calls, backup, jobs and verifications.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { healthQuery } from '../../api/console-queries.ts';
import type { Health } from '../../api/shapes.ts';
import { formatCount, formatMilliseconds } from '../../text/language.ts';
import { formatPercent } from '../../text/percent.ts';
import { formatDuration } from '../../text/times.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';
import { Time } from '../../ui/time.tsx';
import { BackgroundJobsCard } from './background-jobs-card.tsx';
import { backupStateOf, type ShownHealth } from './health-state.ts';
import { Verdict } from './health-verdict.tsx';
import { LedgersCard } from './ledgers-card.tsx';

export function HealthPage() {
  const { data, error, refetch } = useQuery(healthQuery);
  // What an earlier answer said may no longer be true.
  const health = error === null ? data : null;
  return (
    <>
      <PageHeader title={t`Health`} description={t`Refreshed every five seconds.`} />
      <div className="page-stack gap-5">
        {error === null ? (
          <Verdict health={data} />
        ) : (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        )}
        <Figures health={health} />
        <BackgroundJobsCard health={health} />
        <LedgersCard health={health} />
        {health === null ? null : (
          <Card title={t`This process`}>
            <Facts
              facts={[
                { name: t`Version`, value: health?.version },
                { name: t`Running for`, value: health && formatDuration(health.uptime_seconds) },
                ...sharedLimitsFacts(health),
              ]}
            />
          </Card>
        )}
      </div>
    </>
  );
}

function Figures({ health }: { readonly health: ShownHealth }) {
  if (health === null)
    return (
      <Stats>
        {[t`Database`, t`Failed requests`, t`Oldest waiting call`, t`Last backup`].map((name) => (
          <Stat key={name} name={name} value={t`Unknown`} />
        ))}
      </Stats>
    );
  return (
    <Stats>
      <Stat
        name={t`Database`}
        value={health && (health.database.reachable ? t`Reachable` : t`Unreachable`)}
        note={health && databaseWords(health)}
      />
      <Stat
        name={t`Failed requests`}
        value={health && failedShare(health)}
        note={
          health &&
          t`Of the last ${formatCount(health.requests.count)}. Median ${formatMilliseconds(health.requests.p50)}, 95th percentile ${formatMilliseconds(health.requests.p95)}`
        }
      />
      <Stat
        name={t`Oldest waiting call`}
        value={health && <Oldest health={health} />}
        note={health && waitingWords(health)}
      />
      <Stat
        name={t`Last backup`}
        value={health && <LastBackup health={health} />}
        note={backupWords(health)}
      />
    </Stats>
  );
}

/** The share of answers with a status from 500 on. */
function failedShare({ requests: { count, failed } }: Health): string {
  return formatPercent(count === 0 ? null : (failed * 100) / count);
}

function Oldest({ health: { waiting_calls: waiting } }: { readonly health: Health }) {
  if (waiting === null) return t`Unknown`;
  return waiting.since === null ? t`None waiting` : <Time at={waiting.since} style="relative" />;
}

function waitingWords({ waiting_calls: waiting, queue_depth: queued }: Health): string {
  const orders = plural(queued, { one: '# order queued', other: '# orders queued' });
  if (waiting === null) return orders;
  const calls = waiting.more
    ? t`More than ${formatCount(waiting.count)} calls waiting`
    : plural(waiting.count, { one: '# call waiting', other: '# calls waiting' });
  return `${calls}, ${orders}`;
}

function LastBackup({ health }: { readonly health: Health }) {
  const state = backupStateOf(health);
  if (state === 'unknown') return t`Unknown`;
  if (state === 'elsewhere') return t`Elsewhere`;
  const madeAt = health.backups?.made_at ?? null;
  return madeAt === null ? t`None` : <Time at={madeAt} style="relative" />;
}

function backupWords(health: Health | undefined): ReactNode {
  const madeAt = health?.backups?.made_at ?? null;
  const isElsewhere = health !== undefined && backupStateOf(health) === 'elsewhere';
  if (madeAt === null) return isElsewhere ? t`Not checked here` : undefined;
  if (!isElsewhere) return t`By “sellthrough backup”`;
  return (
    <Trans>
      Not checked here. By “sellthrough backup”: <Time at={madeAt} style="relative" />
    </Trans>
  );
}

function sharedLimitsFacts(health: Health | undefined) {
  const limits = health?.shared_limits;
  if (limits === undefined) return [];
  const since = t`for ${formatDuration(limits.seconds)}`;
  const value = limits.reachable
    ? t`Counted across all processes at ${limits.server}, ${since}`
    : t`Counted per process ${since}: ${limits.server} is unavailable (${limits.problem ?? ''})`;
  return [{ name: t`Limits`, value }];
}

function databaseWords({ database: { kind, version } }: Health): string {
  if (version === '') return kind === 'embedded' ? t`Embedded` : 'PostgreSQL';
  // Some servers add the name of their package.
  const [number = ''] = version.split(' ');
  return kind === 'embedded' ? t`Embedded, version ${number}` : t`PostgreSQL, version ${number}`;
}
