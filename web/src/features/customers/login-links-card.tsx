import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { GivenLink } from '../../api/shapes.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card, LineCard } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { Time } from '../../ui/time.tsx';

interface LoginLinksCardProps {
  readonly links: readonly GivenLink[] | undefined;
  readonly isOperator?: boolean;
}

export function LoginLinksCard({ links, isOperator = false }: LoginLinksCardProps) {
  if (links?.length === 0) {
    return <LineCard title={t`Login links`}>{t`None in the last 90 days.`}</LineCard>;
  }
  return (
    <Card title={t`Login links`} description={t`The latest in the last 90 days.`} lined>
      <DataTable
        caption={t`Login links of this customer`}
        columns={columnsOf(isOperator)}
        rows={links}
        phone={({ used_at: at }) =>
          at === null ? null : (
            <Trans>
              Used <Time at={at} />
            </Trans>
          )
        }
        rowKey={({ made_at: at, expires_at: until, state }) => `${at} ${until} ${state}`}
        empty={null}
      />
    </Card>
  );
}

function columnsOf(isOperator: boolean): readonly Column<GivenLink>[] {
  return [
    {
      title: t`Created`,
      grows: true,
      cell: (link) => (
        <TwoLines first={<Time at={link.made_at} />} second={<bdi>{makerOf(link, isOperator)}</bdi>} />
      ),
    },
    { title: t`Status`, cell: ({ state }) => <State state={state} /> },
    {
      title: t`Used`,
      from: 'sm',
      align: 'end',
      cell: ({ used_at: at }) => (at === null ? <span className="text-soft">–</span> : <Time at={at} />),
    },
    { title: t`Expires`, from: 'sm', align: 'end', cell: ({ expires_at: at }) => <Time at={at} /> },
  ];
}

function makerOf({ made_by: party, maker }: GivenLink, isOperator: boolean): string {
  if (party === 'order') return t`When ordering`;
  if (party === 'account') return isOperator ? t`${maker} (account)` : maker;
  return maker === '' ? t`The operator` : t`${maker} (administrator)`;
}

function State({ state }: Pick<GivenLink, 'state'>) {
  switch (state) {
    case 'used':
      return <Badge tone="good">{t`Used`}</Badge>;
    case 'open':
      return <Badge tone="accent">{t`Not used yet`}</Badge>;
    case 'replaced':
      return <Badge>{t`Replaced`}</Badge>;
    default:
      return <Badge>{t`Expired`}</Badge>;
  }
}
