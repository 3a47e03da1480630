// Places or renews an order. The idempotency key is made when the dialog opens, so a second click charges once.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { PackageX } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { placeOrder, renewOrder } from '../../api/commands.ts';
import { panelMode } from '../../api/panel-mode.ts';
import { runs } from '../../api/plan-runs.ts';
import { limitsQuery, orderPreviewQuery, packagesQuery } from '../../api/queries.ts';
import { mintIdempotencyKey } from '../../api/random-text.ts';
import type { Months, OrderPreview, Package, PanelCustomer, PlacedOrder } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';
import { monthsOffered, periodsOf, periodWord } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';
import { Time } from '../../ui/time.tsx';
import { useTypedAhead } from '../../ui/typed-ahead.ts';
import { useText } from '../../ui/use-text.ts';
import { Whom } from '../../ui/whom.tsx';
import { useOrderFunds } from '../payments/order-funds.tsx';
import { CustomerField, NewCustomerNote, SimilarOnes } from './customer-field.tsx';
import { useKnownCustomer } from './known-customer.ts';
import type { OrderIntent } from './open-order.ts';
import { OrderDone } from './order-done.tsx';
import { OrderPreviewBox } from './order-preview-box.tsx';
import { changeSentence, confirmWords, type Direction, directionOf, lossesOf } from './plan-step.ts';

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
        title={titled(doneTitle(done.order))}
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

function doneTitle({ kind, status }: PlacedOrder['order']): string {
  if (status !== 'completed') return kind === 'renew' ? t`Renewal pending` : t`Order pending`;
  return kind === 'renew' ? t`Renewed` : t`Order placed`;
}

interface FormProps<Type> {
  readonly intent: Extract<OrderIntent, { type: Type }>;
  readonly idempotencyKey: string;
  readonly onDone: (placed: PlacedOrder) => void;
  readonly onClose: () => void;
}

function PlaceForm({ intent, idempotencyKey, onDone, onClose }: FormProps<'place'>) {
  const { data: packages, error: packagesError, refetch } = useQuery(packagesQuery);
  const { data: limits } = useQuery(limitsQuery);
  const [customer, customerField, setCustomer] = useText(intent.customer ?? '');
  useTypedAhead(setCustomer);
  const [name, nameField] = useText();
  const [chosenId, setChosenId] = useState<number | null>(null);
  const [chosenMonths, setMonths] = useState<Months | null>(null);
  const [wantsLink, setWantsLink] = useState(false);
  const [isAsked, setIsAsked] = useState(false);

  const reference = customer.trim();
  const settled = useSettled(reference);
  const known = useKnownCustomer(settled);
  const plan = known.customer?.plan;
  const isRunning = plan !== undefined && runs(plan);
  const present = packages?.data.find((one) => one.name === plan?.package);
  // Preselect the current package, unless the user asked for a change or the package is no longer on offer.
  const isChangeAsked = intent.runningPackage !== undefined;
  const preselected = isChangeAsked ? undefined : (present ?? (isRunning ? undefined : packages?.data[0]));
  const packageId = chosenId ?? preselected?.id ?? null;
  const chosen = packages?.data.find(({ id }) => id === packageId);
  const offered = periodsOf(chosen);
  const wantedMonths = chosenMonths ?? known.lastOrder?.months ?? 1;
  const months = monthsOffered(wantedMonths, offered);

  const body = { package_id: packageId ?? 0, customer: settled, months };
  const command = useCommand((order: Parameters<typeof placeOrder>[0]) => placeOrder(order, idempotencyKey), {
    onDone,
  });
  // After a lost answer the order may have been placed, so only an identical request may use this key.
  const isUncertain = command.error instanceof ApiError && isLost(command.error);
  const preview = useQuery({
    ...orderPreviewQuery(body),
    // Do not refresh the preview after sending, so that it keeps showing what was sent.
    enabled: packageId !== null && settled !== '' && !known.isAsking && !isUncertain && !command.isPending,
  });
  const isCurrent =
    settled === reference &&
    reference !== '' &&
    packageId !== null &&
    (!known.isAsking || isUncertain) &&
    !preview.isPlaceholderData;
  const shown = isCurrent ? preview.data : undefined;
  const isChange = shown?.kind === 'change' && plan !== undefined && !isUncertain;
  const direction = directionOf({ from: present, to: chosen, months, lastOrder: known.lastOrder });
  const losses = isChange ? lossesOf(present, chosen, direction, limits?.data ?? []) : [];
  const losesMoney =
    isChange && toCents(shown.refund) === 0n && toCents(known.lastOrder?.price ?? '0.00') > 0n;
  const isRisky =
    !isUncertain &&
    ((known.isNew && known.similar.length > 0) ||
      (isChange && (direction === 'down' || losses.length > 0 || losesMoney)));

  const send = () => {
    if (packageId === null || preview.data === undefined) return;
    setIsAsked(false);
    // Fix the choice now, so that customer data that arrives later cannot change it.
    setChosenId(packageId);
    setMonths(months);
    command.mutate(
      {
        package_id: packageId,
        customer: reference,
        months,
        max_charge: preview.data.charge,
        ...(name.trim() !== '' && { customer_name: name.trim() }),
        ...(wantsLink && { return_login: true }),
      },
      { onRefused: (error) => (isOf(error, 'price_changed') ? void preview.refetch() : undefined) },
    );
  };

  const isSaid =
    isOf(preview.error, 'invalid_customer') ||
    (known.lastOrder?.status === 'pending' && isOf(preview.error, 'order_failed'));
  const refusal = isCurrent && !isSaid ? preview.error : null;
  const funds = useOrderFunds(command.error ?? refusal, () => {
    command.reset();
    void preview.refetch();
  });

  if (packages?.data.length === 0) {
    return (
      <Dialog title={titled(t`Place an order`)} onClose={onClose}>
        <EmptyState icon={PackageX} title={t`No packages available`}>
          {t`The operator hasn’t created one yet.`}
        </EmptyState>
      </Dialog>
    );
  }
  const isWaiting = reference !== '' && packageId !== null && (!isCurrent || preview.isFetching);
  const action = confirmWords(shown, isChangeAsked ? t`Change package` : t`Place order`);
  const asking = { isPending: false, error: null, onSend: send, onClose: () => setIsAsked(false) };
  const choose = (other: string) => {
    setIsAsked(false);
    setCustomer(other);
  };
  return (
    <>
      <FormDialog
        form={{ ...command, onSend: () => (isRisky ? setIsAsked(true) : send()), onClose }}
        title={titled(placeTitle(intent))}
        description={
          intent.customer === undefined ? undefined : (
            <Whom customer={{ name: intent.name ?? intent.customer, reference: intent.customer }} />
          )
        }
        width="wide"
        action={action}
        ready={isCurrent && preview.data !== undefined && preview.error === null && !preview.isFetching}
        isChanged={reference !== (intent.customer ?? '')}
        error={command.error ?? (isWaiting ? null : refusal)}
        errorHelp={funds.help}
        summary={
          refusal !== null && !isWaiting ? undefined : (
            <OrderPreviewBox
              preview={shown}
              headline={shown && headline(shown, known, direction, plan?.package ?? '')}
              waiting={isWaiting}
              missing={
                reference !== '' && packageId === null
                  ? t`Choose a package to see the price and when the plan ends.`
                  : undefined
              }
            />
          )
        }
      >
        <fieldset disabled={command.isPending || isUncertain} className="flex min-w-0 flex-col gap-4">
          {intent.customer === undefined ? (
            <div className="grid gap-4 sm:grid-cols-2">
              <CustomerField
                {...customerField}
                found={settled === reference ? known.found : []}
                problem={fieldProblem(preview.error, isCurrent, 'invalid_customer')}
              />
              <TextField
                label={t`Name`}
                hint={t`Optional. Used for new customers.`}
                {...nameField}
                maxLength={120}
                autoComplete="off"
              />
            </div>
          ) : null}
          {known.similar.length > 0 && settled === reference && !isUncertain && preview.error === null ? (
            <NewCustomerNote reference={reference} similar={known.similar} onChoose={choose} />
          ) : null}
          {known.customer === undefined || isUncertain ? null : (
            <PresentPlan
              customer={known.customer}
              isRunning={isRunning}
              isOnOffer={present !== undefined || packages === undefined}
              isPending={known.lastOrder?.status === 'pending'}
            />
          )}
          <Choice
            label={t`Period`}
            labelShown
            value={months}
            options={offered.map((period) => ({ value: period.months, title: period.title }))}
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
                  <>
                    <span className="flex flex-wrap items-center gap-2">
                      <bdi className="font-medium">{one.name}</bdi>
                      {isRunning && one.name === plan?.package ? (
                        <Badge tone="good">{t`Current`}</Badge>
                      ) : null}
                    </span>
                    {one.description === null ? null : (
                      <span className="line-clamp-2 text-xs text-soft">
                        <bdi>{one.description}</bdi>
                      </span>
                    )}
                  </>
                ),
                note: <PriceOf one={one} wanted={wantedMonths} />,
              }))}
              onChoose={setChosenId}
            />
          )}
          <SwitchField
            label={t`Create login link`}
            hint={t`Shown once, after the order. It logs the customer in once.`}
            checked={wantsLink}
            onChange={setWantsLink}
          />
        </fieldset>
        {isUncertain ? <UncertainNotice /> : null}
        {funds.arrived}
      </FormDialog>
      {funds.dialog}
      {isAsked ? (
        known.isNew ? (
          <FormDialog title={t`Order for a new customer?`} action={t`Yes, a new customer`} form={asking}>
            <p className="wrap-anywhere">
              <Trans>
                <bdi>{reference}</bdi> isn’t a customer yet. Placing this order creates them.
              </Trans>
            </p>
            <SimilarOnes similar={known.similar} onChoose={choose} />
          </FormDialog>
        ) : (
          <FormDialog
            title={direction === 'down' ? t`Downgrade this customer?` : t`Change package?`}
            description={shown && changeSentence(direction, plan?.package ?? '', shown)}
            action={action}
            danger
            form={asking}
          >
            <LossList losses={losses} losesMoney={losesMoney} />
          </FormDialog>
        )
      ) : null}
    </>
  );
}

interface PresentPlanProps {
  readonly customer: PanelCustomer;
  readonly isRunning: boolean;
  readonly isOnOffer: boolean;
  readonly isPending: boolean;
}

/** Also shows what prevents an order. */
function PresentPlan({ customer, isRunning, isOnOffer, isPending }: PresentPlanProps) {
  const { plan } = customer;
  return (
    <div role="status" className="flex flex-col gap-2">
      <p>
        {isRunning ? (
          <Trans>
            Has <bdi className="font-medium">{plan.package}</bdi> until{' '}
            <Time at={plan.expires_at} style="day" />.
          </Trans>
        ) : (
          <Trans>
            Had <bdi className="font-medium">{plan.package}</bdi> until{' '}
            <Time at={plan.expires_at} style="day" />.
          </Trans>
        )}
      </p>
      {isPending ? (
        <Notice tone="warn">
          {t`An order for this customer is still waiting for the operator’s product. Try again once it is settled.`}
        </Notice>
      ) : null}
      {plan.status === 'suspended' || customer.status === 'suspended' ? (
        <Notice tone="warn">
          {t`This customer is suspended. The order is charged anyway, but they can’t use the plan until they are resumed.`}
        </Notice>
      ) : null}
      {isRunning && !isOnOffer ? (
        <Notice tone="warn">
          <Trans>
            <bdi>{plan.package}</bdi> is no longer available. Renew it from the customer’s page, or choose
            another package here.
          </Trans>
        </Notice>
      ) : null}
    </div>
  );
}

interface LossListProps {
  readonly losses: readonly string[];
  readonly losesMoney: boolean;
}

function LossList({ losses, losesMoney }: LossListProps) {
  return (
    <>
      {losses.length === 0 ? null : (
        <div>
          <p>{t`The customer loses:`}</p>
          <ul className="mt-1 list-disc pl-5">
            {losses.map((loss) => (
              <li key={loss}>
                <bdi>{loss}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {losesMoney ? <p>{t`Unused time on the current plan isn’t refunded.`}</p> : null}
    </>
  );
}

function headline(
  preview: OrderPreview,
  known: { readonly isNew: boolean },
  direction: Direction,
  present: string,
): ReactNode {
  const { name } = preview.package;
  if (preview.kind === 'change' && present !== '' && present !== name) {
    return changeSentence(direction, present, preview);
  }
  if (preview.kind === 'renew') {
    return (
      <Trans>
        Renews <bdi>{name}</bdi>, now until <Time at={preview.expires_at} style="day" />
      </Trans>
    );
  }
  return known.isNew ? (
    <Trans>
      New customer: <bdi>{name}</bdi> until <Time at={preview.expires_at} style="day" />
    </Trans>
  ) : (
    <Trans>
      <bdi>{name}</bdi> starts now and runs until <Time at={preview.expires_at} style="day" />
    </Trans>
  );
}

function RenewForm({ intent, idempotencyKey, onDone, onClose }: FormProps<'renew'>) {
  const { data: packages } = useQuery(packagesQuery);
  const [wantedMonths, setMonths] = useState<Months>(intent.months);
  const offered = periodsOf(packages?.data.find(({ id }) => id === intent.packageId));
  const months = monthsOffered(wantedMonths, offered);
  const preview = useQuery(orderPreviewQuery({ order_id: intent.orderId, months }));
  const command = useCommand(
    ({ chosen, charge }: { readonly chosen: Months; readonly charge: string }) =>
      renewOrder(intent.orderId, chosen, charge, idempotencyKey),
    { onDone },
  );
  const isUncertain = command.error instanceof ApiError && isLost(command.error);
  const isCurrent = !preview.isPlaceholderData;
  const shown = isCurrent ? preview.data : undefined;
  const refusal = isCurrent ? preview.error : null;
  const send = () => {
    if (preview.data === undefined) return;
    command.mutate(
      { chosen: months, charge: preview.data.charge },
      { onRefused: (error) => (isOf(error, 'price_changed') ? void preview.refetch() : undefined) },
    );
  };
  const funds = useOrderFunds(command.error ?? refusal, () => {
    command.reset();
    void preview.refetch();
  });
  return (
    <>
      <FormDialog
        form={{ ...command, onSend: send, onClose }}
        title={titled(t`Renew ${intent.packageName}`)}
        description={<Whom customer={{ name: intent.name, reference: intent.customer }} />}
        action={confirmWords(shown, t`Renew`)}
        summary={
          refusal !== null && !preview.isFetching ? undefined : (
            <OrderPreviewBox
              preview={shown}
              headline={shown && headline(shown, { isNew: false }, 'level', '')}
              waiting={preview.isFetching}
            />
          )
        }
        ready={isCurrent && preview.data !== undefined && preview.error === null && !preview.isFetching}
        error={command.error ?? (preview.isFetching ? null : refusal)}
        errorHelp={funds.help}
      >
        <fieldset disabled={command.isPending || isUncertain} className="min-w-0">
          <Choice
            label={t`Period`}
            labelShown
            value={months}
            options={offered.map((period) => ({ value: period.months, title: period.title }))}
            onChoose={setMonths}
          />
        </fieldset>
        {isUncertain ? <UncertainNotice /> : null}
        {funds.arrived}
      </FormDialog>
      {funds.dialog}
    </>
  );
}

function UncertainNotice() {
  return (
    <Notice tone="warn">
      {t`No response arrived, so the order may already be placed. Submit it again unchanged; it’s charged only once.`}
    </Notice>
  );
}

function placeTitle({ customer, runningPackage }: FormProps<'place'>['intent']): string {
  if (customer === undefined) return t`Place an order`;
  return runningPackage === undefined ? t`Order a package` : t`Change package`;
}

function titled(title: string): string {
  return panelMode === 'test' ? t`${title} (test)` : title;
}

/** Shows the price for the wanted period, or for the shortest one if the wanted period is not sold. */
function PriceOf({ one, wanted }: { readonly one: Package; readonly wanted: Months }) {
  const months = monthsOffered(wanted, periodsOf(one));
  const price = one.prices.find((candidate) => candidate.months === months);
  if (price === undefined) return null;
  // The saving is relative to the monthly price, which means nothing if the package is not sold monthly.
  const isSaving = price.saving_percent > 0 && one.periods.includes('monthly');
  return (
    <span className="figures flex items-center gap-2 whitespace-nowrap">
      {isSaving ? <Badge tone="good">{t`Save ${price.saving_percent}%`}</Badge> : null}
      {months === wanted ? null : <span>{periodWord(months)}</span>}
      <span className="text-ink">{formatMoney(price.price, one.currency)}</span>
    </span>
  );
}

const pauseMilliseconds = 350;

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
    ? t`Enter an email address, or a username with letters, digits, dots, underscores and hyphens.`
    : null;
}

function isLost(error: ApiError): boolean {
  return error.code === 'network' || error.code === 'unreadable' || error.status >= 500;
}
