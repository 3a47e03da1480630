import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { callOfOrderQuery } from '../../api/console-queries.ts';
import type { ProductCall } from '../../api/shapes.ts';
import { formatCount, formatMilliseconds } from '../../text/language.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import { CallActions } from './call-actions.tsx';
import { callAnswerWord, callProblemWord, callStatusWord, productCallWord } from './product-words.ts';

type Attempt = ProductCall['latest_attempts'][number];

const attemptColumns: readonly Column<Attempt>[] = [
  {
    title: t`Product response`,
    grows: true,
    cell: ({ status, error, answer }) => (
      <TwoLines first={status ?? callProblemWord(error)} second={<bdi>{answer}</bdi>} />
    ),
  },
  {
    title: t`Duration`,
    from: 'sm',
    align: 'end',
    cell: ({ milliseconds: took }) =>
      took === null ? null : <span className="figures whitespace-nowrap">{formatMilliseconds(took)}</span>,
  },
  { title: t`When`, align: 'end', cell: ({ at }) => <Time at={at} style="second" /> },
];

/** Renders nothing if there was no call or the call was deleted. */
export function OrderCallCard({ orderId }: { readonly orderId: number }) {
  const { data } = useQuery(callOfOrderQuery(orderId));
  const call = data?.data[0];
  if (call === undefined) return null;
  const isOpen = call.status === 'waiting' || call.status === 'attention';
  const isFailing = call.status === 'attention' || (call.status === 'waiting' && call.attempts > 0);
  const time = (at: string | null) => (at === null ? t`None` : <Time at={at} />);
  const facts: readonly Fact[] = [
    { name: t`Call`, value: productCallWord(call.type) },
    { name: t`Attempts`, value: formatCount(call.attempts) },
    { name: t`Product response`, value: callAnswerWord(call) },
    { name: t`First attempt`, value: time(call.first_attempt_at) },
    { name: t`Last attempt`, value: time(call.last_attempt_at) },
    { name: t`Next attempt`, value: time(call.next_attempt_at) },
  ];
  const newestFirst = call.latest_attempts.toReversed();
  return (
    <>
      <Card
        title={t`Product call`}
        {...(call.decides_order &&
          isOpen && {
            description: t`The order is pending until the product accepts it. You can decide for it at any time.`,
          })}
        action={<Badge tone={isFailing ? 'warn' : 'neutral'}>{callStatusWord(call)}</Badge>}
      >
        <Facts columns={2} facts={facts} />
        {isOpen ? (
          <div className="mt-4 flex">
            <CallActions call={call} />
          </div>
        ) : null}
      </Card>
      {newestFirst.length === 0 ? null : (
        <Card title={t`Attempts`} flush>
          <DataTable
            caption={t`Product call attempts`}
            columns={attemptColumns}
            rows={newestFirst}
            rowKey={({ at, milliseconds }) => `${at} ${milliseconds}`}
            empty={null}
          />
        </Card>
      )}
    </>
  );
}
