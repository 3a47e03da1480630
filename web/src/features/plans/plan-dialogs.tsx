// Dialogs to cancel, suspend, resume and auto-renew a plan. Each opening has one idempotency key.

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
import { cancelPreviewQuery, packagesQuery } from '../../api/queries.ts';
import type { Customer, Months } from '../../api/shapes.ts';
import { cancelPlanOfCustomer } from '../../api/support-commands.ts';
import { formatMoney, readAmount, typedAmount } from '../../text/amounts.ts';
import { monthsOffered, periods, periodsOf } from '../../text/words.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useText } from '../../ui/use-text.ts';
import { Whom } from '../../ui/whom.tsx';

interface PlanDialogProps {
  readonly customer: Customer;
  readonly onClose: () => void;
}

/** With `isOperator`, for customers of any account: the refund goes to that account. */
export function CancelDialog({
  customer,
  isOperator = false,
  onClose,
}: PlanDialogProps & { readonly isOperator?: boolean }) {
  const { currency } = useMe().account;
  const mayWait = !customer.plan.ends_at_period_end;
  const [at, setAt] = useState<'now' | 'period_end'>(mayWait ? 'period_end' : 'now');
  const preview = useQuery({ ...cancelPreviewQuery(customer.id, isOperator), enabled: at === 'now' });
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    password: isOperator && 'asked',
    send: ({ key, password }) =>
      isOperator
        ? cancelPlanOfCustomer(customer.id, { at, current_password: password }, key)
        : cancelPlan(customer.id, at, key),
    says: ({ refund }) =>
      at === 'period_end'
        ? t`The plan ends with the current period.`
        : isOperator
          ? t`Plan canceled. ${formatMoney(refund, currency)} was refunded to the account.`
          : t`Plan canceled. ${formatMoney(refund, currency)} was refunded.`,
  });
  const shown = at === 'now' ? preview.data : undefined;
  const { name } = customer;
  return (
    <FormDialog
      form={form}
      title={t`Cancel ${name}’s plan?`}
      description={<Whom customer={customer} isNamed />}
      action={
        at === 'period_end'
          ? t`Cancel at period end`
          : shown === undefined
            ? t`End now`
            : t`End now, ${formatMoney(shown.refund, currency)} refunded`
      }
      danger
      ready={at === 'period_end' || form.isUncertain || (shown !== undefined && preview.error === null)}
      cancel={t`Keep the plan`}
    >
      <Choice
        label={t`When`}
        labelShown
        value={at}
        options={[
          ...(mayWait ? [{ value: 'period_end' as const, title: t`At the end of the period` }] : []),
          { value: 'now' as const, title: t`Now` },
        ]}
        onChoose={setAt}
      />
      {at === 'period_end' ? (
        <p>
          <Trans>
            The plan runs until <Time at={customer.plan.expires_at} /> and won’t renew. Nothing is refunded.
            You can undo this until then.
          </Trans>
        </p>
      ) : (
        <>
          <p>{t`Access ends immediately. This can’t be undone.`}</p>
          {preview.error === null || form.isUncertain ? (
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
                  name: t`Balance after`,
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
    </FormDialog>
  );
}

export function SuspendDialog({ customer, onClose }: PlanDialogProps) {
  const [reason, reasonField] = useText();
  const { name } = customer;
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    send: ({ key }) => suspendPlan(customer.id, reason.trim(), key),
    says: () => t`${name} suspended.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Suspend ${name}?`}
      description={
        <>
          <Whom customer={customer} isNamed />
          {t`The customer can’t log in until you resume them. The plan keeps running, nothing is refunded, and auto-renew continues.`}
        </>
      }
      action={t`Suspend, no refund`}
      danger
    >
      <TextField
        label={t`Reason`}
        hint={t`Optional, for your own records. The customer doesn’t see it.`}
        autoFocus
        autoComplete="off"
        maxLength={200}
        {...reasonField}
      />
    </FormDialog>
  );
}

export function ResumeDialog({ customer, isHeld, onClose }: PlanDialogProps & { readonly isHeld: boolean }) {
  const { name, plan } = customer;
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    send: ({ key }) => resumePlan(customer.id, key),
    says: () => (isHeld ? t`${name} resumed.` : t`Cancellation undone.`),
  });
  return (
    <FormDialog
      form={form}
      title={isHeld ? t`Resume ${name}?` : t`Undo the cancellation?`}
      description={
        <>
          <Whom customer={customer} isNamed={isHeld} />
          {isHeld
            ? plan.ends_at_period_end
              ? t`The customer can log in again, and the cancellation is undone.`
              : t`The customer can log in again.`
            : t`Auto-renew is restored if it was on before.`}
        </>
      }
      action={isHeld ? t`Resume, free of charge` : t`Undo, no charge`}
    >
      {customer.status === 'suspended' ? (
        <Notice tone="warn">{t`The operator has also suspended this customer. That suspension stays.`}</Notice>
      ) : null}
    </FormDialog>
  );
}

const hoursMax = 720;

export function AutoRenewDialog({ customer, onClose }: PlanDialogProps) {
  const { currency } = useMe().account;
  const { plan, name } = customer;
  const now = plan.auto_renew;
  const [wanted, setWanted] = useState<'on' | 'off'>('on');
  const [wantedMonths, setMonths] = useState<Months>(now?.months ?? 1);
  const { data: packages } = useQuery(packagesQuery);
  const offered = periodsOf(packages?.data.find(({ id }) => id === plan.package_id));
  const months = monthsOffered(wantedMonths, offered);
  const [limit, limitField] = useText(typedAmount(now?.max_charge ?? ''));
  const [hours, hoursField] = useText(String(now?.hours_before ?? 24));
  const maxCharge = limit.trim() === '' ? null : readAmount(limit);
  const isLimit = limit.trim() === '' || maxCharge !== null;
  const isHours = /^[1-9]\d{0,2}$/.test(hours.trim()) && Number(hours) <= hoursMax;
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    send: ({ key }) =>
      wanted === 'off'
        ? removeAutoRenew(customer.id, key)
        : setAutoRenew(customer.id, { months, max_charge: maxCharge, hours_before: Number(hours) }, key),
    says: () => (wanted === 'off' ? t`Auto-renew turned off.` : t`Auto-renew turned on.`),
  });
  const most = maxCharge === null ? '' : formatMoney(maxCharge, currency);
  return (
    <FormDialog
      form={form}
      title={t`Auto-renew for ${name}`}
      description={
        <>
          <Whom customer={customer} isNamed />
          {t`Nothing is charged now. Each renewal is an order at the price on that day.`}
        </>
      }
      action={
        wanted === 'off'
          ? t`Turn off auto-renew, no charge`
          : most === ''
            ? t`Renew at any price`
            : t`Renew for at most ${most} each time`
      }
      ready={wanted === 'off' || (isLimit && isHours)}
    >
      {now === null ? null : (
        <Choice
          label={t`Auto-renew`}
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
            options={offered.map((period) => ({ value: String(period.months), title: period.title }))}
            onValue={(value) => setMonths(periods.find((one) => String(one.months) === value)?.months ?? 1)}
          />
          <TextField
            label={t`Highest price, in ${currency}`}
            hint={t`If the price is higher, the plan isn’t renewed. Leave blank for no limit.`}
            kind="money"
            maxLength={14}
            problem={isLimit ? null : t`Enter an amount, such as ${typedAmount('12.50')}.`}
            {...limitField}
          />
          <TextField
            label={t`Hours before the end`}
            kind="count"
            maxLength={3}
            problem={isHours ? null : t`Enter a whole number from 1 to ${hoursMax}.`}
            hint={t`When to renew: 1 to ${hoursMax} hours before the plan ends.`}
            {...hoursField}
          />
        </>
      )}
      {plan.ends_at_period_end ? <Notice tone="warn">{t`This undoes the cancellation.`}</Notice> : null}
    </FormDialog>
  );
}

export function EditCustomerDialog({ customer, onClose }: PlanDialogProps) {
  const [name, setName] = useState(customer.name);
  const [reference, referenceField] = useText(customer.reference);
  const [externalId, externalIdField] = useText(customer.external_ref ?? '');
  const isExternalId = /^[!-~]{0,80}$/.test(externalId);
  const wanted = reference.trim();
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    send: ({ key }) =>
      editCustomer(
        customer.id,
        {
          name: name.trim(),
          external_ref: externalId === '' ? null : externalId,
          ...(wanted !== customer.reference && { reference: wanted }),
        },
        key,
      ),
    says: () => t`Customer updated.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Edit customer`}
      description={<Whom customer={customer} />}
      action={t`Save`}
      ready={name.trim() !== '' && wanted !== '' && isExternalId}
    >
      <TextField label={t`Name`} autoFocus autoComplete="off" maxLength={120} value={name} onText={setName} />
      <TextField
        label={t`Email or username`}
        hint={t`Used in orders. The former one keeps working.`}
        kind="address"
        maxLength={254}
        {...referenceField}
      />
      <TextField
        label={t`External ID`}
        hint={t`This customer’s ID in your system. Letters, digits and symbols, no spaces.`}
        kind="address"
        maxLength={80}
        problem={isExternalId ? null : t`Only visible ASCII characters, without spaces.`}
        {...externalIdField}
      />
    </FormDialog>
  );
}
