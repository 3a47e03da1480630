import { t } from '@lingui/core/macro';
import { CircleCheck, CircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../../api/me.ts';
import { switchMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import type { Checklist } from '../../api/shapes.ts';
import { toCents } from '../../text/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { useOpenOrder } from '../orders/open-order.ts';
import { AddFundsLink, useMayAddFunds } from '../payments/funds-parts.tsx';

export function FirstSteps({ checklist }: { readonly checklist: Checklist }) {
  const openOrder = useOpenOrder();
  const may = useMay();
  const { account } = useMe();
  const mayAddFunds = useMayAddFunds();
  const steps = [
    {
      done: checklist.key_viewed,
      scope: 'keys:read',
      title: t`Connect your shop`,
      text: t`Place a test order from your terminal, then use your live key.`,
      action: <ButtonLink to="/connect">{t`Go to Connect`}</ButtonLink>,
    },
    {
      done: checklist.first_order || toCents(account.balance) > 0n,
      scope: 'orders:write',
      title: mayAddFunds ? t`Add funds` : t`Get credit`,
      text: mayAddFunds
        ? t`Orders are paid from your balance. In test mode, you can try everything for free.`
        : t`The operator adds credit to your balance. In test mode, you can try everything for free.`,
      action: (
        <>
          <Button onClick={() => switchMode('test')}>{t`Try test mode`}</Button>
          <AddFundsLink />
        </>
      ),
    },
    {
      done: checklist.first_order,
      scope: 'orders:write',
      title: t`Place your first order`,
      text: t`Use the API or this panel. You see the price and your balance before anything is charged.`,
      action: <Button onClick={() => openOrder({ type: 'place' })}>{t`Place an order`}</Button>,
    },
    {
      done: checklist.allow_list,
      scope: 'keys:write',
      title: t`Restrict where your key works`,
      text: t`With an allow-list of your servers’ addresses, a stolen key is worthless.`,
      action: <ButtonLink to="/api-access">{t`Set up the allow-list`}</ButtonLink>,
    },
  ] as const;
  const open = steps.filter(({ scope }) => may(scope));
  const done = open.filter((step) => step.done).length;
  if (done === open.length) return null;
  return (
    <Card title={t`First steps`} description={t`${done} of ${open.length} done`} flush>
      <ol className="border-t border-line">
        {open.map(({ title, text, action, done: isDone }) => (
          <Step key={title} done={isDone} title={title} text={text} action={action} />
        ))}
      </ol>
    </Card>
  );
}

interface StepProps {
  readonly done: boolean;
  readonly title: string;
  readonly text: string;
  readonly action: ReactNode;
}

function Step({ done, title, text, action }: StepProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-5 py-3 last:border-b-0">
      {done ? (
        <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-good" />
      ) : (
        <CircleDashed aria-hidden="true" className="size-5 shrink-0 text-soft" />
      )}
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium">
          {title}
          <span className="sr-only"> {done ? t`(done)` : t`(to do)`}</span>
        </p>
        <p className="text-soft">{text}</p>
      </div>
      {done ? (
        <span className="text-soft">{t`Done`}</span>
      ) : (
        <div className="flex flex-wrap gap-2">{action}</div>
      )}
    </li>
  );
}
