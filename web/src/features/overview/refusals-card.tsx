// Refused requests of all accounts by code: what each means, and which account got it most often.

import { t } from '@lingui/core/macro';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import type { ConsoleOverview } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { figures } from '../../ui/figures.tsx';
import { RowLink, TextLink } from '../../ui/text-link.tsx';
import { refusalMeaning } from '../request-log/refusal-meanings.ts';

type Refusal = ConsoleOverview['refusals'][number];

interface RefusalsCardProps {
  readonly data: ConsoleOverview | undefined;
  /** The span in words. */
  readonly words: string;
  readonly code: string | undefined;
  readonly error: Error | null;
}

const shownAtFirst = 6;

const columns: readonly Column<Refusal>[] = [
  {
    title: t`Code`,
    grows: true,
    cell: ({ code }) => (
      <TwoLines
        first={
          <RowLink to="/admin" search={(now) => ({ ...now, code })} resetScroll={false}>
            <code className="font-mono text-[0.8125rem]">{code}</code>
          </RowLink>
        }
        second={<span className="whitespace-normal">{refusalMeaning(code)?.means}</span>}
      />
    ),
  },
  {
    title: t`Most often`,
    from: 'sm',
    cell: ({ code, account }) =>
      account === null ? (
        <span className="text-soft">–</span>
      ) : (
        <TextLink
          to="/admin/accounts/$accountId"
          params={{ accountId: String(account.id) }}
          search={{ tab: 'requests', code }}
        >
          <bdi className="block max-w-40 truncate">{account.username}</bdi>
        </TextLink>
      ),
  },
  { title: t`Requests`, align: 'end', cell: ({ count }) => figures(count) },
];

export function RefusalsCard({ data, words, code, error }: RefusalsCardProps) {
  const [areAllShown, setAreAllShown] = useState(code !== undefined);
  return (
    <Card title={t`Refusals`} description={t`${words}: refused requests to both APIs, by code.`} lined>
      <DataTable
        caption={t`Refusals by code`}
        columns={columns}
        openKey={code}
        rows={areAllShown ? data?.refusals : data?.refusals.slice(0, shownAtFirst)}
        rowKey={(row) => row.code}
        error={error}
        footer={
          areAllShown || data === undefined || data.refusals.length <= shownAtFirst ? null : (
            <div className="border-t border-line px-4 py-2 text-center">
              <Button look="quiet" onClick={() => setAreAllShown(true)}>
                {t`Show all ${formatCount(data.refusals.length)} codes`}
              </Button>
            </div>
          )
        }
        empty={<EmptyState icon={CircleCheck} title={t`No requests were refused`} />}
      />
    </Card>
  );
}
