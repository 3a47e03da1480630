// Automatic top-up of the account: its card, its threshold and why it paused.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { CreditCard, Power, Settings2 } from 'lucide-react';
import { useMe } from '../../api/me.ts';
import { removeAutoTopup, setUpCard } from '../../api/payment-commands.ts';
import { autoTopupQuery } from '../../api/payment-queries.ts';
import { useMay } from '../../api/person.ts';
import type { AutoTopup } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatMoney } from '../../text/amounts.ts';
import { ActionBar } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { AutoTopupDialog } from './auto-topup-dialog.tsx';
import { cardWords } from './card-words.ts';

export function AutoTopupCard() {
  const { topups } = useMe();
  const { data, error, refetch } = useQuery(autoTopupQuery);
  if (!topups.methods.includes('card')) return null;
  return (
    <Card
      title={
        <span className="inline-flex items-center gap-2">
          {t`Automatic top-up`} {data === undefined ? null : <StatusBadge auto={data.auto_topup} />}
        </span>
      }
      description={
        data?.auto_topup.card === null
          ? t`Charges your card when the balance falls below a limit. No card is saved.`
          : t`Charges your card when the balance falls below a limit.`
      }
    >
      {data !== undefined ? (
        <Settings auto={data.auto_topup} />
      ) : error === null ? (
        <Skeleton className="h-16 w-full" />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </Card>
  );
}

function StatusBadge({ auto: { status } }: { readonly auto: AutoTopup }) {
  if (status === 'on') return <Badge tone="good">{t`On`}</Badge>;
  return status === 'paused' ? <Badge tone="warn">{t`Paused`}</Badge> : <Badge>{t`Off`}</Badge>;
}

function Settings({ auto }: { readonly auto: AutoTopup }) {
  const mayChange = useMay()('topups:write');
  const saving = useCommand(() => setUpCard(window.location.href), {
    onDone: ({ setup_url: url }) => window.location.assign(url),
  });
  const { status, card } = auto;
  return (
    <div className="flex flex-col gap-3">
      <Why auto={auto} />
      {card === null ? null : <Facts columns={2} facts={factsOf(auto, card)} />}
      {saving.error === null ? null : <ErrorNotice error={saving.error} />}
      {mayChange ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button icon={CreditCard} disabled={saving.isPending} onClick={() => saving.mutate(undefined)}>
            {card === null ? t`Save a card` : t`Replace card`}
          </Button>
          {card === null ? null : (
            <ActionBar
              actions={[
                {
                  id: 'set',
                  title: status === 'on' ? t`Change settings` : t`Turn on`,
                  icon: Settings2,
                  dialog: (onClose) => <AutoTopupDialog auto={auto} onClose={onClose} />,
                },
                {
                  id: 'stop',
                  title: t`Turn off`,
                  icon: Power,
                  isOffered: status !== 'off',
                  dialog: (onClose) => <StopDialog onClose={onClose} />,
                },
              ]}
            />
          )}
        </div>
      ) : null}
    </div>
  );
}

function Why({ auto: { reason } }: { readonly auto: AutoTopup }) {
  if (reason === null) return null;
  if (reason === 'holder_needed')
    return (
      <Notice tone="warn">
        {t`Your bank wants you to confirm a payment. Pay the open top-up, then save the card again.`}{' '}
        <TextLink to="/top-ups" search={{ status: 'open' }}>{t`Show open top-ups`}</TextLink>
      </Notice>
    );
  return (
    <Notice tone="warn">
      {reason === 'failed'
        ? t`It was turned off, because three payments in a row failed. Save another card and turn it on again.`
        : t`It paused, because a payment by this card was disputed. Turn it on again if that was a mistake.`}
    </Notice>
  );
}

function factsOf(auto: AutoTopup, card: NonNullable<AutoTopup['card']>): readonly Fact[] {
  const { below, amount, monthly_maximum: maximum, charged_this_month: charged, currency } = auto;
  const money = (value: string) => formatMoney(value, currency);
  return [
    { name: t`Card`, value: cardWords(card) },
    ...(below === null || amount === null || maximum === null
      ? []
      : [
          { name: t`When the balance is below`, value: money(below) },
          { name: t`Amount added each time`, value: money(amount) },
          { name: t`Charged this month (UTC)`, value: t`${money(charged)} of at most ${money(maximum)}` },
        ]),
  ];
}

function StopDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useDialogForm({
    onClose,
    send: removeAutoTopup,
    says: () => t`Automatic top-up is off.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Turn off automatic top-up?`}
      description={t`The card stays saved. A payment that is on its way is completed.`}
      action={t`Turn off`}
    />
  );
}
