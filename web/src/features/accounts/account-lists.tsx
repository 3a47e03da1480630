// Tabs of an account in the console, as on its own pages. The URL holds the tab and its filters.

import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import type { Account } from '../../api/shapes.ts';
import { lazyEarly } from '../../ui/preload.ts';
import { TabLinks, useTab } from '../../ui/tab-links.tsx';
import { CustomerList } from '../customers/customer-list.tsx';
import { EntryList } from '../ledger/entry-list.tsx';
import { OrderList } from '../orders/order-list.tsx';
import { RequestList } from '../request-log/request-list.tsx';

const AnyCustomerDrawer = lazyEarly(async () => ({
  default: (await import('../customers/any-customer-drawer.tsx')).AnyCustomerDrawer,
}));

const AccountBusiness = lazyEarly(async () => ({
  default: (await import('./account-business.tsx')).AccountBusiness,
}));

const AccountPricesCards = lazyEarly(async () => ({
  default: (await import('./account-prices-cards.tsx')).AccountPricesCards,
}));

const tabs = [
  { tab: 'ledger', title: t`Ledger` },
  { tab: 'orders', title: t`Orders` },
  { tab: 'customers', title: t`Customers` },
  { tab: 'business', title: t`Business` },
  { tab: 'requests', title: t`Requests` },
  { tab: 'prices', title: t`Prices` },
  { tab: 'access', title: t`Keys and team` },
] as const;

interface AccountListsProps {
  readonly account: Account;
  readonly access: ReactNode;
}

export function AccountLists({ account, access }: AccountListsProps) {
  const chosen = useTab(tabs);
  return (
    <>
      <TabLinks label={t`Parts of the account`} tabs={tabs} chosen={chosen} />
      {chosen === 'ledger' ? <EntryList accountId={account.id} currency={account.currency} /> : null}
      {chosen === 'orders' ? <OrderList accountId={account.id} /> : null}
      {chosen === 'customers' ? (
        <CustomerList
          accountId={account.id}
          drawer={(id, opened) => <AnyCustomerDrawer id={id} opened={opened} />}
        />
      ) : null}
      {chosen === 'business' ? <AccountBusiness account={account} /> : null}
      {chosen === 'requests' ? <RequestList accountId={account.id} /> : null}
      {chosen === 'prices' ? <AccountPricesCards account={account} /> : null}
      {chosen === 'access' ? access : null}
    </>
  );
}
