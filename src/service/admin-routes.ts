// The administrator's API, /api/admin/v1. The same keys, limits and error envelope as the public API; the
// console and the command line use it; nothing has a way in of its own. No SQL here: each route reads its body
// and hands it to the domain that owns the rows.

import type { FastifyInstance } from 'fastify';
import { accountAdminRoutes } from '../features/accounts/account-admin-routes.ts';
import { auditAdminRoutes } from '../features/audit/audit-admin-routes.ts';
import type { Authenticator } from '../features/auth/api-key-auth.ts';
import type { PasswordLinks } from '../features/auth/password-links.ts';
import type { SessionStore } from '../features/auth/session-store.ts';
import type { SignInLog } from '../features/auth/sign-in-log.ts';
import type { TotpStore } from '../features/auth/totp-store.ts';
import { brandAdminRoutes } from '../features/brand/brand-admin-routes.ts';
import type { BrandHolder } from '../features/brand/brand-store.ts';
import { customerAdminRoutes } from '../features/customers/customer-hold-routes.ts';
import type { CustomerReads } from '../features/customers/customer-reads.ts';
import type { EventWaits } from '../features/events/account-feed.ts';
import { eventAdminRoutes } from '../features/events/event-admin-routes.ts';
import { productAdminRoutes } from '../features/fulfilment/product-admin-routes.ts';
import { productCallRoutes } from '../features/fulfilment/product-call-routes.ts';
import type { AccountReads } from '../features/identity/account-reads.ts';
import { accountAccessRoutes } from '../features/keys/account-access-routes.ts';
import { accountKeyRoutes } from '../features/keys/account-key-routes.ts';
import { accountHistoryRoutes } from '../features/ledger/account-ledger-routes.ts';
import type { OrderEngine } from '../features/order-engine/order-engine.ts';
import type { OrderReads } from '../features/orders/order-reads.ts';
import { packageAdminRoutes } from '../features/packages/package-admin-routes.ts';
import type { PackageCatalogHolder } from '../features/packages/package-catalog.ts';
import { packagePriceRoutes } from '../features/packages/package-price-routes.ts';
import { accountCreditRoutes } from '../features/payments/credit-routes.ts';
import { peopleAdminRoutes } from '../features/people/people-routes.ts';
import { accountTrialRoutes } from '../features/plans/trial-routes.ts';
import type { RequestLog } from '../features/request-log/request-log.ts';
import type { SharedVerification } from '../features/verification/shared-verification.ts';
import { type WebhookRoutesDependencies, webhookRoutes } from '../features/webhooks/webhook-routes.ts';
import type { Database } from '../platform/database/database.ts';
import type { PasswordCost } from '../platform/secrets/password-hash.ts';
import type { Seal } from '../platform/secrets/seal.ts';
import type { EpochSeconds } from '../shared/times.ts';

export interface AdminRoutesDependencies extends WebhookRoutesDependencies {
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly seal: Seal;
  readonly accounts: AccountReads;
  readonly orders: OrderReads;
  readonly customers: CustomerReads;
  readonly packages: PackageCatalogHolder;
  readonly brand: BrandHolder;
  /** Drops what is kept in memory of an account, without waiting for the NOTIFY to come round. */
  readonly forgetAccount: (accountId: number) => void;
  readonly audits: SharedVerification;
  /** There is a product to be called. It is looked for by itself a little later. */
  readonly productCallsSoon: () => Promise<void>;
  readonly requestLog: RequestLog;
  readonly sessions: SessionStore;
  readonly signIns: SignInLog;
  readonly passwordLinks: PasswordLinks;
  readonly passwordCost: PasswordCost;
  readonly totp: TotpStore;
  readonly peoplePerAccountMax: number;
  /** A credit of more is a sensitive action. */
  readonly creditConfirmedAboveCents: bigint;
  readonly currency: string;
  readonly publicUrl: () => string;
  readonly linkValidSeconds: number;
  readonly now: () => EpochSeconds;
  readonly eventWaits: EventWaits;
  readonly monotonicNow: () => number;
}

/** For routes that look once more at who asks before they answer. */
export interface AskingAgain extends AdminRoutesDependencies {
  readonly authenticateAgain: Authenticator['authenticateAgain'];
  readonly stillProblem: Authenticator['stillProblem'];
}

/** Of a route whose path names one row. */
export interface WithId {
  Params: { id: string };
}

/** In the order of the reference. */
export function adminRoutes(app: FastifyInstance, dependencies: AskingAgain): void {
  accountAdminRoutes(app, dependencies);
  accountCreditRoutes(app, dependencies);
  accountAccessRoutes(app, dependencies);
  accountKeyRoutes(app, dependencies);
  peopleAdminRoutes(app, dependencies);
  accountTrialRoutes(app, dependencies);
  accountHistoryRoutes(app, dependencies);
  packageAdminRoutes(app, dependencies);
  packagePriceRoutes(app, dependencies);
  customerAdminRoutes(app, dependencies);
  productAdminRoutes(app, dependencies);
  productCallRoutes(app, dependencies);
  brandAdminRoutes(app, dependencies);
  eventAdminRoutes(app, dependencies);
  webhookRoutes(app, dependencies, {
    isOperator: true,
    confirm: {},
    readScope: 'admin:read',
    writeScope: 'admin:accounts',
    noun: 'OperatorWebhook',
  });
  auditAdminRoutes(app, dependencies);
}
