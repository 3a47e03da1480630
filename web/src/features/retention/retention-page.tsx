// Sets for how many days the service keeps what it deletes by itself, and warns before a shorter time deletes data.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type RetentionName, retentionLimits } from '../../../../src/shared/retention-limits.ts';
import { changedFields } from '../../api/changed-fields.ts';
import { setRetention } from '../../api/commands.ts';
import { retentionQuery } from '../../api/console-queries.ts';
import { useMay } from '../../api/person.ts';
import type { Retention } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { UnitField } from '../../ui/unit-field.tsx';
import { useUnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useText } from '../../ui/use-text.ts';

const sendRetention = (change: Partial<Retention>, password: string | undefined) =>
  setRetention({ ...change, current_password: password });

export function RetentionPage() {
  const { data, error, refetch } = useQuery(retentionQuery);
  return (
    <>
      <PageHeader
        title={t`Retention`}
        description={t`How many days data is kept before the service deletes it.`}
      />
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Skeleton className="h-96 w-full" />
      ) : (
        <RetentionForm key={JSON.stringify(data.retention)} saved={data.retention} />
      )}
    </>
  );
}

function RetentionForm({ saved }: { readonly saved: Retention }) {
  const canChange = useMay()('admin:packages');
  const requests = useDays('request_log_days', saved);
  const events = useDays('event_days', saved);
  const mails = useDays('mail_days', saved);
  const addresses = useDays('audit_address_days', saved);
  const closed = useDays('closed_account_days', saved);
  const all = [requests, events, mails, addresses, closed];
  const change = changedFields(saved, {
    request_log_days: requests.days ?? saved.request_log_days,
    event_days: events.days ?? saved.event_days,
    mail_days: mails.days ?? saved.mail_days,
    audit_address_days: addresses.days,
    closed_account_days: closed.days,
  });
  const isDirty = all.some(({ isChanged }) => isChanged);
  const isReady = isDirty && all.every(({ field }) => field.problem === null);
  const command = useConfirmedCommand(sendRetention, { action: t`Save`, onDone: () => say(t`Saved.`) });
  const guard = useUnsavedGuard(canChange && isDirty && !command.isPending);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !command.isPending) command.mutate(change);
      }}
    >
      {guard}
      {command.dialog}
      <fieldset disabled={!canChange} className="flex min-w-0 flex-col gap-5">
        {canChange ? null : <Notice tone="info">{t`Your role can view this but not change it.`}</Notice>}
        <Card title={t`Deleted after`}>
          <div className="flex max-w-2xl flex-col gap-4">
            <UnitField
              label={t`Request log`}
              hint={
                <>
                  {t`Deletes requests of accounts and their stored bodies.`} {requests.range}
                </>
              }
              {...requests.field}
            />
            <UnitField
              label={t`Events`}
              hint={
                <>
                  {t`Deletes events. Programs that are further behind have to read all data again.`}{' '}
                  {events.range}
                </>
              }
              {...events.field}
            />
            <UnitField
              label={t`Emails`}
              hint={
                <>
                  {t`Deletes the list of sent emails: addresses, subjects and times.`} {mails.range}
                </>
              }
              {...mails.field}
            />
          </div>
        </Card>
        <Card title={t`Personal data`} description={t`Leave blank to keep it for good.`}>
          <div className="flex max-w-2xl flex-col gap-4">
            <UnitField
              label={t`IP addresses in the audit log`}
              hint={
                <>
                  {t`Removes the addresses of sign-ins from old entries. The entries stay.`} {addresses.range}
                </>
              }
              {...addresses.field}
            />
            <UnitField
              label={t`Customers of closed accounts`}
              hint={
                <>
                  {t`Erases names and references this long after the account was closed. Orders and ledger stay.`}{' '}
                  {closed.range}
                </>
              }
              {...closed.field}
            />
          </div>
        </Card>
        {isReady && all.some(({ deletesBefore }) => deletesBefore !== null) ? (
          <Notice tone="warn">
            <p>{t`Saving deletes older data within an hour. It can’t be restored.`}</p>
            <ul className="mt-1 list-disc space-y-1 pl-5">
              <Deleted before={requests.deletesBefore}>
                {(day) => <Trans>Requests before {day}</Trans>}
              </Deleted>
              <Deleted before={events.deletesBefore}>{(day) => <Trans>Events before {day}</Trans>}</Deleted>
              <Deleted before={mails.deletesBefore}>{(day) => <Trans>Emails before {day}</Trans>}</Deleted>
              <Deleted before={addresses.deletesBefore}>
                {(day) => <Trans>IP addresses in the audit log before {day}</Trans>}
              </Deleted>
              <Deleted before={closed.deletesBefore}>
                {(day) => <Trans>Customers of accounts closed before {day}</Trans>}
              </Deleted>
            </ul>
          </Notice>
        ) : null}
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

interface DeletedProps {
  /** null: nothing is deleted. */
  readonly before: string | null;
  readonly children: (day: ReactNode) => ReactNode;
}

function Deleted({ before, children }: DeletedProps) {
  return before === null ? null : <li>{children(<Time at={before} style="day" />)}</li>;
}

/** One number of days. Those that can be kept for good may be blank, which is null. */
function useDays(name: RetentionName, retention: Retention) {
  const { [name]: saved } = retention;
  const [typed, field] = useText(saved === null ? '' : String(saved));
  const text = typed.trim();
  const { minimum, maximum } = retentionLimits[name];
  const mayBeBlank = name === 'audit_address_days' || name === 'closed_account_days';
  const days = /^\d{1,4}$/.test(text) ? Number(text) : null;
  const isRight = days === null ? text === '' && mayBeBlank : days >= minimum && days <= maximum;
  const [least, most] = [formatCount(minimum), formatCount(maximum)];
  const isShorter = isRight && days !== null && days < (saved ?? Number.POSITIVE_INFINITY);
  return {
    days,
    range: t`${least} to ${most} days.`,
    isChanged: text !== (saved === null ? '' : String(saved)),
    field: {
      ...field,
      unit: text === '' && mayBeBlank ? t`kept for good` : t`days`,
      problem: isRight ? null : t`Enter a whole number from ${least} to ${most}.`,
    },
    deletesBefore: isShorter ? new Date(Date.now() - days * 86_400_000).toISOString() : null,
  };
}
