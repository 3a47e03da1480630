// Recent refusals by code, linked to the requests. Renders nothing if there are none.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { refusalCountsQuery } from '../../api/queries.ts';
import type { RefusalCount } from '../../api/shapes.ts';
import { timesOfUtc } from '../../text/days.ts';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { figures } from '../../ui/figures.tsx';
import { RowLink } from '../../ui/text-link.tsx';

const daysShown = 7;

export function RefusedRequestsCard() {
  const to = new Date().toISOString().slice(0, 10);
  const from = new Date(Date.parse(to) - (daysShown - 1) * 86_400_000).toISOString().slice(0, 10);
  const { data } = useQuery(refusalCountsQuery(null, { from, to }));
  if (data === undefined || data.data.length === 0) return null;
  const columns: readonly Column<RefusalCount>[] = [
    {
      title: t`Code`,
      grows: true,
      cell: ({ code }) => (
        <RowLink to="/requests" search={{ code, from: timesOfUtc(from).from, to: timesOfUtc(to).to }}>
          <code className="font-mono text-[0.8125rem]">{code}</code>
        </RowLink>
      ),
    },
    { title: t`Requests`, align: 'end', cell: ({ count }) => figures(count) },
  ];
  return (
    <Card
      title={t`Refused requests`}
      description={t`Last 7 days (UTC). Select a code to see its requests.`}
      lined
    >
      <DataTable
        caption={t`Refusals by code`}
        columns={columns}
        rows={data.data}
        rowKey={({ code }) => code}
        empty={<EmptyState icon={CircleCheck} title={t`No requests were refused`} />}
      />
    </Card>
  );
}
