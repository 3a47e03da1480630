// How an order fares at the product, on its page: attempts, the last answer, and what can be done while it is open.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { callOfOrderQuery } from '../api/queries.ts';
import { formatCount } from '../text/language.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { type Fact, Facts } from '../ui/facts.tsx';
import { Time } from '../ui/time.tsx';
import { CallActions } from './call-actions.tsx';
import { callAnswerWord, callStatusWord, productCallWord } from './product-words.ts';

/** Nothing, where the product was not called for it, or its call was deleted since. */
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
    { name: t`The product said`, value: callAnswerWord(call) },
    { name: t`First attempt`, value: time(call.first_attempt_at) },
    { name: t`Last attempt`, value: time(call.last_attempt_at) },
    { name: t`Next attempt`, value: time(call.next_attempt_at) },
  ];
  return (
    <Card
      title={t`At the product`}
      {...(call.decides_order &&
        isOpen && {
          description: t`The order is pending until the product has taken it. You can decide in its place at any time.`,
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
  );
}
