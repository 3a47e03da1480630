// The administrator's API, /api/admin/v1. The console and the command line use only this API.

import type { FastifyInstance } from 'fastify';
import { accountAdminRoutes } from '../features/accounts/account-admin-routes.ts';
import { auditAdminRoutes } from '../features/audit/audit-admin-routes.ts';
import { brandAdminRoutes } from '../features/brand/brand-admin-routes.ts';
import { businessAdminRoutes } from '../features/business/business-routes.ts';
import { closeAccountRoutes } from '../features/closing/close-account-routes.ts';
import { loginCodeAdminRoutes } from '../features/customer-portal/login-code-routes.ts';
import { loginLinkAdminRoutes } from '../features/customer-portal/login-link-admin-routes.ts';
import { customerHoldRoutes } from '../features/customers/customer-hold-routes.ts';
import { customerListRoutes } from '../features/customers/customer-list-routes.ts';
import { customerExportAdminRoutes } from '../features/data-export/customer-export-routes.ts';
import { eraseAdminRoutes } from '../features/erasure/erase-routes.ts';
import { eventAdminRoutes } from '../features/events/event-admin-routes.ts';
import { productAdminRoutes } from '../features/fulfillment/product-admin-routes.ts';
import { productCallRoutes } from '../features/fulfillment/product-call-routes.ts';
import { listsOfAccounts } from '../features/identity/account-lists.ts';
import type { Authenticator } from '../features/identity/authenticator.ts';
import { accountAccessRoutes } from '../features/keys/account-access-routes.ts';
import { accountKeyRoutes } from '../features/keys/account-key-routes.ts';
import { ledgerListRoutes } from '../features/ledger/ledger-list-routes.ts';
import { allOrdersRoute } from '../features/orders/all-orders-routes.ts';
import { orderListRoutes } from '../features/orders/order-list-routes.ts';
import { accountPriceRoutes } from '../features/packages/account-price-routes.ts';
import { limitAdminRoutes } from '../features/packages/limit-routes.ts';
import { packageAdminRoutes } from '../features/packages/package-admin-routes.ts';
import { packagePriceRoutes } from '../features/packages/package-price-routes.ts';
import { bankLineRoutes } from '../features/payments/bank-line-routes.ts';
import { accountCreditRoutes } from '../features/payments/credit-routes.ts';
import { paymentSettingsRoutes } from '../features/payments/payment-settings-routes.ts';
import { receivableRoutes } from '../features/payments/receivable-routes.ts';
import { topupAdminRoutes } from '../features/payments/topup-admin-routes.ts';
import { peopleAdminRoutes } from '../features/people/people-routes.ts';
import { operatorPlanRoutes } from '../features/plans/operator-plan-routes.ts';
import { accountTrialRoutes } from '../features/plans/trial-routes.ts';
import { retentionRoutes } from '../features/retention/retention-routes.ts';
import { verificationRoutes } from '../features/verification/verification-routes.ts';
import { webhookRoutes } from '../features/webhooks/webhook-routes.ts';
import type { Needs } from '../platform/http/route-params.ts';

export type AdminRoutesDependencies = Needs<typeof accountAdminRoutes> &
  Needs<typeof closeAccountRoutes> &
  Needs<typeof accountCreditRoutes> &
  Needs<typeof accountAccessRoutes> &
  Needs<typeof accountKeyRoutes> &
  Needs<typeof peopleAdminRoutes> &
  Needs<typeof accountTrialRoutes> &
  Needs<typeof orderListRoutes> &
  Needs<typeof allOrdersRoute> &
  Needs<typeof customerListRoutes> &
  Needs<typeof ledgerListRoutes> &
  Needs<typeof packageAdminRoutes> &
  Needs<typeof limitAdminRoutes> &
  Needs<typeof packagePriceRoutes> &
  Needs<typeof accountPriceRoutes> &
  Needs<typeof loginCodeAdminRoutes> &
  Needs<typeof customerHoldRoutes> &
  Needs<typeof customerExportAdminRoutes> &
  Needs<typeof eraseAdminRoutes> &
  Needs<typeof operatorPlanRoutes> &
  Needs<typeof loginLinkAdminRoutes> &
  Needs<typeof productAdminRoutes> &
  Needs<typeof productCallRoutes> &
  Needs<typeof paymentSettingsRoutes> &
  Needs<typeof receivableRoutes> &
  Needs<typeof bankLineRoutes> &
  Needs<typeof topupAdminRoutes> &
  Needs<typeof brandAdminRoutes> &
  Needs<typeof retentionRoutes> &
  Needs<typeof eventAdminRoutes> &
  Needs<typeof webhookRoutes> &
  Needs<typeof businessAdminRoutes> &
  Needs<typeof auditAdminRoutes> &
  Needs<typeof verificationRoutes>;

export function adminRoutes(
  app: FastifyInstance,
  by: Authenticator,
  dependencies: AdminRoutesDependencies,
): void {
  const ofAccounts = listsOfAccounts(by, dependencies.database, dependencies.now);
  accountAdminRoutes(app, dependencies, ofAccounts);
  accountCreditRoutes(app, dependencies);
  accountAccessRoutes(app, dependencies);
  accountKeyRoutes(app, dependencies);
  peopleAdminRoutes(app, dependencies);
  accountTrialRoutes(app, dependencies);
  ledgerListRoutes(app, dependencies, ofAccounts);
  orderListRoutes(app, dependencies, ofAccounts);
  allOrdersRoute(app, dependencies, ofAccounts);
  customerListRoutes(app, dependencies, ofAccounts);
  packageAdminRoutes(app, dependencies);
  packagePriceRoutes(app, dependencies);
  accountPriceRoutes(app, dependencies);
  limitAdminRoutes(app, dependencies);
  loginCodeAdminRoutes(app, dependencies);
  customerHoldRoutes(app, dependencies, ofAccounts);
  customerExportAdminRoutes(app, dependencies);
  eraseAdminRoutes(app, dependencies);
  operatorPlanRoutes(app, dependencies);
  loginLinkAdminRoutes(app, dependencies);
  productAdminRoutes(app, dependencies);
  productCallRoutes(app, dependencies);
  paymentSettingsRoutes(app, dependencies);
  receivableRoutes(app, dependencies);
  closeAccountRoutes(app, dependencies);
  bankLineRoutes(app, dependencies);
  topupAdminRoutes(app, dependencies);
  brandAdminRoutes(app, dependencies);
  retentionRoutes(app, dependencies);
  eventAdminRoutes(app, dependencies);
  webhookRoutes(app, dependencies, {
    isOperator: true,
    confirm: {},
    readScope: 'admin:read',
    writeScope: 'admin:accounts',
    noun: 'OperatorWebhook',
  });
  businessAdminRoutes(app, dependencies);
  auditAdminRoutes(app, dependencies);
  verificationRoutes(app, dependencies);
}
