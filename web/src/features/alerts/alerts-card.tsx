import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { setAlerts } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { alertsQuery } from '../../api/queries.ts';
import type { Alerts } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatMoney, readAmount, typedAmount } from '../../text/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';
import { say } from '../../ui/toasts.tsx';
import { useUnsavedGuard } from '../../ui/unsaved-guard.tsx';

/** One line that says what is set, until it is opened. */
export function AlertsCard() {
  const { mail, account } = useMe();
  const mayChange = useMay()('webhooks:write');
  const { data, error, refetch } = useQuery(alertsQuery);
  const [isOpen, setIsOpen] = useState(false);
  const parts = data === undefined ? [] : partsOf(data.alerts, account.currency);
  if (!isOpen && (data !== undefined || error === null)) {
    return (
      <Card
        title={t`Alerts`}
        description={data === undefined ? ' ' : parts.length === 0 ? t`None are set.` : parts.join(' · ')}
        action={
          <Button icon={Bell} disabled={data === undefined} onClick={() => setIsOpen(true)}>
            {!mayChange ? t`Show alerts` : parts.length === 0 ? t`Set up alerts` : t`Edit alerts`}
          </Button>
        }
        flush
      >
        {null}
      </Card>
    );
  }
  return (
    <Card
      title={t`Alerts`}
      description={
        mail
          ? t`Alerts are sent to your endpoints as events and emailed to these addresses.`
          : t`Alerts are sent to your endpoints as events. Email isn’t set up on this service. Once it is, alerts go to these addresses too.`
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-40 w-full" />
        ) : (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <AlertsForm alerts={data.alerts} confirmed={data.confirmed_emails} />
      )}
    </Card>
  );
}

function partsOf(alerts: Alerts, currency: string): string[] {
  const { balance_below: below, plans_ending_days: days, emails, weekly_summary: weekly } = alerts;
  return [
    ...(below === null ? [] : [t`Balance below ${formatMoney(below, currency)}`]),
    ...(days === null
      ? []
      : [plural(days, { one: '# day before a plan ends', other: '# days before a plan ends' })]),
    ...(weekly ? [t`Weekly email`] : []),
    ...(emails.length === 0
      ? []
      : [plural(emails.length, { one: '# email address', other: '# email addresses' })]),
  ];
}

function textsOf(alerts: Alerts) {
  return {
    below: alerts.balance_below ?? '',
    days: alerts.plans_ending_days === null ? '' : String(alerts.plans_ending_days),
    emails: alerts.emails.join(', '),
  };
}

interface AlertsFormProps {
  readonly alerts: Alerts;
  readonly confirmed: readonly string[];
}

function AlertsForm({ alerts, confirmed }: AlertsFormProps) {
  const { mail, account } = useMe();
  const { currency } = account;
  const unconfirmed = alerts.emails.filter((email) => !confirmed.includes(email)).join(', ');
  const mayChange = useMay()('webhooks:write');
  // Fields that the user has not edited show changes made elsewhere.
  const saved = textsOf(alerts);
  const [typed, setTyped] = useState<Partial<typeof saved>>({});
  const { below, days, emails } = { ...saved, ...typed };
  const [typedWeekly, setTypedWeekly] = useState<boolean | null>(null);
  const guard = useUnsavedGuard(
    below.trim() !== saved.below ||
      days.trim() !== saved.days ||
      emails.trim() !== saved.emails ||
      (typedWeekly ?? alerts.weekly_summary) !== alerts.weekly_summary,
  );
  const client = useQueryClient();
  const command = useCommand(setAlerts, {
    onDone: (answer) => {
      client.setQueryData(alertsQuery.queryKey, answer);
      setTyped({});
      setTypedWeekly(null);
      say(t`Alerts saved.`);
    },
  });
  const amount = below.trim() === '' ? null : readAmount(below);
  const addresses = emails.split(/[\s,;]+/).filter((address) => address !== '');
  const weekly = typedWeekly ?? alerts.weekly_summary;
  const wrong = addresses.find((address) => !/^\S+@\S+\.\S+$/.test(address));
  const problems = {
    below:
      below.trim() !== '' && (amount === null || Number(amount) === 0)
        ? t`Enter an amount above zero, such as ${typedAmount('50.00')}.`
        : null,
    days: /^(|[1-9]|[1-5]\d|60)$/.test(days.trim()) ? null : t`Enter 1 to 60 days.`,
    emails:
      wrong !== undefined
        ? t`${wrong} is not an email address.`
        : addresses.length > 10
          ? t`Enter at most ten addresses.`
          : null,
  };
  const form = useRef<HTMLFormElement>(null);
  // The button that opened the form is gone, so its first field takes the focus.
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const isRight = Object.values(problems).every((problem) => problem === null);
  return (
    <>
      {guard}
      <form
        ref={form}
        noValidate
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRight || !mayChange) return;
          command.mutate({
            ...(amount !== null && { balance_below: amount }),
            ...(days.trim() !== '' && { plans_ending_days: Number(days) }),
            emails: addresses,
            ...(weekly && { weekly_summary: true }),
          });
        }}
      >
        <TextField
          label={t`Alert when the balance falls below (${currency})`}
          kind="money"
          disabled={!mayChange}
          readOnly={command.isPending}
          value={below}
          onText={(text) => setTyped({ ...typed, below: text })}
          hint={t`Leave blank for no alert.`}
          problem={problems.below}
        />
        <TextField
          label={t`Alert this many days before a plan ends`}
          kind="count"
          disabled={!mayChange}
          readOnly={command.isPending}
          value={days}
          onText={(text) => setTyped({ ...typed, days: text })}
          hint={t`Extra reminder, on top of 7 days and 1 day. Leave blank for none; without it, no reminders are emailed.`}
          problem={problems.days}
        />
        <TextField
          label={t`Email addresses`}
          className="sm:col-span-2"
          kind="name"
          disabled={!mayChange}
          readOnly={command.isPending}
          value={emails}
          onText={(text) => setTyped({ ...typed, emails: text })}
          hint={t`Up to ten, separated by commas. They also get emails about payments.`}
          problem={problems.emails}
        />
        <div className="sm:col-span-2">
          <SwitchField
            label={t`Weekly email about your business`}
            hint={t`Each Monday to these addresses: MRR, new and lost plans, and upcoming renewals.`}
            checked={weekly}
            disabled={!mayChange || command.isPending}
            onChange={setTypedWeekly}
          />
        </div>
        {mail && unconfirmed !== '' ? (
          <p className="text-sm text-soft sm:col-span-2">
            {mayChange ? (
              <Trans>
                Waiting for confirmation: {unconfirmed}. Each address gets an email with a confirmation link,
                and no alerts until it’s used. To send it again, save the alerts after a day.
              </Trans>
            ) : (
              <Trans>Waiting for confirmation: {unconfirmed}. These addresses get no alerts yet.</Trans>
            )}
          </p>
        ) : null}
        {command.error === null ? null : (
          <div className="sm:col-span-2">
            <ErrorNotice error={command.error} />
          </div>
        )}
        {mayChange ? (
          <div>
            <Button type="submit" look="primary" disabled={!isRight || command.isPending}>
              {t`Save alerts`}
            </Button>
          </div>
        ) : null}
      </form>
    </>
  );
}
