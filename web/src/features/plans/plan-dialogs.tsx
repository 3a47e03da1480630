// What can be done to a customer's plan besides ordering: cancel, suspend, resume, and how it renews itself. Each dialog has one
// idempotency key from when it is opened: whoever sends it again after a lost answer does nothing twice.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  cancelPlan,
  editCustomer,
  removeAutoRenew,
  resumePlan,
  setAutoRenew,
  suspendPlan,
} from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { cancelPreviewQuery } from '../../api/queries.ts';
import { mintIdempotencyKey } from '../../api/random-text.ts';
import type { Customer, Months } from '../../api/shapes.ts';
import { cancelPlanOfCustomer } from '../../api/support-commands.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatMoney, readAmount, typedAmount } from '../../text/amounts.ts';
import { periods } from '../../text/words.ts';
import { Choice } from '../../ui/choice.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { isUncertain, LostAnswer } from '../../ui/lost-answer.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OwnPasswordField, useOwnPassword } from '../../ui/own-password-field.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';

interface PlanDialogProps {
  readonly customer: Customer;
  readonly onClose: () => void;
}

/** `isOperator`: of a customer of any account; the refund goes to that account, and the password is asked for. */
export function CancelDialog({
  customer,
  isOperator = false,
  onClose,
}: PlanDialogProps & { readonly isOperator?: boolean }) {
  const { currency } = useMe().account;
  const own = useOwnPassword();
  const [key] = useState(mintIdempotencyKey);
  const mayWait = !customer.plan.ends_at_period_end;
  const [at, setAt] = useState<'now' | 'period_end'>(mayWait ? 'period_end' : 'now');
  const preview = useQuery({ ...cancelPreviewQuery(customer.id, isOperator), enabled: at === 'now' });
  const cancel = () =>
    isOperator
      ? cancelPlanOfCustomer(customer.id, { at, current_password: own.sent }, key)
      : cancelPlan(customer.id, at, key);
  const command = useCommand(cancel, {
    onDone: ({ refund }) => {
      say(
        at === 'period_end'
          ? t`The plan ends with its period.`
          : isOperator
            ? t`The plan has ended. ${formatMoney(refund, currency)} went back to the account.`
            : t`The plan has ended. ${formatMoney(refund, currency)} came back.`,
      );
      onClose();
    },
  });
  const shown = at === 'now' ? preview.data : undefined;
  const { name } = customer;
  return (
    <FormDialog
      title={t`Cancel the plan of ${name}?`}
      action={
        at === 'period_end'
          ? t`End with the period, no refund`
          : shown === undefined
            ? t`End now`
            : t`End now, ${formatMoney(shown.refund, currency)} back`
      }
      danger
      busy={command.isPending}
      ready={
        (!isOperator || own.isReady) &&
        (at === 'period_end' || isUncertain(command.error) || (shown !== undefined && preview.error === null))
      }
      error={command.error}
      onSubmit={() => command.mutate(undefined)}
      cancel={t`Keep the plan`}
      onClose={onClose}
    >
      <fieldset disabled={command.isPending || isUncertain(command.error)} className="min-w-0">
        <Choice
          label={t`When`}
          labelShown
          value={at}
          options={[
            ...(mayWait ? [{ value: 'period_end' as const, title: t`At the period’s end` }] : []),
            { value: 'now' as const, title: t`Now` },
          ]}
          onChoose={setAt}
        />
      </fieldset>
      {at === 'period_end' ? (
        <p>
          <Trans>
            It runs until <Time at={customer.plan.expires_at} /> and does not renew itself. Until then this
            can be undone.
          </Trans>
        </p>
      ) : (
        <>
          <p>{t`Access ends at once. This cannot be undone: to go on, order again.`}</p>
          {preview.error === null || isUncertain(command.error) ? (
            <Facts
              facts={[
                {
                  name: t`Refund for unused time`,
                  value: shown && <Money amount={shown.refund} currency={currency} signed />,
                },
                {
                  name: isOperator ? t`The account’s balance now` : t`Balance now`,
                  value: shown && <Money amount={shown.balance} currency={currency} />,
                },
                {
                  name: t`Balance afterwards`,
                  value: shown && (
                    <Money amount={shown.balance_after} currency={currency} className="font-semibold" />
                  ),
                },
              ]}
            />
          ) : (
            <ErrorNotice error={preview.error} />
          )}
        </>
      )}
      {isOperator ? <OwnPasswordField own={own} /> : null}
      <LostAnswer error={command.error} />
    </FormDialog>
  );
}

export function SuspendDialog({ customer, onClose }: PlanDialogProps) {
  const [key] = useState(mintIdempotencyKey);
  const [reason, setReason] = useState('');
  const { name } = customer;
  const command = useCommand(() => suspendPlan(customer.id, reason.trim(), key), {
    onDone: () => {
      say(t`${name} is suspended.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Suspend ${name}?`}
      description={t`The customer cannot log in until you resume them. The plan’s time runs on, nothing is refunded, and a plan that renews itself goes on doing so.`}
      action={t`Suspend, no refund`}
      danger
      busy={command.isPending}
      error={command.error}
      onSubmit={() => command.mutate(undefined)}
      onClose={onClose}
    >
      <fieldset disabled={command.isPending || isUncertain(command.error)} className="min-w-0">
        <TextField
          label={t`Reason`}
          hint={t`Optional, for your own records. The customer does not see it.`}
          autoFocus
          autoComplete="off"
          maxLength={200}
          value={reason}
          onText={setReason}
        />
      </fieldset>
      <LostAnswer error={command.error} />
    </FormDialog>
  );
}

export function ResumeDialog({ customer, isHeld, onClose }: PlanDialogProps & { readonly isHeld: boolean }) {
  const [key] = useState(mintIdempotencyKey);
  const { name, plan } = customer;
  const command = useCommand(() => resumePlan(customer.id, key), {
    onDone: () => {
      say(isHeld ? t`${name} is resumed.` : t`The cancellation is undone.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={isHeld ? t`Resume ${name}?` : t`Undo the cancellation?`}
      description={
        isHeld
          ? plan.ends_at_period_end
            ? t`The customer can log in again, and the cancellation at the period’s end is undone.`
            : t`The customer can log in again.`
          : t`The plan renews itself again, if it did before.`
      }
      action={isHeld ? t`Resume, free of charge` : t`Undo, free of charge`}
      busy={command.isPending}
      error={command.error}
      onSubmit={() => command.mutate(undefined)}
      onClose={onClose}
    >
      {customer.status === 'suspended' ? (
        <Notice tone="warn">{t`The operator has suspended this customer too: that stays.`}</Notice>
      ) : null}
      <LostAnswer error={command.error} />
    </FormDialog>
  );
}

const hoursMax = 720;

export function AutoRenewDialog({ customer, onClose }: PlanDialogProps) {
  const { currency } = useMe().account;
  const [key] = useState(mintIdempotencyKey);
  const { plan, name } = customer;
  const now = plan.auto_renew;
  const [wanted, setWanted] = useState<'on' | 'off'>('on');
  const [months, setMonths] = useState<Months>(now?.months ?? 1);
  const [limit, setLimit] = useState(typedAmount(now?.max_charge ?? ''));
  const [hours, setHours] = useState(String(now?.hours_before ?? 24));
  const maxCharge = limit.trim() === '' ? null : readAmount(limit);
  const isLimit = limit.trim() === '' || maxCharge !== null;
  const isHours = /^[1-9]\d{0,2}$/.test(hours.trim()) && Number(hours) <= hoursMax;
  const command = useCommand(
    () =>
      wanted === 'off'
        ? removeAutoRenew(customer.id, key)
        : setAutoRenew(customer.id, { months, max_charge: maxCharge, hours_before: Number(hours) }, key),
    {
      onDone: () => {
        say(wanted === 'off' ? t`The plan no longer renews itself.` : t`The plan renews itself.`);
        onClose();
      },
    },
  );
  const most = maxCharge === null ? '' : formatMoney(maxCharge, currency);
  return (
    <FormDialog
      title={t`Auto-renewal of ${name}`}
      description={t`Nothing is charged now. Each renewal is an order, at the price of that day.`}
      action={
        wanted === 'off'
          ? t`Let it end, nothing is charged`
          : most === ''
            ? t`Renew at any price`
            : t`Renew for at most ${most} each time`
      }
      busy={command.isPending}
      ready={wanted === 'off' || (isLimit && isHours)}
      error={command.error}
      onSubmit={() => command.mutate(undefined)}
      onClose={onClose}
    >
      <fieldset
        disabled={command.isPending || isUncertain(command.error)}
        className="flex min-w-0 flex-col gap-4"
      >
        {now === null ? null : (
          <Choice
            label={t`Renews itself`}
            labelShown
            value={wanted}
            options={[
              { value: 'on', title: t`Yes` },
              { value: 'off', title: t`No` },
            ]}
            onChoose={setWanted}
          />
        )}
        {wanted === 'off' ? (
          <p>
            <Trans>
              The plan ends on <Time at={plan.expires_at} />.
            </Trans>
          </p>
        ) : (
          <>
            <SelectField
              label={t`Period`}
              value={String(months)}
              options={periods.map((period) => ({ value: String(period.months), title: period.title }))}
              onValue={(value) => setMonths(periods.find((one) => String(one.months) === value)?.months ?? 1)}
            />
            <TextField
              label={t`Highest price, in ${currency}`}
              hint={t`If the price is higher, the plan is not renewed. Leave empty for no limit.`}
              kind="money"
              maxLength={14}
              problem={isLimit ? null : t`An amount, such as ${typedAmount('12.50')}.`}
              value={limit}
              onText={setLimit}
            />
            <TextField
              label={t`Hours before the end`}
              kind="count"
              maxLength={3}
              problem={isHours ? null : t`A whole number from 1 to ${hoursMax}.`}
              hint={t`When it is renewed: from 1 to ${hoursMax} hours before the plan ends.`}
              value={hours}
              onText={setHours}
            />
          </>
        )}
        {plan.ends_at_period_end ? (
          <Notice tone="warn">{t`This undoes the cancellation at the period’s end.`}</Notice>
        ) : null}
      </fieldset>
      <LostAnswer error={command.error} />
    </FormDialog>
  );
}

export function EditCustomerDialog({ customer, onClose }: PlanDialogProps) {
  const [key] = useState(mintIdempotencyKey);
  const [name, setName] = useState(customer.name);
  const [reference, setReference] = useState(customer.external_ref ?? '');
  const isReference = /^[!-~]{0,80}$/.test(reference);
  const command = useCommand(
    () =>
      editCustomer(
        customer.id,
        { name: name.trim(), external_ref: reference === '' ? null : reference },
        key,
      ),
    {
      onDone: () => {
        say(t`The customer is changed.`);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={t`Edit customer`}
      description={<bdi className="wrap-anywhere">{customer.reference}</bdi>}
      action={t`Save`}
      busy={command.isPending}
      ready={name.trim() !== '' && isReference}
      error={command.error}
      onSubmit={() => command.mutate(undefined)}
      onClose={onClose}
    >
      <fieldset
        disabled={command.isPending || isUncertain(command.error)}
        className="flex min-w-0 flex-col gap-4"
      >
        <TextField
          label={t`Name`}
          autoFocus
          autoComplete="off"
          maxLength={120}
          value={name}
          onText={setName}
        />
        <TextField
          label={t`Your own id`}
          hint={t`What your system calls this customer. Letters, digits and signs, no spaces.`}
          kind="address"
          maxLength={80}
          problem={isReference ? null : t`Only visible ASCII characters, without spaces.`}
          value={reference}
          onText={setReference}
        />
      </fieldset>
      <LostAnswer error={command.error} />
    </FormDialog>
  );
}
