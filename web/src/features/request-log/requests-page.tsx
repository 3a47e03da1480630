import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Activity, RotateCw } from 'lucide-react';
import { requestFiguresQuery, requestsQuery } from '../../api/log-queries.ts';
import { useMe } from '../../api/me.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { BodyCaptureSwitch } from './body-capture-switch.tsx';
import { RequestList } from './request-list.tsx';

const route = getRouteApi('/panel/requests');

export function RequestsPage() {
  const { request_log_days: days } = useMe().kept;
  const { open: _open, from, to, ...search } = route.useSearch();
  // The list uses the same queries, so each is fetched once.
  const { status: _status, cursor: _cursor, ...terms } = search;
  const span = { from: spanStart(from), to: spanEnd(to) };
  const figures = useQuery(requestFiguresQuery({ ...terms, ...span }));
  const query = useQuery(requestsQuery(null, { ...search, ...span }));
  return (
    <>
      <PageHeader
        title={t`Requests`}
        description={plural(days, {
          one: 'Requests made with your keys in the last day. Include the request ID when contacting support.',
          other:
            'Requests made with your keys in the last # days. Include the request ID when contacting support.',
        })}
        actions={
          <>
            <BodyCaptureSwitch kept={query.data?.bodies_kept} />
            <Button
              icon={RotateCw}
              busy={query.isRefetching && !query.isPlaceholderData}
              onClick={() => void Promise.all([query.refetch(), figures.refetch()])}
            >
              {t`Refresh`}
            </Button>
          </>
        }
      />
      <RequestList
        accountId={null}
        first={
          <EmptyState
            icon={Activity}
            title={t`No requests yet`}
            action={<ButtonLink to="/connect">{t`Make your first request`}</ButtonLink>}
          >
            {t`Requests made with your key appear here within a few seconds.`}
          </EmptyState>
        }
      />
    </>
  );
}
