// Whether the service is well: its database, its queue, its batches, the work behind it; and the ledgers added up
// again on request.

import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { verifyLedgers } from '../api/commands.ts';
import { healthQuery } from '../api/queries.ts';
import type { Health, VerifyReport } from '../api/shapes.ts';
import { useCommand } from '../api/use-command.ts';
import { formatDuration } from '../text/times.ts';
import { counted, jobKindWord } from '../text/words.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Facts } from '../ui/facts.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Stat, Stats } from '../ui/stat.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { Time } from '../ui/time.tsx';

export function HealthPage() {
  const { data: health, error, refetch } = useQuery(healthQuery);
  const figures = (value: number | undefined) => value?.toLocaleString('en');
  return (
    <>
      <PageHeader title="Health" description="Refreshed every five seconds." />
      <div className="flex flex-col gap-5">
        {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
        <Stats>
          <Stat
            name="Database"
            value={health && (health.database.reachable ? 'Reachable' : 'Away')}
            note={health && `${health.database.kind}, version ${health.database.version}`}
          />
          <Stat
            name="Orders waiting"
            value={figures(health?.queue_depth)}
            note="In the lanes of all accounts"
          />
          <Stat
            name="Batches under way"
            value={figures(health?.batches_in_flight)}
            note="One transaction each"
          />
          <Stat
            name="Orders in a batch"
            value={figures(health?.batch_sizes.p50)}
            note={
              health &&
              `The median; 95th percentile: ${figures(health.batch_sizes.p95)}, maximum: ${figures(health.batch_sizes.max)}`
            }
          />
        </Stats>
        <Card title="The service">
          <Facts
            facts={[
              { name: 'Version', value: health?.version },
              { name: 'Runs since', value: health && formatDuration(health.uptime_seconds) },
              ...sharedLimitsFacts(health),
            ]}
          />
        </Card>
        <BackgroundWork jobs={health?.jobs} />
        <LedgerCheck />
      </div>
    </>
  );
}

/** Only where there is a server for them. */
function sharedLimitsFacts(health: Health | undefined) {
  const limits = health?.shared_limits;
  if (limits === undefined) return [];
  const since = `for ${formatDuration(limits.seconds)}`;
  const value = limits.reachable
    ? `Counted over all processes at ${limits.server}, ${since}`
    : `Counted by each process for itself ${since}: ${limits.server} cannot be used (${limits.problem})`;
  return [{ name: 'Limits', value }];
}

type Job = Health['jobs'][number];

const jobColumns: readonly Column<Job>[] = [
  {
    title: 'Work',
    cell: (job) => (
      <div className="flex flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 lg:flex-nowrap lg:whitespace-nowrap">
          {jobKindWord(job.kind)}
          <JobBadge job={job} />
        </span>
        <span className="text-soft sm:hidden">
          Last run: <LastRun job={job} />. Next: <NextRun job={job} />.
          {job.backlog === 0 ? null : ` Left to do: ${job.backlog.toLocaleString('en')}.`}
        </span>
        {job.last_error === null ? null : (
          <span className="text-soft wrap-anywhere lg:hidden">
            Last error: <LastError job={job} />
          </span>
        )}
      </div>
    ),
  },
  { title: 'Last run', from: 'sm', cell: (job) => <LastRun job={job} /> },
  { title: 'Next run', from: 'sm', cell: (job) => <NextRun job={job} /> },
  { title: 'Left to do', from: 'sm', align: 'end', cell: ({ backlog }) => backlog.toLocaleString('en') },
  {
    title: 'Last error',
    from: 'lg',
    grows: true,
    cell: (job) => (job.last_error === null ? 'None' : <LastError job={job} />),
  },
];

function BackgroundWork({ jobs }: { readonly jobs: readonly Job[] | undefined }) {
  return (
    <Card
      title="Background work"
      description="Each runs in one process at a time. If that process dies, another takes over."
      flush
    >
      <DataTable
        caption="Runs of background work"
        columns={jobColumns}
        rows={jobs}
        rowKey={({ kind }) => kind}
        empty={null}
      />
    </Card>
  );
}

function JobBadge({ job }: { readonly job: Job }) {
  if (job.failures_in_a_row > 0) return <Badge tone="bad">Failing</Badge>;
  return job.running_on === null ? null : <Badge tone="accent">Running</Badge>;
}

function LastRun({ job }: { readonly job: Job }) {
  return job.finished_at === null ? 'never' : <Time at={job.finished_at} style="relative" />;
}

function NextRun({ job }: { readonly job: Job }) {
  if (job.running_on !== null) return <span title={job.running_on}>running now</span>;
  if (job.next_run_at !== null) return <Time at={job.next_run_at} style="relative" />;
  return job.finished_at === null ? 'soon' : 'when asked for';
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

type Problem = VerifyReport['problems'][number];

const problemColumns: readonly Column<Problem & { readonly key: number }>[] = [
  {
    title: 'Account',
    cell: ({ account_id: id }) => (
      <TextLink to="/admin/accounts/$accountId" params={{ accountId: String(id) }}>
        {id}
      </TextLink>
    ),
  },
  { title: 'Subject', cell: ({ subject }) => subject },
  { title: 'Problem', grows: true, cell: ({ problem }) => <span className="wrap-anywhere">{problem}</span> },
];

function LedgerCheck() {
  const command = useCommand(() => verifyLedgers());
  const report = command.data;
  return (
    <Card
      title="Ledgers"
      description="Adds up every ledger again. An account whose books are wrong is halted until they are found to be right."
      action={
        <Button busy={command.isPending} onClick={() => command.mutate(undefined)}>
          <ListChecks aria-hidden="true" className="size-4" />
          Verify now
        </Button>
      }
    >
      <div aria-live="polite" className="flex flex-col gap-4">
        {command.error === null ? null : <ErrorNotice error={command.error} />}
        {report === undefined ? (
          <p className="text-soft">Not verified since this page was opened.</p>
        ) : (
          <Notice tone={report.ok ? 'good' : 'warn'}>
            {report.ok ? 'Everything adds up: ' : `${counted(report.problems.length, 'problem')} in `}
            {counted(report.accounts, 'account')}, {counted(report.entries, 'ledger entry', 'ledger entries')}
            .
          </Notice>
        )}
        {report === undefined || report.ok ? null : (
          <DataTable
            caption="Problems"
            columns={problemColumns}
            rows={report.problems.map((problem, key) => ({ ...problem, key }))}
            rowKey={({ key }) => key}
            empty={null}
          />
        )}
      </div>
    </Card>
  );
}
