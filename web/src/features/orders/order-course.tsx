// An order's steps, from placed to confirmed or failed, and the line that sums up its money.

import { t } from '@lingui/core/macro';
import { Check, Clock, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Order, OrderWithEntries, PlacingRequest } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { classNames } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { RequestLink } from '../../ui/source-links.tsx';
import { Time } from '../../ui/time.tsx';

/** For example "$82.00 − $12.93 refund = $69.07 charged". */
export function moneyLine({ price, refund, currency, status, failure }: Order): string {
  const [paid, back] = [toCents(price), toCents(refund)];
  const money = (cents: bigint) => formatMoney(fromCents(cents), currency);
  const [first, second] = [money(paid), money(back)];
  if (failure !== undefined) {
    return failure.refunded === '0.00'
      ? t`Nothing charged`
      : t`${formatMoney(failure.refunded, currency)} charged and refunded`;
  }
  if (back === 0n) return t`${first} charged`;
  if (back <= paid) return t`${first} − ${second} refund = ${money(paid - back)} charged`;
  const gain = money(back - paid);
  return status === 'pending'
    ? t`${first} − ${second} refund: ${gain} returned once confirmed`
    : t`${first} − ${second} refund = ${gain} returned`;
}

const placed: Readonly<Record<string, string>> = {
  account: t`Placed`,
  operator: t`Placed by the operator`,
  service: t`Placed by auto-renew`,
};

interface OrderCourseProps {
  readonly found: OrderWithEntries | undefined;
  /** null means the signed-in account. */
  readonly accountId: number | null;
}

export function OrderCourse({ found, accountId }: OrderCourseProps) {
  if (found === undefined) return <Skeleton className="h-20 w-full" />;
  const { order, course } = found;
  const { handoff } = course;
  return (
    <ol className="flex flex-col gap-4">
      <Step
        state="done"
        title={course.request === null ? (placed[course.placed_by] ?? t`Placed`) : t`Placed through the API`}
        at={order.created_at}
        by={course.request === null ? null : course.request.key}
      >
        {course.request === null ? null : <Request request={course.request} accountId={accountId} />}
      </Step>
      {handoff === null ? null : <Step state="done" title={t`Sent to the product`} />}
      {order.status === 'pending' ? (
        <Step state="waiting" title={t`Waiting for the product`} />
      ) : order.status === 'failed' ? (
        <Step
          state="failed"
          title={
            handoff?.settled_by === 'operator'
              ? t`Closed as failed by the operator`
              : t`Refused by the product`
          }
          at={order.failure?.at}
        >
          {order.failure?.reason == null ? null : <bdi>{order.failure.reason}</bdi>}
        </Step>
      ) : (
        <Step
          state="done"
          title={
            handoff === null
              ? t`Completed immediately`
              : handoff.settled_by === 'operator'
                ? t`Confirmed by the operator`
                : t`Confirmed by the product`
          }
          at={handoff?.settled_at ?? undefined}
        />
      )}
    </ol>
  );
}

interface RequestProps {
  readonly request: PlacingRequest;
  readonly accountId: number | null;
}

function Request({ request: { id, method, path, status }, accountId }: RequestProps) {
  return (
    <>
      <RequestLink id={id} accountId={accountId}>
        <span className="font-mono text-[0.8125rem]">
          {method} {breakable(path)}
        </span>
      </RequestLink>{' '}
      <span className="figures">{status}</span>
    </>
  );
}

/** Breaks before a slash, not within a name. */
function breakable(path: string): ReactNode {
  return path.split(/(?=\/)/).flatMap((part) => [<wbr key={part} />, part]);
}

const states = {
  done: { icon: Check, look: 'bg-good-fill text-good' },
  waiting: { icon: Clock, look: 'bg-warn-fill text-warn' },
  failed: { icon: X, look: 'bg-bad-fill text-bad' },
};

interface StepProps {
  readonly state: keyof typeof states;
  readonly title: string;
  readonly at?: string | undefined;
  /** The name of the API key. */
  readonly by?: string | null;
  readonly children?: ReactNode;
}

function Step({ state, title, at, by = null, children }: StepProps) {
  const { icon: Icon, look } = states[state];
  return (
    <li className="group relative flex gap-3">
      <span
        aria-hidden="true"
        className="absolute top-6 -bottom-4 left-[0.71875rem] w-px bg-line group-last:hidden"
      />
      <span
        aria-hidden="true"
        className={classNames(
          'grid size-6 shrink-0 place-items-center rounded-full forced-colors:border',
          look,
        )}
      >
        <Icon className="size-3.5" />
      </span>
      <div className="min-w-0 flex-1 leading-snug">
        <p className="pt-0.5">{title}</p>
        {children === null || children === undefined ? null : (
          <p className="text-soft wrap-anywhere">{children}</p>
        )}
        {at === undefined ? null : (
          <p className="text-xs text-soft">
            <Time at={at} />
            {by === null ? null : (
              <>
                {' · '}
                <bdi>{by || t`unnamed`}</bdi>
              </>
            )}
          </p>
        )}
      </div>
    </li>
  );
}
