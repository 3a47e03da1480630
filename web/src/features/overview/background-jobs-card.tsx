// The background jobs of all processes: those in trouble, and all of them on request.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { formatCount } from '../../text/language.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { isDatabaseAnswering, isFailing, isOverdue, type Job, type ShownHealth } from './health-state.ts';
import { jobKindWord } from './job-words.ts';

export function BackgroundJobsCard({ health }: { readonly health: ShownHealth }) {
  const [areAllShown, setAreAllShown] = useState(false);
  const jobs =
    health && isDatabaseAnswering(health)
      ? health.jobs.map((job) => ({ ...job, isOverdue: isOverdue(job, health) }))
      : [];
  const isInTrouble = (job: ShownJob) => isFailing(job) || job.isOverdue;
  const troubled = jobs.filter(isInTrouble);
  const rows = areAllShown ? [...troubled, ...jobs.filter((job) => !isInTrouble(job))] : troubled;
  return (
    <Card
      title={t`Background jobs`}
      description={t`Each job runs in one process at a time. If that process fails, another takes over.`}
      action={
        <Button
          aria-expanded={areAllShown}
          disabled={jobs.length === 0}
          onClick={() => setAreAllShown(!areAllShown)}
        >
          {areAllShown ? t`Hide` : t`Show all`}
        </Button>
      }
      lined={rows.length > 0}
    >
      {rows.length === 0 ? (
        <p className="text-soft">
          {health === undefined ? (
            <Skeleton className="w-40" />
          ) : jobs.length === 0 ? (
            t`Unknown`
          ) : (
            t`${jobsWords(jobs.length)}, all on schedule.`
          )}
        </p>
      ) : (
        <DataTable
          caption={t`Background job runs`}
          columns={jobColumns}
          rows={rows}
          rowKey={({ kind }) => kind}
          empty={null}
        />
      )}
    </Card>
  );
}

const jobsWords = (count: number) => plural(count, { one: '# job', other: '# jobs' });

interface ShownJob extends Job {
  readonly isOverdue: boolean;
}

const jobColumns: readonly Column<ShownJob>[] = [
  {
    title: t`Job`,
    cell: (job) => (
      <div className="flex flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 lg:flex-nowrap lg:whitespace-nowrap">
          {jobKindWord(job.kind)}
          <JobBadge job={job} />
        </span>
        <span className="text-soft sm:hidden">
          <Trans>
            Last run: <LastRun job={job} />. Next: <NextRun job={job} />.
          </Trans>
          {job.backlog === 0 ? null : ` ${t`Backlog: ${formatCount(job.backlog)}.`}`}
          <LastSuccess job={job} />
        </span>
        {job.last_error === null ? null : (
          <span className="text-soft wrap-anywhere lg:hidden">
            <Trans>
              Last error: <LastError job={job} />
            </Trans>
          </span>
        )}
      </div>
    ),
  },
  {
    title: t`Last run`,
    from: 'sm',
    cell: (job) => (
      <>
        <LastRun job={job} />
        <LastSuccess job={job} />
      </>
    ),
  },
  { title: t`Next run`, from: 'sm', cell: (job) => <NextRun job={job} /> },
  { title: t`Backlog`, from: 'sm', align: 'end', cell: ({ backlog }) => formatCount(backlog) },
  {
    title: t`Last error`,
    from: 'lg',
    grows: true,
    cell: (job) => (job.last_error === null ? '–' : <LastError job={job} />),
  },
];

function JobBadge({ job }: { readonly job: ShownJob }) {
  if (isFailing(job))
    return (
      <Badge tone="bad">
        {plural(job.failures_in_a_row, { one: 'Failed once', other: 'Failed # times in a row' })}
      </Badge>
    );
  if (job.isOverdue) return <Badge tone="warn">{t`Overdue`}</Badge>;
  return job.running_on === null ? null : <Badge tone="accent">{t`Running`}</Badge>;
}

function LastRun({ job }: { readonly job: Job }) {
  return job.finished_at === null ? t`never` : <Time at={job.finished_at} style="relative" />;
}

function LastSuccess({ job }: { readonly job: Job }) {
  if (!isFailing(job)) return null;
  return (
    <span className="block text-xs text-soft">
      {job.succeeded_at === null ? (
        t`Never succeeded.`
      ) : (
        <Trans>
          Succeeded <Time at={job.succeeded_at} style="relative" />
        </Trans>
      )}
    </span>
  );
}

function NextRun({ job }: { readonly job: ShownJob }) {
  if (job.running_on !== null)
    return (
      <span title={job.running_on}>
        {job.started_at === null ? (
          t`running now`
        ) : (
          <Trans>
            running, started <Time at={job.started_at} style="relative" />
          </Trans>
        )}
      </span>
    );
  if (job.next_run_at === null) return job.finished_at === null ? t`soon` : t`on demand`;
  if (job.isOverdue)
    return (
      <span className="whitespace-nowrap">
        <Trans>
          due <Time at={job.next_run_at} style="relative" />
        </Trans>
      </span>
    );
  // A due job runs as soon as a process is free.
  return Date.parse(job.next_run_at) > Date.now() ? <Time at={job.next_run_at} style="relative" /> : t`soon`;
}

function LastError({ job }: { readonly job: Job }) {
  return (
    <span className="wrap-anywhere">
      {job.last_error_at === null ? null : (
        <>
          <Time at={job.last_error_at} style="relative" />
          {': '}
        </>
      )}
      {job.last_error}
    </span>
  );
}
