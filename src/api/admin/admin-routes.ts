// The administrator's API, /api/admin/v1. The same keys, limits and error envelope as the public API; the
// console and the command line use it; nothing has a way in of its own. No SQL here: each route reads its body
// and hands it to the domain that owns the rows.

import type { FastifyInstance } from 'fastify';
import type { AccountReads } from '../../accounts/account-reads.ts';
import type { Seal } from '../../accounts/seal.ts';
import type { BrandHolder } from '../../brand/brand-store.ts';
import type { PackageCatalogHolder } from '../../catalog/package-catalog.ts';
import type { EpochSeconds } from '../../contract/times.ts';
import type { Database } from '../../database/database.ts';
import type { EventWaits } from '../../events/event-reads.ts';
import type { PasswordCost } from '../../identity/password.ts';
import type { PasswordLinks } from '../../identity/password-links.ts';
import type { SessionStore } from '../../identity/session-store.ts';
import type { TotpStore } from '../../identity/totp-store.ts';
import type { RequestLog } from '../../journal/request-log.ts';
import type { SignInLog } from '../../journal/sign-in-log.ts';
import type { OrderEngine } from '../../orders/order-engine.ts';
import type { OrderReads } from '../../orders/order-reads.ts';
import type { CustomerReads } from '../../plans/customer-store.ts';
import type { SharedVerification } from '../../verify/single-audit.ts';
import type { Authenticator } from '../doors/key-door.ts';
import { type WebhookRoutesDependencies, webhookRoutes } from '../reseller/webhook-routes.ts';
import { accountAccessRoutes } from './account-access-routes.ts';
import { accountAdminRoutes } from './account-admin-routes.ts';
import { accountCreditRoutes } from './account-credit-routes.ts';
import { accountHistoryRoutes } from './account-history-routes.ts';
import { accountKeyRoutes } from './account-key-routes.ts';
import { accountTrialRoutes } from './account-trial-routes.ts';
import { auditAdminRoutes } from './audit-admin-routes.ts';
import { brandAdminRoutes } from './brand-admin-routes.ts';
import { customerAdminRoutes } from './customer-admin-routes.ts';
import { eventAdminRoutes } from './event-admin-routes.ts';
import { packageAdminRoutes } from './package-admin-routes.ts';
import { packagePriceRoutes } from './package-price-routes.ts';
import { peopleAdminRoutes } from './people-routes.ts';
import { productAdminRoutes } from './product-admin-routes.ts';
import { productCallRoutes } from './product-call-routes.ts';

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
