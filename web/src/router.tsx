// The map of the pages: every address and the page it shows. Pages are fetched when they are first needed.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import {
  accountParams,
  allCustomerParams,
  auditParams,
  customerParams,
  eventParams,
  ledgerParams,
  orderParams,
  revenueParams,
} from './api/list-params.ts';
import { parseTexts, stringifyTexts, textParams } from './api/search-params.ts';
import { requestParams } from './features/request-log/request-params.ts';
import { ConsoleLayout } from './shell/console-layout.tsx';
import { NotFound } from './shell/not-found.tsx';
import { PageFailure } from './shell/page-failure.tsx';
import { PanelLayout } from './shell/panel-layout.tsx';
import { withConsoleTexts, withTexts } from './text/texts.ts';
import { untilLoaded } from './text/until-loaded.ts';
import { keepSpareEntries } from './ui/back-closes.ts';

const root = createRootRoute({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: textParams('next'),
  component: lazyRouteComponent(
    untilLoaded(() => import('./features/auth/sign-in-page.tsx')),
    'SignInPage',
  ),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(
    withTexts(() => import('./features/auth/reset-password-page.tsx')),
    'ResetPasswordPage',
  ),
});

const panel = createRoute({ getParentRoute: () => root, id: 'panel', component: PanelLayout });

const overview = createRoute({
  getParentRoute: () => panel,
  path: '/',
  validateSearch: textParams('span', 'view', 'by'),
  component: lazyRouteComponent(
    untilLoaded(() => import('./features/overview/overview-page.tsx')),
    'OverviewPage',
  ),
});

const apiAccess = createRoute({
  getParentRoute: () => panel,
  path: '/api-access',
  validateSearch: textParams('language'),
  component: lazyRouteComponent(
    withTexts(() => import('./features/keys/api-access-page.tsx')),
    'ApiAccessPage',
  ),
});

const orders = createRoute({
  getParentRoute: () => panel,
  path: '/orders',
  validateSearch: textParams(...orderParams),
  component: lazyRouteComponent(
    untilLoaded(() => import('./features/orders/orders-page.tsx')),
    'OrdersPage',
  ),
});

const order = createRoute({
  getParentRoute: () => panel,
  path: '/orders/$orderId',
  component: lazyRouteComponent(
    untilLoaded(() => import('./features/orders/order-page.tsx')),
    'OrderPage',
  ),
});

const customers = createRoute({
  getParentRoute: () => panel,
  path: '/customers',
  validateSearch: textParams(...customerParams),
  component: lazyRouteComponent(
    untilLoaded(() => import('./features/customers/customers-page.tsx')),
    'CustomersPage',
  ),
});

const customer = createRoute({
  getParentRoute: () => panel,
  path: '/customers/$customerId',
  validateSearch: textParams('before'),
  component: lazyRouteComponent(
    withTexts(() => import('./features/customers/customer-page.tsx')),
    'CustomerPage',
  ),
});

const ledger = createRoute({
  getParentRoute: () => panel,
  path: '/ledger',
  validateSearch: textParams(...ledgerParams),
  component: lazyRouteComponent(
    untilLoaded(() => import('./features/ledger/ledger-page.tsx')),
    'LedgerPage',
  ),
});

const forecast = createRoute({
  getParentRoute: () => panel,
  path: '/forecast',
  validateSearch: textParams('days'),
  component: lazyRouteComponent(
    withTexts(() => import('./features/plans/forecast-page.tsx')),
    'ForecastPage',
  ),
});

const statements = createRoute({
  getParentRoute: () => panel,
  path: '/statements',
  component: lazyRouteComponent(
    untilLoaded(() => import('./features/ledger/statements-page.tsx')),
    'StatementsPage',
  ),
});

const requests = createRoute({
  getParentRoute: () => panel,
  path: '/requests',
  validateSearch: textParams(...requestParams),
  component: lazyRouteComponent(
    withTexts(() => import('./features/request-log/requests-page.tsx')),
    'RequestsPage',
  ),
});

const webhooks = createRoute({
  getParentRoute: () => panel,
  path: '/webhooks',
  component: lazyRouteComponent(
    withTexts(() => import('./features/webhooks/webhooks-page.tsx')),
    'WebhooksPage',
  ),
});

const webhook = createRoute({
  getParentRoute: () => panel,
  path: '/webhooks/$webhookId',
  validateSearch: textParams('status', 'before', 'open'),
  component: lazyRouteComponent(
    withTexts(() => import('./features/webhooks/webhook-page.tsx')),
    'WebhookPage',
  ),
});

const events = createRoute({
  getParentRoute: () => panel,
  path: '/events',
  validateSearch: textParams(...eventParams),
  component: lazyRouteComponent(
    withTexts(() => import('./features/events/events-page.tsx')),
    'EventsPage',
  ),
});

const people = createRoute({
  getParentRoute: () => panel,
  path: '/people',
  component: lazyRouteComponent(
    withTexts(() => import('./features/people/people-page.tsx')),
    'PeoplePage',
  ),
});

const security = createRoute({
  getParentRoute: () => panel,
  path: '/security',
  component: lazyRouteComponent(
    withTexts(() => import('./features/auth/security-page.tsx')),
    'SecurityPage',
  ),
});

const console = createRoute({ getParentRoute: () => panel, path: '/admin', component: ConsoleLayout });

const consoleOverview = createRoute({
  getParentRoute: () => console,
  path: '/',
  validateSearch: textParams('span', 'view', 'by', 'code'),
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/overview/console-overview-page.tsx')),
    'ConsoleOverviewPage',
  ),
});

const accounts = createRoute({
  getParentRoute: () => console,
  path: '/accounts',
  validateSearch: textParams(...accountParams),
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/accounts/accounts-page.tsx')),
    'AccountsPage',
  ),
});

const account = createRoute({
  getParentRoute: () => console,
  path: '/accounts/$accountId',
  validateSearch: textParams('tab', ...orderParams, ...customerParams, ...ledgerParams, ...requestParams),
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/accounts/account-page.tsx')),
    'AccountPage',
  ),
});

const accountOrder = createRoute({
  getParentRoute: () => console,
  path: '/orders/$orderId',
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/orders/account-order-page.tsx')),
    'AccountOrderPage',
  ),
});

const packages = createRoute({
  getParentRoute: () => console,
  path: '/packages',
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/packages/packages-page.tsx')),
    'PackagesPage',
  ),
});

const packageEditor = createRoute({
  getParentRoute: () => console,
  path: '/packages/$packageId',
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/packages/package-page.tsx')),
    'PackagePage',
  ),
});

const revenue = createRoute({
  getParentRoute: () => console,
  path: '/revenue',
  validateSearch: textParams(...revenueParams),
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/ledger/revenue-page.tsx')),
    'RevenuePage',
  ),
});

const allCustomers = createRoute({
  getParentRoute: () => console,
  path: '/customers',
  validateSearch: textParams(...allCustomerParams),
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/customers/all-customers-page.tsx')),
    'AllCustomersPage',
  ),
});

const attention = createRoute({
  getParentRoute: () => console,
  path: '/attention',
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/fulfilment/attention-page.tsx')),
    'AttentionPage',
  ),
});

const product = createRoute({
  getParentRoute: () => console,
  path: '/product',
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/fulfilment/product-page.tsx')),
    'ProductPage',
  ),
});

const anyCustomer = createRoute({
  getParentRoute: () => console,
  path: '/customers/$customerId',
  validateSearch: textParams('before'),
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/customers/any-customer-page.tsx')),
    'AnyCustomerPage',
  ),
});

const audit = createRoute({
  getParentRoute: () => console,
  path: '/audit',
  validateSearch: textParams(...auditParams),
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/audit/audit-page.tsx')),
    'AuditPage',
  ),
});

const brand = createRoute({
  getParentRoute: () => console,
  path: '/brand',
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/brand/brand-page.tsx')),
    'BrandPage',
  ),
});

const health = createRoute({
  getParentRoute: () => console,
  path: '/health',
  component: lazyRouteComponent(
    withConsoleTexts(() => import('./features/overview/health-page.tsx')),
    'HealthPage',
  ),
});

/** Every other address: behind the sign-in too, so that strangers learn nothing from it. */
const notFound = createRoute({ getParentRoute: () => panel, path: '$', component: NotFound });

const routeTree = root.addChildren([
  signIn,
  resetPassword,
  panel.addChildren([
    overview,
    apiAccess,
    orders,
    order,
    customers,
    customer,
    ledger,
    forecast,
    statements,
    requests,
    webhooks,
    webhook,
    events,
    people,
    security,
    notFound,
    console.addChildren([
      consoleOverview,
      accounts,
      account,
      accountOrder,
      packages,
      packageEditor,
      revenue,
      allCustomers,
      attention,
      product,
      anyCustomer,
      audit,
      brand,
      health,
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
  // Values of the address stay texts: ?customer=123 is a name, not a number.
  parseSearch: parseTexts,
  stringifySearch: stringifyTexts,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
