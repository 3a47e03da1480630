import { plural, t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { useMe } from '../../api/me.ts';
import type { ProductCall } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { Money } from '../../ui/money.tsx';
import { AccountLink, CustomerLink } from '../../ui/page-links.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { CallActions } from './call-actions.tsx';
import { callAnswerWord, productCallWord } from './product-words.ts';

const columns: readonly Column<ProductCall>[] = [
  {
    title: t`Customer`,
    grows: true,
    cell: ({ customer, account, type }) => (
      <TwoLines
        first={
          <CustomerLink id={customer.id} row isOperator>
            {customer.reference}
          </CustomerLink>
        }
        second={
          <>
            {productCallWord(type)} · <AccountLink id={account.id}>{account.username}</AccountLink>
          </>
        }
      />
    ),
  },
  {
    title: t`Order`,
    from: 'md',
    cell: ({ order_id: id }) =>
      id === null ? (
        <span className="text-soft">{t`None`}</span>
      ) : (
        <TextLink to="/admin/orders/$orderId" params={{ orderId: String(id) }}>
          <span className="figures">{id}</span>
        </TextLink>
      ),
  },
  {
    title: t`Product response`,
    from: 'sm',
    cell: (call) => <span className="wrap-anywhere">{callAnswerWord(call)}</span>,
  },
];

const next: Column<ProductCall> = {
  title: t`Next attempt`,
  from: 'sm',
  cell: ({ next_attempt_at: at }) => (at === null ? t`None` : <Time at={at} style="relative" />),
};
const attempts: Column<ProductCall> = {
  title: t`Attempts`,
  from: 'lg',
  align: 'end',
  cell: ({ attempts: count }) => formatCount(count),
};
const age: Column<ProductCall> = {
  title: t`Waiting since`,
  from: 'sm',
  cell: ({ created_at: written, attempts: count }) => (
    <TwoLines
      first={
        <span className={Date.now() - Date.parse(written) > dayMilliseconds ? 'font-medium text-bad' : ''}>
          <Time at={written} style="relative" />
        </span>
      }
      second={attemptsWords(count)}
    />
  ),
};
const dayMilliseconds = 86_400_000;
const attemptsWords = (count: number) => plural(count, { one: '# attempt', other: '# attempts' });
const actions: Column<ProductCall> = {
  title: t`Decide`,
  untitled: true,
  align: 'end',
  cell: (call) => <CallActions call={call} />,
};

interface CallTableProps {
  readonly caption: string;
  readonly list: 'attention' | 'waiting';
  readonly state: Omit<
    React.ComponentProps<typeof DataTable<ProductCall>>,
    'caption' | 'columns' | 'rowKey' | 'phone' | 'empty'
  >;
  /** What each order holds, by its id. */
  readonly amounts?: ReadonlyMap<number, string>;
  readonly empty: ReactNode;
}

export function CallTable({ caption, list, state, amounts, empty }: CallTableProps) {
  const { currency } = useMe().account;
  const amount: Column<ProductCall> = {
    title: t`Held`,
    from: 'md',
    align: 'end',
    cell: ({ order_id: id }) => {
      const held = id === null ? undefined : amounts?.get(id);
      return held === undefined ? (
        <span className="text-soft">–</span>
      ) : (
        <Money amount={held} currency={currency} />
      );
    },
  };
  return (
    <DataTable
      caption={caption}
      columns={[...columns, ...(list === 'waiting' ? [attempts, next] : [age, amount]), actions]}
      {...state}
      rowKey={({ id }) => id}
      phone={(call) => <OnPhone call={call} />}
      empty={empty}
    />
  );
}

function OnPhone({ call }: { readonly call: ProductCall }) {
  const { order_id: id, next_attempt_at: next, created_at: written } = call;
  return (
    <>
      {callAnswerWord(call)}
      {id === null ? null : (
        <>
          {' · '}
          <TextLink to="/admin/orders/$orderId" params={{ orderId: String(id) }}>
            {t`Order ${id}`}
          </TextLink>
        </>
      )}
      {' · '}
      <Time at={next ?? written} style="relative" />
    </>
  );
}
