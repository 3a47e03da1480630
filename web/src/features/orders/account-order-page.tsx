import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { accountOrderQuery } from '../../api/console-queries.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { OrderCallCard } from '../fulfillment/order-call-card.tsx';
import { OrderBadges } from './order-facts.tsx';
import { OrderSheet } from './order-sheet.tsx';

const route = getRouteApi('/panel/admin/orders/$orderId');

export function AccountOrderPage() {
  const { orderId } = route.useParams();
  const { data, error, refetch } = useQuery(accountOrderQuery(orderId));
  const account = data?.account;
  const params = { accountId: String(account?.id ?? 0) };
  const back =
    account === undefined ? (
      <BackLink to="/admin/accounts">{t`Accounts`}</BackLink>
    ) : (
      <BackLink to="/admin/accounts/$accountId" params={params} search={{ tab: 'orders' }}>
        {account.username}
      </BackLink>
    );
  if (error !== null && data === undefined) {
    return (
      <PageProblem title={t`Order ${orderId}`} back={back} error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <>
      <PageHeader
        title={t`Order ${orderId}`}
        mark={
          <>
            <CopyButton text={orderId} label={t`Copy order ID`} />
            {data && <OrderBadges order={data.order} />}
          </>
        }
        back={back}
        actions={
          data && (
            <ButtonLink
              to="/admin/accounts/$accountId"
              params={params}
              search={{ tab: 'orders', customer: data.order.customer.reference }}
            >
              {t`Orders of this customer`}
            </ButtonLink>
          )
        }
      />
      <OrderSheet
        found={data}
        accountId={account?.id ?? 0}
        first={[
          {
            name: t`Account`,
            value: account && (
              <TextLink to="/admin/accounts/$accountId" params={params}>
                {account.username}
              </TextLink>
            ),
          },
        ]}
        below={data === undefined ? null : <OrderCallCard orderId={data.order.id} />}
      />
    </>
  );
}
