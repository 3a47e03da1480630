// What the browser alone needs, below /panel/api: composed here from one file for each page of the panel. The
// routes of the two APIs are registered beside these by service/app.ts, with the session in place of the key.

import type { FastifyInstance } from 'fastify';
import { accountPanelRoutes } from '../features/accounts/account-panel-routes.ts';
import { allHolderRoutes, ownHolderRoutes } from '../features/accounts/holder-routes.ts';
import { auditPanelRoutes } from '../features/audit/audit-panel-routes.ts';
import { accountViewRoutes } from '../features/auth/account-view-routes.ts';
import type { AccountViews } from '../features/auth/account-views.ts';
import type { KnownAddresses } from '../features/auth/known-addresses.ts';
import type { SessionGuard } from '../features/auth/session-auth.ts';
import { sessionRoutes } from '../features/auth/session-routes.ts';
import { totpRoutes } from '../features/auth/totp-routes.ts';
import { customerListRoutes } from '../features/customers/customer-panel-routes.ts';
import { eventPanelRoutes } from '../features/events/event-panel-routes.ts';
import { productPanelRoutes } from '../features/fulfilment/product-panel-routes.ts';
import { ownLists } from '../features/identity/list-owner.ts';
import { apiAccessRoutes } from '../features/keys/api-access-routes.ts';
import { ownKeyRoutes } from '../features/keys/own-key-routes.ts';
import { accountSpendingRoutes } from '../features/ledger/account-spending-routes.ts';
import type { DailyTotals } from '../features/ledger/daily-totals.ts';
import { panelLedgerRoutes } from '../features/ledger/ledger-panel-routes.ts';
import type { SpendingReads } from '../features/ledger/spending-totals.ts';
import type { CancelRefund } from '../features/order-engine/records/plan-life.ts';
import type { TestBudget } from '../features/order-engine/records/test-usage.ts';
import { orderListRoutesOf } from '../features/orders/order-list-panel-routes.ts';
import { panelOrderRoutes } from '../features/orders/order-panel-routes.ts';
import { anyCustomerRoutes } from '../features/overview/any-customer-routes.ts';
import type { HealthFacts } from '../features/overview/batch-sizes.ts';
import { consoleRoutes } from '../features/overview/console-overview-routes.ts';
import { panelCustomerRoutes } from '../features/overview/customer-page-routes.ts';
import { overviewRoutes } from '../features/overview/overview-routes.ts';
import { accountReceiptRoutes, receiptRoutes } from '../features/payments/receipt-routes.ts';
import { peoplePanelRoutes } from '../features/people/people-routes.ts';
import { cancelPreviewRoutes } from '../features/plans/cancel-preview-routes.ts';
import { operatorPreviewRoutes } from '../features/plans/operator-preview-routes.ts';
import { renewalPreviewRoutes } from '../features/plans/renewal-preview-routes.ts';
import { accountRefusalRoutes, refusalRoutes } from '../features/request-log/refusal-routes.ts';
import { accountRequestRoutes, requestLogRoutes } from '../features/request-log/request-log-routes.ts';
import type { Jobs } from '../platform/jobs/job-runner.ts';
import type { RateLimiter } from '../platform/limits/rate-limiter.ts';
import type { AttemptThrottle } from '../platform/limits/sign-in-throttle.ts';
import type { NamedRole } from '../shared/scopes.ts';
import type { AdminRoutesDependencies } from './admin-routes.ts';

export interface PanelDependencies extends AdminRoutesDependencies {
  readonly guard: SessionGuard;
  readonly cancelRefund: CancelRefund;
  readonly testBudget: TestBudget;
  readonly views: AccountViews;
  readonly throttle: AttemptThrottle;
  readonly knownAddresses: KnownAddresses;
  readonly limiter: RateLimiter;
  readonly dailyTotals: DailyTotals;
  readonly spending: SpendingReads;
  readonly health: HealthFacts;
  readonly jobs: Jobs;
  readonly publicUrl: () => string;
  readonly statementIssuer: readonly string[];
  readonly linkValidSeconds: number;
  readonly secondFactorRoles: ReadonlySet<NamedRole>;
  readonly reauthenticatedSeconds: number;
}

/** The routes behind the panel's guard. */
export function panelRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  sessionRoutes(app, dependencies);
  totpRoutes(app, dependencies);
  apiAccessRoutes(app, dependencies);
  ownKeyRoutes(app, dependencies);
  peoplePanelRoutes(app, dependencies);
  overviewRoutes(app, dependencies);
  orderListRoutesOf(app, dependencies, ownLists);
  panelOrderRoutes(app, dependencies);
  customerListRoutes(app, dependencies, ownLists);
  panelCustomerRoutes(app, dependencies);
  renewalPreviewRoutes(app, dependencies);
  cancelPreviewRoutes(app, dependencies);
  panelLedgerRoutes(app, dependencies);
  receiptRoutes(app, dependencies);
  requestLogRoutes(app, dependencies);
  eventPanelRoutes(app, dependencies);
  refusalRoutes(app, dependencies);
  ownHolderRoutes(app, dependencies);
  void app.register(async (administrators) => operatorRoutes(administrators, dependencies), {
    prefix: '/admin',
  });
}

/** The same for the console. */
function operatorRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  consoleRoutes(app, dependencies);
  accountReceiptRoutes(app, dependencies);
  accountRequestRoutes(app, dependencies);
  accountRefusalRoutes(app, dependencies);
  accountSpendingRoutes(app, dependencies);
  productPanelRoutes(app, dependencies);
  auditPanelRoutes(app, dependencies);
  accountPanelRoutes(app, dependencies);
  accountViewRoutes(app, dependencies);
  anyCustomerRoutes(app, dependencies);
  operatorPreviewRoutes(app, dependencies);
  allHolderRoutes(app, dependencies);
}
