import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { changePackage, createPackage, type PackageSettings } from '../../api/commands.ts';
import { definedLimitsQuery } from '../../api/console-queries.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { allPackagesQuery } from '../../api/queries.ts';
import type { AdminPackage, Limit } from '../../api/shapes.ts';
import { readCount } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { readLimits, typedLimits } from '../../text/limit-values.ts';
import { periods } from '../../text/words.ts';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { MoreActions } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckList } from '../../ui/check-list.tsx';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field, inputClasses, TextField } from '../../ui/field.tsx';
import { NotForRole } from '../../ui/not-for-role.tsx';
import { Notice } from '../../ui/notice.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { say } from '../../ui/toasts.tsx';
import { UnitField } from '../../ui/unit-field.tsx';
import { useUnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useText } from '../../ui/use-text.ts';
import { FeatureList } from './feature-list.tsx';
import { LimitFields } from './limit-fields.tsx';
import { OtherPayersCard } from './other-payers-card.tsx';
import { PackageFigures } from './package-figures.tsx';
import { PriceChangeList } from './price-change-list.tsx';
import {
  changedPrices,
  emptyPrices,
  PriceMatrix,
  readPrices,
  type TypedPrices,
  typedPrices,
} from './price-matrix.tsx';
import { PriceSchedule } from './price-schedule.tsx';

const route = getRouteApi('/panel/admin/packages/$packageId');

export function PackagePage() {
  const { packageId } = route.useParams();
  const { copy } = route.useSearch();
  const mayChange = useMay()('admin:packages');
  const { data, error: packagesError, refetch } = useQuery(allPackagesQuery);
  const { data: limits, error: limitsError, refetch: refetchLimits } = useQuery(definedLimitsQuery);
  const error = packagesError ?? limitsError;
  const back = <BackLink to="/admin/packages">{t`Packages`}</BackLink>;
  if (packageId === 'new' && !mayChange) return <NotForRole />;
  if (packageId === 'new' && limits !== undefined && (copy === undefined || data !== undefined)) {
    const copied = data?.data.find(({ id }) => String(id) === copy);
    return <PackageForm one={null} copied={copied} limits={limits.data} canChange />;
  }
  const found = data?.data.find(({ id }) => String(id) === packageId);
  if (found !== undefined && limits !== undefined) {
    return (
      <div className="page-stack gap-5">
        <PackageForm key={found.id} one={found} limits={limits.data} canChange={mayChange} />
        {found.trial ? null : (
          <>
            <PriceSchedule one={found} />
            <OtherPayersCard one={found} />
          </>
        )}
      </div>
    );
  }
  if ((data === undefined || limits === undefined) && error === null) {
    return (
      <>
        <PageHeader title={t`Package`} back={back} />
        <Skeleton className="h-80 w-full" />
      </>
    );
  }
  const problem = error ?? new ApiError('package_not_found', t`Package not found.`);
  return (
    <PageProblem
      title={t`Package`}
      back={back}
      error={problem}
      onRetry={() => void Promise.all([refetch(), refetchLimits()])}
    />
  );
}

const durationDaysDefault = 30;
const descriptionMax = 500;
const allPeriods = periods.map(({ period }) => period);
const periodTitles = Object.fromEntries(periods.map(({ period, title }) => [period, title]));

interface PackageFormProps {
  readonly one: AdminPackage | null;
  /** Fills in the fields of a new package. */
  readonly copied?: AdminPackage | undefined;
  readonly limits: readonly Limit[];
  readonly canChange: boolean;
}

function PackageForm({ one, copied, limits: defined, canChange }: PackageFormProps) {
  const { currency } = useMe().account;
  const navigate = useNavigate();
  const [start] = useState(() => startOf(one, copied, defined));
  const [name, nameField] = useText(start.name);
  const [description, setDescription] = useState(start.description);
  const [features, setFeatures] = useState<readonly string[]>(start.features);
  const [limits, setLimits] = useState(start.limits);
  const [days, daysField] = useText(start.days);
  const [sold, setSold] = useState<readonly string[]>(start.sold);
  const [isTrial, setIsTrial] = useState(start.isTrial);
  const [retired, setRetired] = useState(one?.retired ?? false);
  // Keep the prices from when the page opened: a scheduled price may begin meanwhile.
  const [opened] = useState(one === null || one.trial ? null : one.prices);
  const [prices, setPrices] = useState<TypedPrices>(start.prices);

  const granted = readLimits(defined, limits);
  const durationDays = readCount(days);
  const isDuration = durationDays !== null && durationDays >= 1 && durationDays <= 3_650;
  const read = isTrial ? null : readPrices(prices);
  const changed = read !== null && opened !== null ? changedPrices(read, opened) : read;
  const isSold = isTrial || (read !== null && sold.length > 0);
  const isReady = name.trim() !== '' && granted !== null && isDuration && isSold;

  const command = useConfirmedCommand(
    (settings: PackageSettings, password) =>
      one === null
        ? createPackage({ ...settings, trial: isTrial, current_password: password })
        : changePackage(one.id, { ...settings, current_password: password }),
    {
      action: one === null ? t`Create package` : t`Save`,
      onDone: ({ package: saved }) => {
        say(one === null ? t`${saved.name} created.` : t`Saved. Applies to new orders.`);
        void navigate({ to: '/admin/packages', ignoreBlocker: true });
      },
    },
  );
  const save = () => {
    if (granted === null || durationDays === null) return;
    const removed = granted.without.filter((key) => one !== null && Object.hasOwn(one.limits, key));
    command.mutate({
      name: name.trim(),
      description: oneParagraph(description),
      features: features.map((feature) => feature.trim()).filter((feature) => feature !== ''),
      limits: granted.limits,
      ...(removed.length > 0 && { remove_limits: removed }),
      duration_days: durationDays,
      retired,
      ...(!isTrial && { periods: allPeriods.filter((period) => sold.includes(period)) }),
      ...(changed !== null && { prices: changed }),
    });
  };
  const isDirty =
    canChange &&
    JSON.stringify([name, description, features, limits, days, sold, isTrial, retired, prices]) !==
      JSON.stringify([
        start.name,
        start.description,
        start.features,
        start.limits,
        start.days,
        start.sold,
        start.isTrial,
        one?.retired ?? false,
        start.prices,
      ]);
  const guard = useUnsavedGuard(isDirty);
  const duration = (
    <UnitField
      label={isTrial ? t`Days of the trial` : t`Displayed days per month`}
      hint={
        isTrial ? t`The trial ends after this many days.` : t`For display only. Plans run by calendar month.`
      }
      unit={t`days`}
      problem={days !== '' && !isDuration ? t`Enter a whole number from 1 to ${formatCount(3_650)}.` : null}
      {...daysField}
    />
  );
  return (
    <>
      {guard}
      {command.dialog}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (canChange && isReady && !command.isPending) save();
        }}
      >
        <PageHeader
          title={one?.name ?? t`New package`}
          actions={
            one && (
              <>
                <ButtonLink to="/admin/audit" search={{ target: `package:${one.id}` }}>
                  {t`Audit log`}
                </ButtonLink>
                {canChange ? (
                  <MoreActions
                    menu={ActionMenu}
                    actions={[
                      {
                        id: 'duplicate',
                        title: t`Duplicate package`,
                        icon: Copy,
                        run: () =>
                          void navigate({
                            to: '/admin/packages/$packageId',
                            params: { packageId: 'new' },
                            search: { copy: String(one.id) },
                          }),
                      },
                    ]}
                  />
                ) : null}
              </>
            )
          }
          mark={
            one && (
              <>
                {one.retired ? <Badge>{t`Retired`}</Badge> : <Badge tone="good">{t`Available`}</Badge>}
                {one.trial ? <Badge tone="accent">{t`Free trial`}</Badge> : null}
              </>
            )
          }
          back={<BackLink to="/admin/packages">{t`Packages`}</BackLink>}
        />
        {one === null || one.trial ? null : <PackageFigures id={one.id} />}
        <fieldset disabled={!canChange} className="flex min-w-0 flex-col gap-5">
          {canChange ? null : (
            <Notice tone="info">{t`Your role can view packages and prices but not change them.`}</Notice>
          )}
          <Card title={t`General`}>
            <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-5">
              <TextField
                label={t`Name`}
                className="sm:col-span-2"
                autoComplete="off"
                maxLength={120}
                {...nameField}
              />
              <Field
                label={t`Description`}
                hint={t`One paragraph for resellers and customers. Optional.`}
                className="sm:col-span-2 lg:col-span-5"
              >
                {(wiring) => (
                  <textarea
                    {...wiring}
                    rows={3}
                    maxLength={descriptionMax}
                    value={description}
                    onChange={(event) => setDescription(event.target.value)}
                    className={`${inputClasses} py-2`}
                  />
                )}
              </Field>
            </div>
            <div className="mt-4 flex max-w-xl flex-col gap-4">
              <SwitchField
                leads
                label={t`Free trial`}
                hint={t`Free, and can’t be ordered: you give it to customers. Can’t be changed later.`}
                checked={isTrial}
                disabled={one !== null || !canChange}
                onChange={setIsTrial}
              />
              {isTrial ? duration : null}
            </div>
          </Card>
          {defined.length === 0 ? null : (
            <Card
              title={t`Limits`}
              description={t`What the package grants. Leave empty what it does not have.`}
            >
              <LimitFields limits={defined} typed={limits} onChange={setLimits} />
            </Card>
          )}
          <Card title={t`Features`} description={t`Short lines, shown in this order.`}>
            <FeatureList features={features} onChange={setFeatures} />
          </Card>
          {isTrial ? null : (
            <Card
              title={t`Prices`}
              description={t`Current prices by group and period. New prices apply to new orders immediately; refunds are based on the price paid.`}
            >
              <div className="mb-5">
                <CheckList
                  label={t`Sold for`}
                  labelShown
                  words={periodTitles}
                  chosen={sold}
                  onChoose={setSold}
                />
                <p className={sold.length === 0 ? 'text-xs text-bad' : 'text-xs text-soft'}>
                  {sold.length === 0
                    ? t`Choose at least one period.`
                    : t`Orders and renewals for other periods are refused. Their prices are kept.`}
                </p>
              </div>
              <PriceMatrix prices={prices} currency={currency} onChange={setPrices} />
              {canChange && read !== null ? (
                <PriceChangeList before={opened} after={read} currency={currency} />
              ) : null}
            </Card>
          )}
          {isTrial && one === null ? null : (
            <Card title={t`More`}>
              <div className="flex max-w-xl flex-col gap-4">
                {isTrial ? null : duration}
                {one === null ? null : (
                  <SwitchField
                    leads
                    label={t`Retired`}
                    hint={t`Can no longer be ordered. Active plans continue and can be renewed.`}
                    checked={retired}
                    disabled={!canChange}
                    onChange={setRetired}
                  />
                )}
              </div>
            </Card>
          )}
          {isTrial && one !== null ? (
            <Notice tone="info">
              <Trans>
                To give this trial to a customer, open{' '}
                <TextLink to="/admin/accounts">the customer’s account</TextLink>.
              </Trans>
            </Notice>
          ) : null}
          {command.error === null ? null : <ErrorNotice error={command.error} />}
          {canChange && (one === null || isDirty) ? (
            <div
              className={
                one === null
                  ? 'flex flex-wrap justify-end gap-2'
                  : 'sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-2 rounded-card border border-line bg-card px-4 py-3 shadow-high md:px-5'
              }
            >
              {one === null ? null : <span className="mr-auto text-soft">{t`Unsaved changes`}</span>}
              <ButtonLink to="/admin/packages">{t`Cancel`}</ButtonLink>
              <Button type="submit" look="primary" busy={command.isPending} disabled={!isReady}>
                {one === null ? t`Create package` : t`Save`}
              </Button>
            </div>
          ) : null}
        </fieldset>
      </form>
    </>
  );
}

/** What the fields hold at first. */
function startOf(one: AdminPackage | null, copied: AdminPackage | undefined, defined: readonly Limit[]) {
  const filled = one ?? copied;
  return {
    name: copied === undefined ? (one?.name ?? '') : t`${copied.name} (copy)`,
    description: filled?.description ?? '',
    features: filled?.features ?? [],
    limits: typedLimits(defined, filled?.limits ?? {}),
    days: String(filled?.duration_days ?? durationDaysDefault),
    sold: filled?.periods ?? allPeriods,
    isTrial: filled?.trial ?? false,
    prices: filled === undefined || filled.trial ? emptyPrices : typedPrices(filled.prices),
  };
}

/** The service refuses line breaks. Returns null if no text is left. */
function oneParagraph(text: string): string | null {
  return text.replaceAll(/\s+/g, ' ').trim() || null;
}
