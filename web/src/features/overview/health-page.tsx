// The service's health: a verdict, database, queue, batches, jobs, and a button that starts verification.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { verifyLedgers } from '../../api/commands.ts';
import { healthQuery } from '../../api/console-queries.ts';
import { attentionCountQuery } from '../../api/queries.ts';
import type { Health, VerifyReport } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatCount, formatMilliseconds } from '../../text/language.ts';
import { formatPercent } from '../../text/percent.ts';
import { formatDuration } from '../../text/times.ts';
import { Anchor } from '../../ui/anchor.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { failingText } from '../fulfillment/product-words.ts';
import { jobKindWord } from './job-words.ts';

export function HealthPage() {
  const { data: health, error, refetch } = useQuery(healthQuery);
  return (
    <>
      <PageHeader title={t`Health`} description={t`Refreshed every five seconds.`} />
      <div className="page-stack gap-5">
        {error === null ? (
          <Verdict health={health} />
        ) : (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        )}
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
            note={health && t`${waitingWords(health)}, ${ordersWords(health.queue_depth)} queued`}
          />
          <Stat
            name={t`Last backup`}
            value={
              health &&
              (health.backed_up_at === null ? t`None` : <Time at={health.backed_up_at} style="relative" />)
            }
            note={t`By “sellthrough backup”`}
          />
        </Stats>
        <BackgroundWork jobs={health?.jobs} />
        <LedgerCheck
          last={health?.last_verification}
          ranAt={health?.jobs.find(({ kind }) => kind === 'audit')?.succeeded_at ?? null}
        />
        <Card title={t`This process`}>
          <Facts
            facts={[
              { name: t`Version`, value: health?.version },
              { name: t`Running for`, value: health && formatDuration(health.uptime_seconds) },
              ...sharedLimitsFacts(health),
            ]}
          />
        </Card>
      </div>
    </>
  );
}

/** Backups run every night; one may be missed. */
const oldBackupMilliseconds = 48 * 3_600_000;

function Verdict({ health }: { readonly health: Health | undefined }) {
  const { data: calls } = useQuery(attentionCountQuery);
  if (health === undefined) return <Skeleton className="h-16 w-full sm:h-11" />;
  const failing = health.jobs.filter(isFailing);
  const limits = health.shared_limits;
  const areCallsFailing = (calls?.failing.count ?? 0) > 0;
  const isBalanced = health.last_verification?.ok ?? true;
  const isWell =
    health.database.reachable &&
    failing.length === 0 &&
    (limits?.reachable ?? true) &&
    !areCallsFailing &&
    isBalanced &&
    !health.frozen_accounts;
  const isEmbedded = health.database.kind === 'embedded';
  const { backed_up_at: backedUpAt } = health;
  const lacksBackup = health.database.reachable && backedUpAt === null;
  const isOld = backedUpAt !== null && Date.now() - Date.parse(backedUpAt) > oldBackupMilliseconds;
  return (
    <Notice tone={isWell && !lacksBackup && !isOld ? 'good' : 'warn'}>
      {isWell ? (
        <>
          <strong className="font-medium">
            {lacksBackup ? t`Running, but there is no backup yet` : null}
            {isOld ? t`Running, but the last backup is old` : null}
            {lacksBackup || isOld ? null : t`All systems normal`}
          </strong>
          {lacksBackup || isOld ? '. ' : null}
        </>
      ) : (
        <>
          {health.database.reachable ? null : <p>{t`The database doesn’t respond.`}</p>}
          {failing.length === 0 ? null : (
            <p>
              {t`Failing: ${failing.map(({ kind }) => jobKindWord(kind)).join(', ')}. See the error below; it’s retried automatically.`}
            </p>
          )}
          {isBalanced ? null : <p>{t`The last verification found ledgers that don’t balance.`}</p>}
          {health.frozen_accounts ? (
            <p>
              <TextLink to="/admin/accounts" search={{ state: 'halted' }}>
                {plural(health.frozen_accounts, {
                  one: '# account is frozen',
                  other: '# accounts are frozen',
                })}
              </TextLink>
              {'.'}
            </p>
          ) : null}
          {limits === undefined || limits.reachable ? null : (
            <p>{t`${limits.server} is unavailable: request limits are counted per process.`}</p>
          )}
          {areCallsFailing && calls !== undefined ? (
            <p>
              <TextLink to="/admin/attention">{failingText(calls.failing)}</TextLink>
              {'.'}
            </p>
          ) : null}
          {lacksBackup ? t`There is no backup yet.` : null}
          {isOld ? t`The last backup is old.` : null}{' '}
        </>
      )}
      {isOld ? (
        <Trans>
          It was made <Time at={backedUpAt} style="relative" />.
        </Trans>
      ) : null}
      {lacksBackup ? (
        <>
          <Anchor href={isEmbedded ? '/docs/operations#backups' : '/docs/postgresql#backups'}>
            {t`Set up nightly backups`}
          </Anchor>
          {isEmbedded ? '.' : `. ${t`Backups of PostgreSQL itself aren’t counted.`}`}
        </>
      ) : null}
    </Notice>
  );
}

/** The share of answers with a status from 500 on. */
function failedShare({ requests: { count, failed } }: Health): string {
  return formatPercent(count === 0 ? null : (failed * 100) / count);
}

function Oldest({ health: { waiting_calls: waiting } }: { readonly health: Health }) {
  if (waiting === null) return '–';
  return waiting.since === null ? t`None` : <Time at={waiting.since} style="relative" />;
}

function waitingWords({ waiting_calls: waiting }: Health): string {
  const count = waiting?.count ?? 0;
  return waiting?.more === true
    ? t`More than ${formatCount(count)} calls waiting`
    : plural(count, { one: '# call waiting', other: '# calls waiting' });
}

const ordersWords = (count: number) => plural(count, { one: '# order', other: '# orders' });

function sharedLimitsFacts(health: Health | undefined) {
  const limits = health?.shared_limits;
  if (limits === undefined) return [];
  const since = t`for ${formatDuration(limits.seconds)}`;
  const value = limits.reachable
    ? t`Counted across all processes at ${limits.server}, ${since}`
    : t`Counted per process ${since}: ${limits.server} is unavailable (${limits.problem ?? ''})`;
  return [{ name: t`Limits`, value }];
}

type Job = Health['jobs'][number];

const jobColumns: readonly Column<Job>[] = [
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

function BackgroundWork({ jobs }: { readonly jobs: readonly Job[] | undefined }) {
  const [areAllShown, setAreAllShown] = useState(false);
  const failing = jobs?.filter(isFailing) ?? [];
  const rows = areAllShown ? [...failing, ...(jobs ?? []).filter((job) => !isFailing(job))] : failing;
  return (
    <Card
      title={t`Background jobs`}
      description={t`Each job runs in one process at a time. If that process fails, another takes over.`}
      action={
        <Button
          aria-expanded={areAllShown}
          disabled={jobs === undefined}
          onClick={() => setAreAllShown(!areAllShown)}
        >
          {areAllShown ? t`Hide` : t`Show all`}
        </Button>
      }
      lined={rows.length > 0}
    >
      {rows.length === 0 ? (
        <p className="text-soft">
          {jobs === undefined ? <Skeleton className="w-40" /> : t`${jobsWords(jobs.length)}, none failing.`}
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

function isFailing({ failures_in_a_row: failures }: Job): boolean {
  return failures > 0;
}

function JobBadge({ job }: { readonly job: Job }) {
  if (isFailing(job))
    return (
      <Badge tone="bad">
        {plural(job.failures_in_a_row, { one: 'Failed once', other: 'Failed # times in a row' })}
      </Badge>
    );
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

function NextRun({ job }: { readonly job: Job }) {
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

const databaseWords = ({ database: { kind, version } }: Health) =>
  kind === 'embedded' ? t`Embedded, version ${version}` : t`PostgreSQL, version ${version}`;

type Problem = VerifyReport['problems'][number];

const problemColumns: readonly Column<Problem & { readonly key: number }>[] = [
  {
    title: t`Account`,
    cell: ({ account_id: id }) => (
      <TextLink to="/admin/accounts/$accountId" params={{ accountId: String(id) }}>
        {id}
      </TextLink>
    ),
  },
  { title: t`Subject`, cell: ({ subject }) => subject },
  { title: t`Problem`, grows: true, cell: ({ problem }) => <span className="wrap-anywhere">{problem}</span> },
];

const jobsWords = (count: number) => plural(count, { one: '# job', other: '# jobs' });
const accountsWords = (count: number) => plural(count, { one: '# account', other: '# accounts' });
const entriesWords = (count: number) => plural(count, { one: '# ledger entry', other: '# ledger entries' });

interface LedgerCheckProps {
  /** null: this process has verified none yet; undefined: not known yet. */
  readonly last: Health['last_verification'] | undefined;
  /** When the job last verified in any process. */
  readonly ranAt: string | null;
}

function LedgerCheck({ last, ranAt }: LedgerCheckProps) {
  const command = useCommand(() => verifyLedgers());
  const report = command.data;
  return (
    <Card
      title={t`Ledgers`}
      description={t`Recalculates every ledger. Accounts that don’t balance are frozen.`}
      action={
        <Button icon={ListChecks} busy={command.isPending} onClick={() => command.mutate(undefined)}>
          {t`Verify now`}
        </Button>
      }
    >
      <div aria-live="polite" className="flex flex-col gap-4">
        {command.error === null ? null : <ErrorNotice error={command.error} />}
        {report === undefined ? (
          <LastVerification last={last} ranAt={ranAt} />
        ) : (
          <Notice tone={report.ok ? 'good' : 'warn'}>
            {report.ok
              ? t`Everything balances: ${accountsWords(report.accounts)}, ${entriesWords(report.entries)}.`
              : t`${plural(report.problems.length, { one: '# problem', other: '# problems' })} in ${accountsWords(report.accounts)}, ${entriesWords(report.entries)}.`}
          </Notice>
        )}
        {report === undefined || report.ok ? null : (
          <DataTable
            caption={t`Problems`}
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

function LastVerification({ last, ranAt }: LedgerCheckProps) {
  if (last === undefined) return null;
  if (last === null && ranAt === null) return <p className="text-soft">{t`Not verified yet.`}</p>;
  if (last === null)
    return (
      <p className="text-soft">
        <Trans>
          Last verified <Time at={ranAt ?? ''} style="relative" />.
        </Trans>
      </p>
    );
  const { at, ok, accounts, entries, problems } = last;
  return (
    <Notice tone={ok ? 'good' : 'warn'}>
      {ok
        ? t`Everything balances: ${accountsWords(accounts)}, ${entriesWords(entries)}.`
        : t`${plural(problems, { one: '# problem', other: '# problems' })} in ${accountsWords(accounts)}, ${entriesWords(entries)}.`}{' '}
      <span className="text-soft">
        <Trans>
          Last verified <Time at={at} style="relative" />.
        </Trans>
      </span>
    </Notice>
  );
}
