// Whether the service is well: its database, its queue, its batches; and the ledgers added up again on request.

import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { verifyLedgers } from '../api/commands.ts';
import { healthQuery } from '../api/queries.ts';
import type { VerifyReport } from '../api/shapes.ts';
import { useCommand } from '../api/use-command.ts';
import { formatDuration } from '../text/times.ts';
import { counted } from '../text/words.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Facts } from '../ui/facts.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Stat, Stats } from '../ui/stat.tsx';
import { TextLink } from '../ui/text-link.tsx';

export function HealthPage() {
  const { data: health, error, refetch } = useQuery(healthQuery);
  const figures = (value: number | undefined) => value?.toLocaleString('en');
  return (
    <>
      <PageHeader title="Health" description="Asked again every five seconds." />
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
              `Half have at most so many; 95%: ${figures(health.batch_sizes.p95)}, most: ${figures(health.batch_sizes.max)}`
            }
          />
        </Stats>
        <Card title="The service">
          <Facts
            facts={[
              { name: 'Version', value: health?.version },
              { name: 'Runs since', value: health && formatDuration(health.uptime_seconds) },
            ]}
          />
        </Card>
        <LedgerCheck />
      </div>
    </>
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
      description="Adds every ledger up again. An account whose books are wrong is halted until they are found right."
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
