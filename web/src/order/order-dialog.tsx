// Placing an order and renewing one: choose, see what it does to price, plan and balance, confirm. The
// idempotency key is made when the dialog opens, so a second click or a retry after a lost answer charges once.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { PackageX } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { placeOrder, renewOrder } from '../api/commands.ts';
import { useMe } from '../api/me.ts';
import { panelMode } from '../api/panel-mode.ts';
import { orderPreviewQuery, packagesQuery } from '../api/queries.ts';
import { mintIdempotencyKey } from '../api/random-text.ts';
import type { Months, OrderPreview, Package, PlacedOrder } from '../api/shapes.ts';
import { useCommand } from '../api/use-command.ts';
import { formatMoney, toCents } from '../text/amounts.ts';
import { periods } from '../text/words.ts';
import { Badge } from '../ui/badge.tsx';
import { Choice } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { SwitchField } from '../ui/switch-field.tsx';
import type { OrderIntent } from './open-order.ts';
import { OrderDone } from './order-done.tsx';
import { OrderPreviewBox } from './order-preview-box.tsx';

interface OrderDialogProps {
  readonly intent: OrderIntent;
  readonly onClose: () => void;
}

export default function OrderDialog({ intent, onClose }: OrderDialogProps) {
  const [key, setKey] = useState(mintIdempotencyKey);
  const [done, setDone] = useState<PlacedOrder | null>(null);
  if (done !== null) {
    return (
      <Dialog
        title={titled(done.order.kind === 'renew' ? t`Renewed` : t`Order placed`)}
        onClose={onClose}
        dismissible={done.login_url === undefined}
      >
        <OrderDone
          placed={done}
          onClose={onClose}
          onAnother={
            intent.type === 'place' && intent.customer === undefined
              ? () => {
                  setKey(mintIdempotencyKey());
                  setDone(null);
                }
              : undefined
          }
        />
      </Dialog>
    );
  }
  return intent.type === 'place' ? (
    <PlaceForm intent={intent} idempotencyKey={key} onDone={setDone} onClose={onClose} />
  ) : (
    <RenewForm intent={intent} idempotencyKey={key} onDone={setDone} onClose={onClose} />
  );
}

interface FormProps<Type> {
  readonly intent: Extract<OrderIntent, { type: Type }>;
  readonly idempotencyKey: string;
  readonly onDone: (placed: PlacedOrder) => void;
  readonly onClose: () => void;
}

function PlaceForm({ intent, idempotencyKey, onDone, onClose }: FormProps<'place'>) {
  const { data: packages, error: packagesError, refetch } = useQuery(packagesQuery);
  const { currency } = useMe().account;
  const [customer, setCustomer] = useState(intent.customer ?? '');
  const [name, setName] = useState('');
  const [chosenId, setChosenId] = useState<number | null>(null);
  const [months, setMonths] = useState<Months>(1);
  const [wantsLink, setWantsLink] = useState(false);
  const firstOther = packages?.data.find((one) => one.name !== intent.runningPackage);
  const packageId = chosenId ?? firstOther?.id ?? packages?.data[0]?.id ?? null;

  const reference = customer.trim();
  const settled = useSettled(reference);
  const body = { package_id: packageId ?? 0, customer: settled, months };
  const preview = useQuery({ ...orderPreviewQuery(body), enabled: packageId !== null && settled !== '' });
  const command = useCommand((order: Parameters<typeof placeOrder>[0]) => placeOrder(order, idempotencyKey), {
    onDone,
  });
  const isCurrent = settled === reference && reference !== '' && !preview.isPlaceholderData;
  const isNew = preview.data?.kind === 'activate' && isCurrent && intent.customer === undefined;
  // After a lost answer the order may stand: only the very same may be sent again with this key.
  const isUncertain = command.error instanceof ApiError && isLost(command.error);

  if (packages?.data.length === 0) {
    return (
      <Dialog title={titled(t`Place an order`)} onClose={onClose}>
        <EmptyState icon={PackageX} title={t`There is no package to order`}>
          <Trans>The operator of this service has not made one yet.</Trans>
        </EmptyState>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={titled(placeTitle(intent))}
      description={
        intent.customer === undefined ? undefined : <bdi className="wrap-anywhere">{intent.customer}</bdi>
      }
      width="wide"
      action={confirmWords(preview.data, isCurrent, t`Place order`, currency)}
      busy={command.isPending}
      ready={isCurrent && preview.data !== undefined && preview.error === null && !preview.isFetching}
      error={command.error}
      onClose={onClose}
      onSubmit={() => {
        if (packageId === null) return;
        command.mutate({
          package_id: packageId,
          customer: reference,
          months,
          ...(name.trim() !== '' && { customer_name: name.trim() }),
          ...(wantsLink && { return_login: true }),
        });
      }}
    >
      <fieldset disabled={command.isPending || isUncertain} className="flex min-w-0 flex-col gap-4">
        {intent.customer === undefined ? (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={t`Customer`}
              hint={t`An e-mail address or a username, known or new.`}
              autoFocus
              value={customer}
              onText={setCustomer}
              maxLength={254}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              problem={fieldProblem(preview.error, isCurrent, 'invalid_customer')}
            />
            <TextField
              label={t`Name`}
              hint={t`Optional: used for a new customer.`}
              value={name}
              onText={setName}
              maxLength={120}
              autoComplete="off"
            />
          </div>
        ) : null}
        <Choice
          label={t`Period`}
          labelShown
          value={months}
          options={periods.map((period) => ({ value: period.months, title: period.title }))}
          onChoose={setMonths}
        />
        {packages === undefined ? (
          packagesError === null ? (
            <Skeleton className="h-32 w-full" />
          ) : (
            <ErrorNotice error={packagesError} onRetry={() => void refetch()} />
          )
        ) : (
          <Choice
            label={t`Package`}
            labelShown
            look="cards"
            value={packageId}
            options={packages.data.map((one) => ({
              value: one.id,
              title: (
                <span className="flex flex-wrap items-center gap-2">
                  <bdi className="font-medium">{one.name}</bdi>
                  {one.name === intent.runningPackage ? (
                    <Badge tone="good">
                      <Trans>Runs now</Trans>
                    </Badge>
                  ) : null}
                </span>
              ),
              note: <PriceOf one={one} months={months} />,
            }))}
            onChoose={setChosenId}
          />
        )}
        <SwitchField
          label={t`Create a login link`}
          hint={t`Shown once, after the order: it logs the customer in just once.`}
          checked={wantsLink}
          onChange={setWantsLink}
        />
      </fieldset>
      {isUncertain ? <UncertainNotice /> : null}
      <OrderPreviewBox
        preview={isCurrent ? preview.data : undefined}
        error={isCurrent && !isOf(preview.error, 'invalid_customer') ? preview.error : null}
        waiting={reference !== '' && (!isCurrent || preview.isFetching)}
        isNewCustomer={isNew}
      />
    </FormDialog>
  );
}

function RenewForm({ intent, idempotencyKey, onDone, onClose }: FormProps<'renew'>) {
  const { currency } = useMe().account;
  const [months, setMonths] = useState<Months>(intent.months);
  const preview = useQuery(orderPreviewQuery({ order_id: intent.orderId, months }));
  const command = useCommand((chosen: Months) => renewOrder(intent.orderId, chosen, idempotencyKey), {
    onDone,
  });
  const isUncertain = command.error instanceof ApiError && isLost(command.error);
  const isCurrent = !preview.isPlaceholderData;
  return (
    <FormDialog
      title={titled(t`Renew ${intent.packageName}`)}
      description={<bdi className="wrap-anywhere">{intent.customer}</bdi>}
      action={confirmWords(preview.data, isCurrent, t`Renew`, currency)}
      busy={command.isPending}
      ready={isCurrent && preview.data !== undefined && preview.error === null && !preview.isFetching}
      error={command.error}
      onClose={onClose}
      onSubmit={() => command.mutate(months)}
    >
      <fieldset disabled={command.isPending || isUncertain} className="min-w-0">
        <Choice
          label={t`Period`}
          labelShown
          value={months}
          options={periods.map((period) => ({ value: period.months, title: period.title }))}
          onChoose={setMonths}
        />
      </fieldset>
      {isUncertain ? <UncertainNotice /> : null}
      <OrderPreviewBox
        preview={isCurrent ? preview.data : undefined}
        error={isCurrent ? preview.error : null}
        waiting={preview.isFetching}
        isNewCustomer={false}
      />
    </FormDialog>
  );
}

function UncertainNotice() {
  return (
    <Notice tone="warn">
      <Trans>
        The answer was lost: the order may already have been placed. Send it again as it is, and it is charged
        only once.
      </Trans>
    </Notice>
  );
}

function placeTitle({ customer, runningPackage }: FormProps<'place'>['intent']): string {
  if (customer === undefined) return t`Place an order`;
  return runningPackage === undefined ? t`Order a package` : t`Change the package`;
}

/** The dialog opens above pages of either kind, and always orders in the mode of its tab. */
function titled(title: string): string {
  return panelMode === 'test' ? `${title} (test)` : title;
}

function PriceOf({ one, months }: { readonly one: Package; readonly months: Months }) {
  const price = one.prices.find((candidate) => candidate.months === months);
  if (price === undefined) return null;
  return (
    <span className="figures flex items-center gap-2 whitespace-nowrap">
      {price.saving_percent > 0 ? (
        <Badge tone="good">
          <Trans>Save {price.saving_percent}%</Trans>
        </Badge>
      ) : null}
      <span className="text-ink">{formatMoney(price.price, one.currency)}</span>
    </span>
  );
}

/** The button says what it takes. */
function confirmWords(
  preview: OrderPreview | undefined,
  isCurrent: boolean,
  action: string,
  currency: string,
): string {
  if (preview === undefined || !isCurrent) return action;
  return toCents(preview.charge) >= 0n ? t`${action} for ${formatMoney(preview.charge, currency)}` : action;
}

const pauseMilliseconds = 350;

/** The text once typing has paused. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function isOf(error: Error | null, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}

function fieldProblem(error: Error | null, isCurrent: boolean, code: string): string | null {
  return isCurrent && isOf(error, code)
    ? t`Neither an e-mail address nor a username of letters, digits, dot, underscore and hyphen.`
    : null;
}

function isLost(error: ApiError): boolean {
  return error.code === 'network' || error.code === 'unreadable' || error.status >= 500;
}
