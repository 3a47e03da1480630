// All routes behind the sign-in. Each page's code is loaded when the page is first opened.

import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  accountParams,
  allCustomerParams,
  allOrderParams,
  auditParams,
  consoleOverviewParams,
  customerParams,
  eventParams,
  ledgerParams,
  orderParams,
  paymentParams,
  requestParams,
  revenueParams,
  topupParams,
} from './api/list-params.ts';
import { parseTexts, stringifyTexts, textParams } from './api/search-params.ts';
import { ConsoleLayout } from './shell/console-layout.tsx';
import { NotFound } from './shell/not-found.tsx';
import { PageFailure } from './shell/page-failure.tsx';
import { PanelLayout } from './shell/panel-layout.tsx';
import { withConsoleTexts, withTexts } from './text/texts.ts';
import { untilLoaded } from './text/until-loaded.ts';
import { keepSpareEntries } from './ui/back-closes.ts';

const root = createRootRoute({ component: Outlet });

const panel = createRoute({ getParentRoute: () => root, id: 'panel', component: PanelLayout });

const console = createRoute({ getParentRoute: () => panel, path: '/admin', component: ConsoleLayout });

const [panelPage, consolePage] = [pageBelow(panel), pageBelow(console)];

/** `texts` names the URL parameters that the page accepts. */
function pageBelow<const Parent extends AnyRoute>(parent: Parent) {
  return <const Path extends string, Name extends string, const Texts extends readonly string[]>(
    path: Path,
    name: Name,
    load: () => Promise<Readonly<Record<Name, () => ReactNode>>>,
    ...texts: Texts
  ) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      validateSearch: textParams<Texts[number]>(...texts),
      component: lazyRouteComponent(load, name),
    });
}

/** "Not found" is also behind the sign-in, so that it does not reveal which pages exist. */
const notFound = createRoute({ getParentRoute: () => panel, path: '$', component: NotFound });

const routeTree = root.addChildren([
  panel.addChildren([
    panelPage(
      '/',
      'OverviewPage',
      untilLoaded(() => import('./features/overview/overview-page.tsx')),
      'span',
      'view',
      'by',
    ),
    panelPage(
      '/connect',
      'ConnectPage',
      withTexts(() => import('./features/keys/connect-page.tsx')),
      'language',
    ),
    panelPage(
      '/api-access',
      'ApiAccessPage',
      withTexts(() => import('./features/keys/api-access-page.tsx')),
    ),
    panelPage(
      '/orders',
      'OrdersPage',
      untilLoaded(() => import('./features/orders/orders-page.tsx')),
      ...orderParams,
    ),
    panelPage(
      '/orders/$orderId',
      'OrderPage',
      withTexts(() => import('./features/orders/order-page.tsx')),
    ),
    panelPage(
      '/customers',
      'CustomersPage',
      untilLoaded(() => import('./features/customers/customers-page.tsx')),
      ...customerParams,
    ),
    panelPage(
      '/customers/$customerId',
      'CustomerPage',
      withTexts(() => import('./features/customers/customer-page.tsx')),
      'cursor',
    ),
    panelPage(
      '/ledger',
      'LedgerPage',
      untilLoaded(() => import('./features/ledger/ledger-page.tsx')),
      ...ledgerParams,
    ),
    panelPage(
      '/top-ups',
      'TopupsPage',
      withTexts(() => import('./features/payments/topups-page.tsx')),
      ...topupParams,
    ),
    panelPage(
      '/top-ups/$topupId',
      'TopupPage',
      withTexts(() => import('./features/payments/topup-page.tsx')),
      'state',
    ),
    panelPage(
      '/forecast',
      'ForecastPage',
      withTexts(() => import('./features/plans/forecast-page.tsx')),
      'days',
    ),
    panelPage(
      '/business',
      'BusinessPage',
      withTexts(() => import('./features/business/business-page.tsx')),
      'months',
      'view',
    ),
    panelPage(
      '/statements',
      'StatementsPage',
      untilLoaded(() => import('./features/ledger/statements-page.tsx')),
    ),
    panelPage(
      '/requests',
      'RequestsPage',
      withTexts(() => import('./features/request-log/requests-page.tsx')),
      ...requestParams,
    ),
    panelPage(
      '/webhooks',
      'WebhooksPage',
      withTexts(() => import('./features/webhooks/webhooks-page.tsx')),
    ),
    panelPage(
      '/webhooks/$webhookId',
      'WebhookPage',
      withTexts(() => import('./features/webhooks/webhook-page.tsx')),
      'status',
      'cursor',
      'open',
    ),
    panelPage(
      '/events',
      'EventsPage',
      withTexts(() => import('./features/events/events-page.tsx')),
      ...eventParams,
    ),
    panelPage(
      '/people',
      'PeoplePage',
      withTexts(() => import('./features/people/people-page.tsx')),
    ),
    panelPage(
      '/security',
      'SecurityPage',
      withTexts(() => import('./features/auth/security-page.tsx')),
    ),
    notFound,
    console.addChildren([
      consolePage(
        '/',
        'ConsoleOverviewPage',
        withConsoleTexts(() => import('./features/overview/console-overview-page.tsx')),
        ...consoleOverviewParams,
      ),
      consolePage(
        '/start',
        'SetupPage',
        withConsoleTexts(() => import('./features/accounts/setup-page.tsx')),
      ),
      consolePage(
        '/accounts',
        'AccountsPage',
        withConsoleTexts(() => import('./features/accounts/accounts-page.tsx')),
        ...accountParams,
      ),
      consolePage(
        '/accounts/$accountId',
        'AccountPage',
        withConsoleTexts(() => import('./features/accounts/account-page.tsx')),
        'tab',
        'months',
        'growth',
        ...orderParams,
        ...customerParams,
        ...ledgerParams,
        ...requestParams,
      ),
      consolePage(
        '/orders',
        'AllOrdersPage',
        withConsoleTexts(() => import('./features/orders/all-orders-page.tsx')),
        ...allOrderParams,
      ),
      consolePage(
        '/orders/$orderId',
        'AccountOrderPage',
        withConsoleTexts(() => import('./features/orders/account-order-page.tsx')),
      ),
      consolePage(
        '/packages',
        'PackagesPage',
        withConsoleTexts(() => import('./features/packages/packages-page.tsx')),
      ),
      consolePage(
        '/packages/$packageId',
        'PackagePage',
        withConsoleTexts(() => import('./features/packages/package-page.tsx')),
        'copy',
      ),
      consolePage(
        '/revenue',
        'RevenuePage',
        withConsoleTexts(() => import('./features/ledger/revenue-page.tsx')),
        ...revenueParams,
      ),
      consolePage(
        '/customers',
        'AllCustomersPage',
        withConsoleTexts(() => import('./features/customers/all-customers-page.tsx')),
        ...allCustomerParams,
      ),
      consolePage(
        '/attention',
        'AttentionPage',
        withConsoleTexts(() => import('./features/fulfillment/attention-page.tsx')),
      ),
      consolePage(
        '/payments',
        'PaymentsPage',
        withConsoleTexts(() => import('./features/payments/payments-page.tsx')),
        'tab',
        ...paymentParams,
      ),
      consolePage(
        '/product',
        'ProductPage',
        withConsoleTexts(() => import('./features/fulfillment/product-page.tsx')),
      ),
      consolePage(
        '/customers/$customerId',
        'AnyCustomerPage',
        withConsoleTexts(() => import('./features/customers/any-customer-page.tsx')),
        'cursor',
      ),
      consolePage(
        '/audit',
        'AuditPage',
        withConsoleTexts(() => import('./features/audit/audit-page.tsx')),
        ...auditParams,
      ),
      consolePage(
        '/brand',
        'BrandPage',
        withConsoleTexts(() => import('./features/brand/brand-page.tsx')),
      ),
      consolePage(
        '/retention',
        'RetentionPage',
        withConsoleTexts(() => import('./features/retention/retention-page.tsx')),
      ),
      consolePage(
        '/health',
        'HealthPage',
        withConsoleTexts(() => import('./features/overview/health-page.tsx')),
      ),
    ]),
  ]),
]);

keepSpareEntries();

export const router = createRouter({
  routeTree,
  basepath: '/panel',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageFailure,
  // Parameters stay text, so that ?customer=123 means a name rather than a number.
  parseSearch: parseTexts,
  stringifySearch: stringifyTexts,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
