// Edits how accounts pay in. The provider's secrets can be replaced but are never shown.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { stripeEventTypes } from '../../../../src/shared/stripe-event-types.ts';
import { type PaymentsChange, setPayments } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import type { Payments } from '../../api/shapes.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { useUnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { type PaymentsDraft, usePaymentsDraft } from './payments-draft.ts';

interface PaymentsFormProps {
  readonly payments: Payments;
  readonly canChange: boolean;
}

export function PaymentsForm({ payments, canChange }: PaymentsFormProps) {
  const draft = usePaymentsDraft(payments);
  const command = useConfirmedCommand(sendPayments, { action: t`Save`, onDone: () => say(t`Saved.`) });
  const isDirty = canChange && draft.isDirty;
  const guard = useUnsavedGuard(isDirty && !command.isPending);
  const isReady = isDirty && draft.isReady;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !command.isPending) command.mutate(draft.change);
      }}
    >
      {guard}
      {command.dialog}
      <fieldset disabled={!canChange} className="flex min-w-0 flex-col gap-5">
        {canChange ? null : <Notice tone="info">{t`Your role can view this but not change it.`}</Notice>}
        <CardSettings draft={draft.card} />
        <BankSettings draft={draft.bank} />
        <LimitSettings draft={draft.limits} currency={payments.currency} />
        {command.error === null ? null : <ErrorNotice error={command.error} />}
        {canChange ? (
          <div>
            <Button type="submit" look="primary" busy={command.isPending} disabled={!isReady}>
              {t`Save`}
            </Button>
          </div>
        ) : null}
      </fieldset>
    </form>
  );
}

const sendPayments = (change: PaymentsChange, password: string | undefined) =>
  setPayments({ ...change, current_password: password });

function CardSettings({ draft }: { readonly draft: PaymentsDraft['card'] }) {
  const { saved } = draft;
  const until = saved?.previous_webhook_secret_until ?? null;
  return (
    <Card
      title={t`Cards`}
      description={t`Payers enter their card on Stripe’s own pages. No card data reaches this service.`}
      action={<CardState card={saved} />}
    >
      <div className="flex max-w-2xl flex-col gap-4">
        <SwitchField label={t`Accept cards`} checked={draft.isOn} onChange={draft.setIsOn} />
        <TextField
          label={t`Secret key`}
          hint={
            saved === undefined
              ? t`From Stripe, under Developers, API keys. A restricted key is enough.`
              : t`A key is set. Leave blank to keep it.`
          }
          kind="name"
          maxLength={255}
          mono
          {...draft.keyField}
        />
        <TextField
          label={t`Webhook signing secret`}
          hint={
            saved === undefined
              ? t`Stripe shows it once the endpoint below is created.`
              : t`A secret is set. Leave blank to keep it. If you change it, the earlier one is accepted for a day.`
          }
          kind="name"
          maxLength={255}
          mono
          {...draft.webhookField}
        />
        {until === null ? null : (
          <Notice tone="info">
            <Trans>
              The earlier webhook secret is accepted until <Time at={until} />.
            </Trans>
          </Notice>
        )}
        <WebhookAddress />
      </div>
    </Card>
  );
}

function CardState({ card }: { readonly card: Payments['methods']['card'] }) {
  if (card === undefined) return <Badge>{t`Not set up`}</Badge>;
  return (
    <span className="flex flex-wrap gap-1">
      {card.is_test ? <Badge tone="warn">{t`Test key`}</Badge> : null}
      {card.enabled ? <Badge tone="good">{t`On`}</Badge> : <Badge>{t`Off`}</Badge>}
    </span>
  );
}

/** Where Stripe sends its events, and which ones the service needs. */
function WebhookAddress() {
  const { api_url: apiUrl } = useMe();
  return (
    <>
      <SecretText label={t`Webhook address`} text={`${apiUrl.replace(/\/api\/v1$/, '')}/payments/stripe`} />
      <div>
        <div className="mb-1 flex flex-wrap items-center justify-between gap-2">
          <p className="font-medium">{t`Events to send`}</p>
          <CopyButton text={stripeEventTypes.join('\n')} label={t`Copy all events`} labeled />
        </div>
        <ul className="grid gap-x-4 gap-y-1 rounded-control border border-line bg-fill px-3 py-2 sm:grid-cols-2">
          {stripeEventTypes.map((type) => (
            <li key={type}>
              <code className="font-mono text-xs wrap-anywhere">{type}</code>
            </li>
          ))}
        </ul>
        <p className="mt-1 text-xs text-soft">
          {t`In Stripe, create an endpoint with this address and these events.`}
        </p>
      </div>
    </>
  );
}

function BankSettings({ draft }: { readonly draft: PaymentsDraft['bank'] }) {
  return (
    <Card
      title={t`Bank transfer`}
      description={t`Each account has its own payment reference, by which its transfers are recognized.`}
    >
      <div className="flex max-w-2xl flex-col gap-4">
        <SwitchField label={t`Accept bank transfers`} checked={draft.isOn} onChange={draft.setIsOn} />
        <TextField
          label={t`Account holder`}
          hint={t`As your bank knows it. The payers’ banks compare it.`}
          autoComplete="off"
          maxLength={70}
          {...draft.holderField}
        />
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField
            className="sm:col-span-2"
            label={t`IBAN`}
            kind="name"
            maxLength={64}
            mono
            {...draft.ibanField}
          />
          <TextField label={t`BIC`} hint={t`Optional.`} kind="name" maxLength={16} mono {...draft.bicField} />
        </div>
      </div>
    </Card>
  );
}

interface LimitSettingsProps {
  readonly draft: PaymentsDraft['limits'];
  readonly currency: string;
}

function LimitSettings({ draft, currency }: LimitSettingsProps) {
  return (
    <Card title={t`Limits`} description={t`For each top-up, and for an account within 24 hours.`}>
      <div className="grid max-w-2xl gap-4 sm:grid-cols-3">
        <TextField label={t`Smallest in ${currency}`} kind="money" maxLength={19} {...draft.minimumField} />
        <TextField label={t`Largest in ${currency}`} kind="money" maxLength={19} {...draft.maximumField} />
        <TextField
          label={t`Within 24 hours in ${currency}`}
          hint={t`Leave blank for no limit.`}
          kind="money"
          maxLength={19}
          {...draft.dailyField}
        />
      </div>
    </Card>
  );
}
