// What the browser alone needs, below /panel/api: composed here from one file for each page of the panel. The
// routes of the two APIs are registered beside these by api/app.ts, with the session in place of the key.

import type { FastifyInstance } from 'fastify';
import type { TestBudget } from '../../accounts/test-usage.ts';
import type { NamedRole } from '../../contract/scopes.ts';
import type { RateLimiter } from '../../http/rate-limit.ts';
import type { AccountViews } from '../../identity/account-views.ts';
import type { AttemptThrottle } from '../../identity/attempt-throttle.ts';
import type { KnownAddresses } from '../../identity/known-addresses.ts';
import type { Jobs } from '../../jobs/create-jobs.ts';
import type { DailyTotals } from '../../ledger/ledger-days.ts';
import type { SpendingReads } from '../../ledger/spending-sums.ts';
import type { HealthFacts } from '../../orders/batch-sizes.ts';
import type { CancelRefund } from '../../plans/plan-life.ts';
import type { AdminRoutesDependencies } from '../admin/admin-routes.ts';
import { peoplePanelRoutes } from '../admin/people-routes.ts';
import type { SessionGuard } from '../doors/session-door.ts';
import { accountPanelRoutes } from './account-panel-routes.ts';
import { accountSpendingRoutes } from './account-spending-routes.ts';
import { accountViewRoutes } from './account-view-routes.ts';
import { anyCustomerRoutes } from './any-customer-routes.ts';
import { apiAccessRoutes } from './api-access-routes.ts';
import { auditPanelRoutes } from './audit-panel-routes.ts';
import { cancelPreviewRoutes } from './cancel-preview-routes.ts';
import { consoleRoutes } from './console-routes.ts';
import { eventPanelRoutes } from './event-panel-routes.ts';
import { allHolderRoutes, ownHolderRoutes } from './holder-routes.ts';
import { ownLists } from './list-owners.ts';
import { operatorPreviewRoutes } from './operator-preview-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import { ownKeyRoutes } from './own-key-routes.ts';
import { customerListRoutes } from './panel-customer-list.ts';
import { panelCustomerRoutes } from './panel-customer-routes.ts';
import { panelLedgerRoutes } from './panel-ledger-routes.ts';
import { orderListRoutesOf } from './panel-order-list.ts';
import { panelOrderRoutes } from './panel-order-routes.ts';
import { productPanelRoutes } from './product-panel-routes.ts';
import { accountReceiptRoutes, receiptRoutes } from './receipt-routes.ts';
import { accountRefusalRoutes, refusalRoutes } from './refusal-routes.ts';
import { renewalPreviewRoutes } from './renewal-preview-routes.ts';
import { accountRequestRoutes, requestLogRoutes } from './request-log-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { totpRoutes } from './totp-routes.ts';

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
