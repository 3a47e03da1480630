import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Monitor } from 'lucide-react';
import { revokeOtherSessions, revokeSession } from '../../api/commands.ts';
import { sessionsQuery } from '../../api/queries.ts';
import type { Session } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';

export function SessionsCard() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const revoke = useCommand(revokeSession, { onDone: () => say(t`Session ended.`) });
  const revokeOthers = useCommand(() => revokeOtherSessions(), {
    onDone: () => say(t`All other sessions have ended.`),
  });
  const others = (data?.data ?? []).filter(({ current }) => !current);
  const columns: readonly Column<Session>[] = [
    {
      title: t`Browser`,
      grows: true,
      cell: ({ user_agent: agent, address, current }) => (
        <TwoLines
          first={
            <span className="inline-flex flex-wrap items-center gap-x-2 font-medium" title={agent}>
              {browserName(agent)}
              {current ? <Badge tone="good">{t`This browser`}</Badge> : null}
            </span>
          }
          second={<code className="font-mono">{address}</code>}
        />
      ),
    },
    { title: t`Last seen`, from: 'sm', cell: ({ last_seen_at: at }) => <Time at={at} style="relative" /> },
    { title: t`Signed in`, from: 'md', cell: ({ created_at: at }) => <Time at={at} /> },
    { title: t`Ends`, from: 'lg', cell: ({ expires_at: at }) => <Time at={at} /> },
    {
      title: t`Revoke`,
      untitled: true,
      align: 'end',
      cell: ({ id, current, user_agent: agent }) =>
        current ? null : (
          <Button
            look="danger"
            aria-label={t`Sign out ${browserName(agent)}`}
            busy={revoke.isPending && revoke.variables === id}
            onClick={() => revoke.mutate(id)}
          >
            {t`Sign out`}
          </Button>
        ),
    },
  ];
  const problem = revoke.error ?? revokeOthers.error;
  return (
    <Card
      title={t`Sessions`}
      description={t`Browsers you’re signed in with. Sessions end after 12 hours of inactivity.`}
      flush
      action={
        others.length === 0 ? undefined : (
          <Button look="danger" busy={revokeOthers.isPending} onClick={() => revokeOthers.mutate(undefined)}>
            {t`Sign out all other sessions`}
          </Button>
        )
      }
    >
      {problem === null ? null : (
        <div className="px-5 pb-3">
          <ErrorNotice error={problem} />
        </div>
      )}
      <div className="border-t border-line">
        <DataTable
          caption={t`Signed-in browsers`}
          columns={columns}
          rows={data?.data}
          rowKey={({ id }) => id}
          phone={({ last_seen_at: at }) => (
            <Trans>
              Last seen <Time at={at} style="relative" />
            </Trans>
          )}
          error={error}
          onRetry={() => void refetch()}
          empty={<EmptyState icon={Monitor} title={t`No sessions`} />}
        />
      </div>
    </Card>
  );
}

const browsers = [
  [t`Edge`, /Edg\//],
  [t`Firefox`, /Firefox\//],
  [t`Chrome`, /Chrome\//],
  [t`Safari`, /Safari\//],
] as const;
const systems = [
  [t`Android`, /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  [t`Windows`, /Windows/],
  ['macOS', /Macintosh/],
  [t`Linux`, /Linux/],
] as const;

function browserName(agent: string): string {
  const browser = browsers.find(([, sign]) => sign.test(agent))?.[0] ?? t`Another program`;
  const system = systems.find(([, sign]) => sign.test(agent))?.[0];
  return system === undefined ? browser : t`${browser} on ${system}`;
}
