// If the customer had this trial before, the service refuses and the user can grant it again.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { grantTrial } from '../../api/commands.ts';
import { anyCustomerQuery } from '../../api/console-queries.ts';
import { runs } from '../../api/plan-runs.ts';
import { allPackagesQuery } from '../../api/queries.ts';
import { mintIdempotencyKey } from '../../api/random-text.ts';
import type { Account, AccountCustomer } from '../../api/shapes.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { useText } from '../../ui/use-text.ts';

interface TrialDialogProps {
  readonly account: Pick<Account, 'id' | 'username'>;
  readonly customer?: AccountCustomer;
  readonly onClose: () => void;
}

export function TrialDialog({ account, customer: given, onClose }: TrialDialogProps) {
  // The page may be old, and only a plan that has ended lets a trial begin.
  const { data: found } = useQuery({
    ...anyCustomerQuery(String(given?.id ?? 0)),
    enabled: given !== undefined,
    refetchOnMount: 'always',
  });
  const plan = (found?.customer ?? given)?.plan;
  const { data: packages } = useQuery(allPackagesQuery);
  const trials = packages?.data.filter(({ trial, retired }) => trial && !retired);
  const [chosen, setChosen] = useState<number | null>(null);
  const [customer, customerField] = useText(given?.reference ?? '');
  const [name, nameField] = useText();
  const packageId = chosen ?? trials?.[0]?.id ?? null;
  const asked = { package_id: packageId ?? 0, customer: customer.trim(), customer_name: name.trim() };
  const attempt = JSON.stringify(asked);
  const [keys] = useState(() => new Map<string, string>());
  const [refused, setRefused] = useState<string | null>(null);
  const isAgain = refused === attempt;
  const isRunning = plan !== undefined && runs(plan);
  const form = useDialogForm({
    onClose,
    send: () => {
      const { customer_name, ...rest } = asked;
      const body = {
        ...rest,
        ...(customer_name !== '' && { customer_name }),
        ...(isAgain && { again: true as const }),
      };
      return grantTrial(account.id, body, keyOf(body));
    },
    says: ({ customer: done }) =>
      t`${done.name} has ${done.plan.package} for ${plural(done.plan.days_left, { one: '# day', other: '# days' })}.`,
    onRefused: (error) => {
      if (error instanceof ApiError && error.code === 'trial_already_granted') setRefused(attempt);
    },
  });
  /** Identical requests use the same key, so a request whose answer was lost can be repeated safely. */
  function keyOf(body: object): string {
    const text = JSON.stringify(body);
    const key = keys.get(text) ?? mintIdempotencyKey();
    keys.set(text, key);
    return key;
  }

  return (
    <FormDialog
      form={form}
      title={t`Give free trial`}
      description={
        given === undefined ? (
          <Trans>
            To a customer of <bdi className="text-ink">{account.username}</bdi> whose plan has ended, or to a
            new one. Nothing is charged.
          </Trans>
        ) : (
          <Trans>
            To <bdi className="text-ink">{given.name}</bdi> of{' '}
            <bdi className="text-ink">{account.username}</bdi>. Nothing is charged.
          </Trans>
        )
      }
      action={isAgain ? t`Give trial again` : t`Give trial`}
      ready={packageId !== null && customer.trim() !== '' && !isRunning}
    >
      {isRunning ? (
        <Notice tone="warn">
          <Trans>
            <bdi>{plan.package}</bdi> runs until <Time at={plan.expires_at} />. A free trial can start once
            the plan has ended.
          </Trans>
        </Notice>
      ) : trials === undefined ? (
        <Skeleton className="h-12 w-full" />
      ) : trials.length === 0 ? (
        <Notice tone="warn">
          <Trans>
            There are no free trials. <TextLink to="/admin/packages">Create a free trial package</TextLink>{' '}
            first.
          </Trans>
        </Notice>
      ) : (
        <Choice
          label={t`Trial`}
          labelShown
          look="cards"
          value={packageId}
          options={trials.map((one) => ({
            value: one.id,
            title: <bdi className="font-medium">{one.name}</bdi>,
            note: plural(one.duration_days, { one: '# day', other: '# days' }),
          }))}
          onChoose={setChosen}
        />
      )}
      {given === undefined ? (
        <>
          <TextField
            label={t`Customer`}
            autoFocus
            hint={t`Email address or username. New customers are created.`}
            kind="name"
            maxLength={254}
            {...customerField}
          />
          <TextField
            label={t`Name`}
            hint={t`Optional. Used for new customers.`}
            autoComplete="off"
            maxLength={120}
            {...nameField}
          />
        </>
      ) : null}
    </FormDialog>
  );
}
