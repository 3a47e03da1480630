// Routes that only the browser needs, below /panel/api, one file per page.

import type { FastifyInstance } from 'fastify';
import { accountPanelRoutes } from '../features/accounts/account-panel-routes.ts';
import { allHolderRoutes, ownHolderRoutes } from '../features/accounts/holder-routes.ts';
import { auditPanelRoutes } from '../features/audit/audit-panel-routes.ts';
import { securityEventRoutes } from '../features/audit/security-event-routes.ts';
import { accountViewRoutes } from '../features/auth/account-view-routes.ts';
import { sessionRoutes } from '../features/auth/session-routes.ts';
import { accountTotpRoutes, totpRoutes } from '../features/auth/totp-routes.ts';
import { businessPanelRoutes } from '../features/business/business-panel-routes.ts';
import { eventPanelRoutes } from '../features/events/event-panel-routes.ts';
import { productPanelRoutes } from '../features/fulfillment/product-panel-routes.ts';
import { apiAccessRoutes } from '../features/keys/api-access-routes.ts';
import { connectRoutes } from '../features/keys/connect-routes.ts';
import { ownKeyRoutes } from '../features/keys/own-key-routes.ts';
import { accountSpendingRoutes } from '../features/ledger/account-spending-routes.ts';
import { panelOrderRoutes } from '../features/orders/order-panel-routes.ts';
import { anyCustomerRoutes } from '../features/overview/any-customer-routes.ts';
import { consoleRoutes } from '../features/overview/console-overview-routes.ts';
import { panelCustomerRoutes } from '../features/overview/customer-page-routes.ts';
import { overviewRoutes } from '../features/overview/overview-routes.ts';
import { setupRoutes } from '../features/overview/setup-routes.ts';
import { streamRoutes } from '../features/overview/stream-routes.ts';
import { accountReceiptRoutes, receiptRoutes } from '../features/payments/receipt-routes.ts';
import { topupPanelRoutes } from '../features/payments/topup-panel-routes.ts';
import { peoplePanelRoutes } from '../features/people/people-routes.ts';
import { profileRoutes } from '../features/people/profile-routes.ts';
import { signedInRoutes } from '../features/people/signed-in-routes.ts';
import { cancelPreviewRoutes } from '../features/plans/cancel-preview-routes.ts';
import { operatorPreviewRoutes } from '../features/plans/operator-preview-routes.ts';
import { renewalPreviewRoutes } from '../features/plans/renewal-preview-routes.ts';
import { accountKeyRequestRoutes, keyRequestRoutes } from '../features/request-log/key-request-routes.ts';
import { accountRefusalRoutes, refusalRoutes } from '../features/request-log/refusal-routes.ts';
import { accountRequestRoutes, requestLogRoutes } from '../features/request-log/request-log-routes.ts';
import { deliveryFigureRoutes } from '../features/webhooks/delivery-figure-routes.ts';
import { redeliveryRoutes } from '../features/webhooks/redelivery-routes.ts';
import type { Needs } from '../platform/http/route-params.ts';

export type PanelDependencies = Needs<typeof signedInRoutes> &
  Needs<typeof sessionRoutes> &
  Needs<typeof securityEventRoutes> &
  Needs<typeof profileRoutes> &
  Needs<typeof totpRoutes> &
  Needs<typeof apiAccessRoutes> &
  Needs<typeof ownKeyRoutes> &
  Needs<typeof connectRoutes> &
  Needs<typeof peoplePanelRoutes> &
  Needs<typeof overviewRoutes> &
  Needs<typeof panelOrderRoutes> &
  Needs<typeof panelCustomerRoutes> &
  Needs<typeof renewalPreviewRoutes> &
  Needs<typeof cancelPreviewRoutes> &
  Needs<typeof receiptRoutes> &
  Needs<typeof requestLogRoutes> &
  Needs<typeof eventPanelRoutes> &
  Needs<typeof redeliveryRoutes> &
  Needs<typeof deliveryFigureRoutes> &
  Needs<typeof refusalRoutes> &
  Needs<typeof keyRequestRoutes> &
  Needs<typeof ownHolderRoutes> &
  Needs<typeof consoleRoutes> &
  Needs<typeof accountTotpRoutes> &
  Needs<typeof accountReceiptRoutes> &
  Needs<typeof accountRequestRoutes> &
  Needs<typeof accountKeyRequestRoutes> &
  Needs<typeof accountRefusalRoutes> &
  Needs<typeof accountSpendingRoutes> &
  Needs<typeof productPanelRoutes> &
  Needs<typeof auditPanelRoutes> &
  Needs<typeof accountPanelRoutes> &
  Needs<typeof accountViewRoutes> &
  Needs<typeof anyCustomerRoutes> &
  Needs<typeof operatorPreviewRoutes> &
  Needs<typeof allHolderRoutes> &
  Needs<typeof setupRoutes> &
  Needs<typeof topupPanelRoutes> &
  Needs<typeof businessPanelRoutes> &
  Needs<typeof streamRoutes>;

export function panelRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  signedInRoutes(app, dependencies);
  sessionRoutes(app, dependencies);
  securityEventRoutes(app, dependencies);
  profileRoutes(app, dependencies);
  totpRoutes(app, dependencies);
  apiAccessRoutes(app, dependencies);
  ownKeyRoutes(app, dependencies);
  connectRoutes(app, dependencies);
  peoplePanelRoutes(app, dependencies);
  overviewRoutes(app, dependencies);
  panelOrderRoutes(app, dependencies);
  panelCustomerRoutes(app, dependencies);
  renewalPreviewRoutes(app, dependencies);
  cancelPreviewRoutes(app, dependencies);
  receiptRoutes(app, dependencies);
  requestLogRoutes(app, dependencies);
  eventPanelRoutes(app, dependencies);
  redeliveryRoutes(app, dependencies);
  deliveryFigureRoutes(app, dependencies);
  refusalRoutes(app, dependencies);
  keyRequestRoutes(app, dependencies);
  streamRoutes(app, dependencies);
  ownHolderRoutes(app, dependencies);
  void app.register(async (administrators) => operatorRoutes(administrators, dependencies), {
    prefix: '/admin',
  });
}

function operatorRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  consoleRoutes(app, dependencies);
  accountTotpRoutes(app, dependencies);
  accountReceiptRoutes(app, dependencies);
  accountRequestRoutes(app, dependencies);
  accountKeyRequestRoutes(app, dependencies);
  accountRefusalRoutes(app, dependencies);
  accountSpendingRoutes(app, dependencies);
  productPanelRoutes(app, dependencies);
  auditPanelRoutes(app, dependencies);
  accountPanelRoutes(app, dependencies);
  accountViewRoutes(app, dependencies);
  anyCustomerRoutes(app, dependencies);
  operatorPreviewRoutes(app, dependencies);
  allHolderRoutes(app, dependencies);
  setupRoutes(app, dependencies);
  topupPanelRoutes(app, dependencies);
  businessPanelRoutes(app, dependencies);
}
