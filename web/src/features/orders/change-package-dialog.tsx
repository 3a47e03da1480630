// The operator changes a customer's package, which is an order: shows cost and refund before it asks for the password.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMe } from '../../api/me.ts';
import { allPackagesQuery } from '../../api/queries.ts';
import type { AccountCustomer, Months, PlacedOrder } from '../../api/shapes.ts';
import { changePackageOfCustomer } from '../../api/support-commands.ts';
import { accountPricesQuery, packageChangePreviewQuery } from '../../api/support-queries.ts';
import { monthsOffered, periodsOf } from '../../text/words.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RuledPrice } from '../../ui/ruled-price.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { Whom } from '../../ui/whom.tsx';
import { confirmWords } from './plan-step.ts';

interface ChangePackageDialogProps {
  readonly customer: AccountCustomer;
  readonly months: Months;
  readonly onClose: () => void;
}

export function ChangePackageDialog({ customer, months: presentMonths, onClose }: ChangePackageDialogProps) {
  const { currency } = useMe().account;
  const [packageId, setPackageId] = useState<number | null>(null);
  const [wantedMonths, setMonths] = useState(presentMonths);
  const { data: packages, error: packagesError, refetch } = useQuery(allPackagesQuery);
  const { data: paid } = useQuery(accountPricesQuery(customer.account.id));
  const offered = packages?.data.filter(
    ({ id, trial, retired }) => !trial && !retired && id !== customer.plan.package_id,
  );
  /** What the account pays for the chosen period, with its own prices. */
  function priceOf(id: number) {
    const offer = paid?.now.find((one) => one.package.id === id);
    const price = offer?.prices.find((one) => one.months === months);
    return price === undefined ? '' : <Money amount={price.price} currency={currency} />;
  }
  const sold = periodsOf(offered?.find(({ id }) => id === packageId));
  const months = monthsOffered(wantedMonths, sold);
  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    password: 'asked',
    send: ({ key, password }): Promise<PlacedOrder> =>
      changePackageOfCustomer(
        customer.id,
        { package_id: packageId ?? 0, months, max_charge: shown?.charge ?? '', current_password: password },
        key,
      ),
    says: ({ order }) =>
      order.status === 'completed'
        ? t`${customer.name} now has ${order.package.name}.`
        : t`Order placed. Waiting for the product.`,
    onRefused: () => void preview.refetch(),
  });
  const wasLost = form.isUncertain;
  const preview = useQuery({
    ...packageChangePreviewQuery(customer.id, { package_id: packageId ?? 0, months }),
    // After a lost answer the order may have been placed, so the dialog keeps showing what was sent.
    enabled: packageId !== null && !form.isClosed,
  });
  const isCurrent = packageId !== null && !preview.isPlaceholderData && (wasLost || preview.error === null);
  const shown = isCurrent ? preview.data : undefined;
  return (
    <FormDialog
      form={form}
      title={t`Change package for ${customer.name}`}
      description={
        <>
          <Whom customer={customer} isNamed />
          <Trans>
            Places an order on behalf of <bdi className="text-ink">{customer.account.username}</bdi>, charged
            to its balance. The customer has <bdi className="text-ink">{customer.plan.package}</bdi> until{' '}
            <Time at={customer.plan.expires_at} style="day" />.
          </Trans>
        </>
      }
      action={confirmWords(shown, t`Change package`)}
      ready={shown !== undefined}
      isChanged={packageId !== null}
      error={form.error ?? (packageId === null ? null : preview.error)}
    >
      <Choice
        label={t`Period`}
        labelShown
        value={months}
        options={sold.map((period) => ({ value: period.months, title: period.title }))}
        onChoose={setMonths}
      />
      {offered === undefined ? (
        packagesError === null ? (
          <Skeleton className="h-24 w-full" />
        ) : (
          <ErrorNotice error={packagesError} onRetry={() => void refetch()} />
        )
      ) : offered.length === 0 ? (
        <Notice tone="warn">{t`No other packages are available.`}</Notice>
      ) : (
        <Choice
          label={t`New package`}
          labelShown
          look="cards"
          value={packageId}
          options={offered.map((one) => ({
            value: one.id,
            title: <bdi className="font-medium">{one.name}</bdi>,
            note: priceOf(one.id),
          }))}
          onChoose={setPackageId}
        />
      )}
      {packageId === null || preview.error !== null ? null : (
        <Facts
          facts={[
            { name: t`Price`, value: shown && <RuledPrice of={shown} /> },
            {
              name: t`Refund for unused time`,
              value: shown && <Money amount={shown.refund} currency={currency} signed />,
            },
            {
              name: t`The account’s balance now`,
              value: shown && <Money amount={shown.balance} currency={currency} />,
            },
            {
              name: t`Balance after`,
              value: shown && (
                <Money amount={shown.balance_after} currency={currency} className="font-semibold" />
              ),
            },
            { name: t`Plan runs until`, value: shown && <Time at={shown.expires_at} style="day" /> },
          ]}
        />
      )}
    </FormDialog>
  );
}
