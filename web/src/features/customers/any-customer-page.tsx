import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ArrowLeftRight, Ban, Download, Eraser, Gift, Link2, Pause, Play } from 'lucide-react';
import { anyCustomerQuery } from '../../api/console-queries.ts';
import { useMay } from '../../api/person.ts';
import { runs } from '../../api/plan-runs.ts';
import type { AccountCustomer, Months } from '../../api/shapes.ts';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { type Action, MenuBar } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { download } from '../../ui/download-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { Time } from '../../ui/time.tsx';
import { ChangePackageDialog } from '../orders/change-package-dialog.tsx';
import { CancelDialog } from '../plans/plan-dialogs.tsx';
import { planEndFact, timeLeftFact } from '../plans/plan-facts.tsx';
import { PlanHistory } from '../plans/plan-history.tsx';
import { TrialDialog } from '../plans/trial-dialog.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { lastOrderOf, priceFact, renewalFact, spentFact } from './customer-money.tsx';
import { EraseDialog, isErased } from './erase-dialog.tsx';
import { LoginLinkDialog } from './login-link-dialog.tsx';
import { LoginLinksCard } from './login-links-card.tsx';
import { isSuspended, SuspendDialog } from './suspend-dialog.tsx';

const route = getRouteApi('/panel/admin/customers/$customerId');

export function AnyCustomerPage() {
  const { customerId } = route.useParams();
  const { cursor } = route.useSearch();
  const may = useMay();
  const { data, error, refetch } = useQuery(anyCustomerQuery(customerId));
  const back = <BackLink to="/admin/customers">{t`All customers`}</BackLink>;
  if (error !== null && data === undefined) {
    return <PageProblem title={t`Customer`} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const customer = data?.customer;
  const lastOrder = data && lastOrderOf(data);
  return (
    <>
      <PageHeader
        title={customer?.name ?? t`Customer`}
        mark={
          customer && (
            <>
              <CustomerBadge customer={customer} />
              {customer.plan.ends_at_period_end && runs(customer.plan) ? (
                <Badge tone="warn">{t`Ends with the current period`}</Badge>
              ) : null}
            </>
          )
        }
        back={back}
        {...(customer !== undefined &&
          customer.reference !== customer.name && { description: <bdi>{customer.reference}</bdi> })}
        actions={
          <>
            <ButtonLink to="/admin/audit" search={{ target: `customer:${customerId}` }}>
              {t`Audit log`}
            </ButtonLink>
            {customer === undefined ? null : (
              <ButtonLink
                to="/admin/accounts/$accountId"
                params={{ accountId: String(customer.account.id) }}
                search={{ tab: 'orders', customer: customer.reference }}
              >
                {t`Orders`}
              </ButtonLink>
            )}
          </>
        }
      />
      <div className="page-stack gap-5">
        <Card>
          <Facts
            columns={2}
            facts={[
              {
                name: t`Account`,
                value: customer && (
                  <AccountLink id={customer.account.id}>{customer.account.username}</AccountLink>
                ),
              },
              { name: t`Package`, value: customer && <bdi>{customer.plan.package}</bdi> },
              priceFact(data),
              renewalFact(data),
              timeLeftFact(customer),
              planEndFact(customer),
              spentFact(data),
              { name: t`Customer since`, value: customer && <Time at={customer.created_at} style="day" /> },
              {
                name: t`Email or username`,
                value: customer && <Copied text={customer.reference} label={t`Copy reference`} isName />,
              },
              { name: t`Customer ID`, value: customer?.id },
              ...(customer?.external_ref === undefined
                ? []
                : [{ name: t`External ID`, value: <bdi>{customer.external_ref}</bdi> }]),
            ]}
          />
          {customer && <MenuBar {...actionsOf(customer, lastOrder?.months ?? 1, may)} menu={ActionMenu} />}
        </Card>
        <PlanHistory customerId={customerId} cursor={cursor} isOperator />
        <LoginLinksCard links={data?.login_links} isOperator />
      </div>
    </>
  );
}

function actionsOf(
  customer: AccountCustomer,
  months: Months,
  may: ReturnType<typeof useMay>,
): { readonly actions: readonly Action[]; readonly more: readonly Action[] } {
  const exported: Action = {
    id: 'export',
    title: t`Export data`,
    icon: Download,
    run: () => download(`/admin/v1/customers/${customer.id}/export`, {}, `customer-${customer.id}.json`),
  };
  if (isErased(customer)) return { actions: [], more: [exported] };
  const isChangeable = may('admin:credit') && runs(customer.plan) && !customer.order_pending;
  const canAccess = may('admin:accounts');
  const isHeld = isSuspended(customer);
  const actions: readonly Action[] = [
    {
      id: 'link',
      title: t`Create login link`,
      icon: Link2,
      isOffered: canAccess,
      dialog: (onClose) => <LoginLinkDialog customer={customer} isOperator onClose={onClose} />,
    },
    {
      id: 'package',
      title: t`Change package`,
      icon: ArrowLeftRight,
      isOffered: isChangeable,
      dialog: (onClose) => <ChangePackageDialog customer={customer} months={months} onClose={onClose} />,
    },
  ];
  const more: readonly Action[] = [
    {
      id: 'trial',
      title: t`Give free trial`,
      icon: Gift,
      isOffered: canAccess,
      ...(runs(customer.plan) && { refusal: t`Only once the plan has ended` }),
      dialog: (onClose) => <TrialDialog account={customer.account} customer={customer} onClose={onClose} />,
    },
    {
      id: 'suspension',
      title: isHeld ? t`Resume` : t`Suspend`,
      icon: isHeld ? Play : Pause,
      isOffered: canAccess,
      dialog: (onClose) => <SuspendDialog customer={customer} onClose={onClose} />,
    },
    exported,
    {
      id: 'cancel',
      title: t`Cancel plan`,
      icon: Ban,
      look: 'danger',
      isOffered: isChangeable,
      dialog: (onClose) => <CancelDialog customer={customer} isOperator onClose={onClose} />,
    },
    {
      id: 'erase',
      title: t`Erase`,
      icon: Eraser,
      look: 'danger',
      isOffered: canAccess && !runs(customer.plan) && !customer.order_pending,
      dialog: (onClose) => <EraseDialog customer={customer} isOperator onClose={onClose} />,
    },
  ];
  return { actions, more };
}
