// Types of the service's answers, derived from its schemas. This file contains types only, so no service code is bundled.

import type { Static } from 'typebox';
import type { holdersSchema, OutlookView } from '../../../src/features/accounts/account-panel-schemas.ts';
import type { AlertsView } from '../../../src/features/alerts/alert-schemas.ts';
import type {
  AuditEntryView,
  AuditTargetView,
  securityEventsSchema,
} from '../../../src/features/audit/audit-schemas.ts';
import type {
  sessionListSchema,
  signInOptionsSchema,
  totpEnrolmentSchema,
} from '../../../src/features/auth/sign-in-schemas.ts';
import type { shownBrandSchema } from '../../../src/features/brand/brand-schemas.ts';
import type {
  BusinessPackageView,
  businessForecastSchema,
  businessMonthSchema,
  CohortView,
} from '../../../src/features/business/business-schemas.ts';
import type { LoginLinkView } from '../../../src/features/customer-portal/login-link-schemas.ts';
import type {
  accountCustomerSchema,
  PanelCustomerView,
  pricedCustomerSchema,
} from '../../../src/features/customers/customer-panel-schemas.ts';
import type { CustomerView, madeLoginLinkSchema } from '../../../src/features/customers/customer-schemas.ts';
import type { EventView } from '../../../src/features/events/event-schemas.ts';
import type {
  attentionCountSchema,
  heldOrdersSchema,
  productFiguresSchema,
  waitingCallsSchema,
} from '../../../src/features/fulfillment/product-panel-schemas.ts';
import type { ProductCallView, ProductView } from '../../../src/features/fulfillment/product-schemas.ts';
import type { AccountView } from '../../../src/features/identity/account-schemas.ts';
import type { savedAllowListSchema, usageSchema } from '../../../src/features/keys/api-access-schemas.ts';
import type {
  ledgerTotalsSchema,
  panelEntrySchema,
} from '../../../src/features/ledger/ledger-panel-schemas.ts';
import type { LedgerEntryView } from '../../../src/features/ledger/ledger-schemas.ts';
import type {
  accountSpendingSchema,
  SeriesPointView,
  SpendingView,
  TotalsView,
} from '../../../src/features/ledger/spending-schemas.ts';
import type { bulkAnswerSchema } from '../../../src/features/orders/bulk-schemas.ts';
import type { OrderCourseView, PanelOrderView } from '../../../src/features/orders/order-panel-schemas.ts';
import type { OrderPreviewView, OrderView } from '../../../src/features/orders/order-schemas.ts';
import type {
  adminOverviewSchema,
  customerWithOrdersSchema,
  healthSchema,
  overviewSchema,
} from '../../../src/features/overview/overview-schemas.ts';
import type {
  productTestSchema,
  SetupStep,
  setupSchema,
} from '../../../src/features/overview/setup-schemas.ts';
import type {
  AccountPriceListView,
  accountPriceListsSchema,
  payingOtherwiseSchema,
  runningPlansSchema,
} from '../../../src/features/packages/account-price-schemas.ts';
import type { balanceSchema, PackageView } from '../../../src/features/packages/package-schemas.ts';
import type { autoTopupSchema } from '../../../src/features/payments/auto-topup-schemas.ts';
import type {
  BankLineView,
  bankStatementAnswerSchema,
} from '../../../src/features/payments/bank-line-schemas.ts';
import type { PaymentsView } from '../../../src/features/payments/payment-settings-schemas.ts';
import type { ReceivableView } from '../../../src/features/payments/receivable-schemas.ts';
import type {
  listedTopupSchema,
  paymentProblemSchema,
  refundedSchema,
} from '../../../src/features/payments/topup-admin-schemas.ts';
import type { topupSumsSchema } from '../../../src/features/payments/topup-panel-schemas.ts';
import type { topupSchema } from '../../../src/features/payments/topup-schemas.ts';
import type { PersonView } from '../../../src/features/people/people-schemas.ts';
import type {
  meSchema,
  passwordLinkSchema,
  signedInPersonSchema,
} from '../../../src/features/people/profile-schemas.ts';
import type { forecastSchema } from '../../../src/features/plans/forecast-schemas.ts';
import type { PlanHistoryItemView } from '../../../src/features/plans/plan-schemas.ts';
import type { cancelPreviewSchema, renewalsSchema } from '../../../src/features/plans/renewal-schemas.ts';
import type {
  keyRequestsSchema,
  refusalCountsSchema,
  refusedAccountsSchema,
  requestDetailSchema,
  requestFiguresSchema,
  requestLineSchema,
  requestListSchema,
} from '../../../src/features/request-log/request-schemas.ts';
import type { testClockMovedSchema } from '../../../src/features/test-mode/test-mode-schemas.ts';
import type {
  deliveryCountsSchema,
  deliveryFiguresSchema,
} from '../../../src/features/webhooks/redelivery-schemas.ts';
import type {
  DeliveryView,
  testedWebhookSchema,
  WebhookView,
} from '../../../src/features/webhooks/webhook-schemas.ts';

export type SecurityEvent = With<
  Static<typeof securityEventsSchema>['data'][number],
  { address: string | null }
>;
export type { AuditEntryView as AuditEntry } from '../../../src/features/audit/audit-schemas.ts';
export type { PanelCustomerView as PanelCustomer } from '../../../src/features/customers/customer-panel-schemas.ts';
export type { CustomerView as Customer } from '../../../src/features/customers/customer-schemas.ts';
export type { EventView as AccountEvent } from '../../../src/features/events/event-schemas.ts';
export type { AccountView as Account } from '../../../src/features/identity/account-schemas.ts';
export type { KeyView as ApiKey } from '../../../src/features/keys/key-schemas.ts';
export type { LedgerEntryView as LedgerEntry } from '../../../src/features/ledger/ledger-schemas.ts';
export type { SeriesPointView as SeriesPoint } from '../../../src/features/ledger/spending-schemas.ts';
export type {
  PanelListedOrderView as ListedOrder,
  PanelOrderView as PanelOrder,
  PlacingRequestView as PlacingRequest,
} from '../../../src/features/orders/order-panel-schemas.ts';
export type { OrderView as Order } from '../../../src/features/orders/order-schemas.ts';
export type { LimitView as Limit } from '../../../src/features/packages/limit-schemas.ts';
export type {
  AdminPackageView as AdminPackage,
  ScheduledPricesView as ScheduledPrices,
} from '../../../src/features/packages/package-admin-schemas.ts';
export type { PackageView as Package } from '../../../src/features/packages/package-schemas.ts';
export type { PersonView as Person } from '../../../src/features/people/people-schemas.ts';
export type { RenewalView as Renewal } from '../../../src/features/plans/renewal-schemas.ts';
export type { VerifyReportView as VerifyReport } from '../../../src/features/verification/verification-schemas.ts';
export type { SinceCountView as SinceCount } from '../../../src/features/webhooks/redelivery-schemas.ts';
export type {
  DeliveryView as Delivery,
  WebhookView as Webhook,
} from '../../../src/features/webhooks/webhook-schemas.ts';
export type { LimitValue, LimitValues } from '../../../src/shared/limits.ts';
export type { Scope } from '../../../src/shared/scopes.ts';

export type AccountPriceList = AccountPriceListView;
export type AccountPrices = With<
  Static<typeof accountPriceListsSchema>,
  { data: readonly AccountPriceListView[] }
>;
export type ComparedPrice = AccountPrices['now'][number]['prices'][number];
export type OtherPayer = Static<typeof payingOtherwiseSchema>['data'][number];
export type RunningPlans = Static<typeof runningPlansSchema>['data'][number];
export type Balance = Static<typeof balanceSchema>;

export type Group = AccountView['group'];
export type Months = OrderView['months'];
export type PeriodName = OrderView['period'];

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number;
}

/** A page may be short or empty without being the last: only `next_cursor` null marks the end. */
export interface CursorPage<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
  /** null or absent if the service did not count. */
  readonly total?: number | null;
}

export interface Listed<Item> {
  readonly data: readonly Item[];
}

type With<Shape, Members> = Omit<Shape, keyof Members> & Readonly<Members>;

export type Me = With<Static<typeof meSchema>, { account: AccountView }>;
export type SignedInPerson = With<
  Static<typeof signedInPersonSchema>,
  { person: PersonView; reauthenticated_until: string | null }
>;
export type Role = PersonView['role'];
export type Checklist = Me['checklist'];
export type { BrandView as Brand } from '../../../src/features/brand/brand-schemas.ts';
export type { RetentionView as Retention } from '../../../src/features/retention/retention-schemas.ts';
export type ShownBrand = Static<typeof shownBrandSchema>;
export type { SetupStep };
export type Setup = Static<typeof setupSchema>;
export type ProductTest = Static<typeof productTestSchema>;
export type SignInOptions = Static<typeof signInOptionsSchema>;
export type PasswordLink = With<Static<typeof passwordLinkSchema>, { invited_by: string | null }>;
export type Session = Static<typeof sessionListSchema>['data'][number];
export type TotpEnrolment = Static<typeof totpEnrolmentSchema>;
export type SavedAllowList = Static<typeof savedAllowListSchema>;
export interface TestClock {
  readonly now: string;
}
export type TestClockMoved = With<Static<typeof testClockMovedSchema>, { clock: TestClock }>;
export type Usage = Static<typeof usageSchema>;
export type Totals = TotalsView;
export type SpendingRow = NonNullable<SpendingView>[number];
export type Forecast = Static<typeof forecastSchema>;
export type Alerts = AlertsView;
/** `confirmed_emails` are the addresses that receive alerts. */
export interface AlertsAnswer {
  readonly alerts: Alerts;
  readonly confirmed_emails: readonly string[];
}
export type Overview = With<
  Static<typeof overviewSchema>,
  {
    series: readonly SeriesPointView[];
    totals: Totals;
    spending: readonly SpendingRow[] | null;
    expiring: With<Static<typeof overviewSchema>['expiring'], { customers: readonly PanelCustomerView[] }>;
  }
>;
export interface OrderWithEntries {
  readonly order: PanelOrderView;
  readonly entries: readonly LedgerEntryView[];
  readonly course: OrderCourseView;
}
export interface AccountOrder extends OrderWithEntries {
  readonly account: AccountCustomer['account'];
}
export interface PlacedOrder {
  readonly order: OrderView;
  readonly balance: string;
  readonly login_url?: string;
}
export type OrderPreview = OrderPreviewView;
export type CustomerWithOrders = With<
  Static<typeof customerWithOrdersSchema>,
  {
    customer: PanelCustomerView;
    suspended: boolean;
    order_pending: boolean;
    orders: readonly OrderView[];
    last_order_id: number | null;
    login_links: readonly LoginLinkView[];
    spending: { readonly orders: number; readonly total: string } | null;
  }
>;
export type CancelPreview = Static<typeof cancelPreviewSchema>;
export type PlanHistoryItem = With<
  PlanHistoryItemView,
  {
    from: PlanHistoryItemView['to'] | null;
    order?: OrderView;
    auto_renew?: Pick<
      NonNullable<CustomerView['plan']['auto_renew']>,
      'months' | 'max_charge' | 'hours_before'
    >;
  }
>;
export type PlanHistory = CursorPage<PlanHistoryItem>;
export type { LoginLinkView as GivenLink } from '../../../src/features/customer-portal/login-link-schemas.ts';
export type LoginLink = Static<typeof madeLoginLinkSchema>;
export type PanelLedgerEntry = With<
  Static<typeof panelEntrySchema>,
  { customer: string | null; customer_name: string | null; customer_id: number | null }
>;
export type LedgerTotals = NonNullable<Static<typeof ledgerTotalsSchema>>;
export type LedgerPage = CursorPage<PanelLedgerEntry> & { readonly totals: LedgerTotals | null };
export type { StatementView as Statement } from '../../../src/features/ledger/statement-schemas.ts';
export type RequestLine = With<
  Static<typeof requestLineSchema>,
  { code: string | null; key: { readonly id: number; readonly name: string } | null }
>;
export type RequestPage = CursorPage<RequestLine> &
  Readonly<Pick<Static<typeof requestListSchema>, 'bodies_kept'>>;
interface SentRequest {
  readonly query: string | null;
  readonly idempotency_key: string | null;
  readonly content_type: string | null;
  readonly user_agent: string | null;
  readonly body: string | null;
  readonly is_cut: boolean;
}
export type RequestDetail = With<
  Static<typeof requestDetailSchema>,
  {
    request: RequestLine;
    exchange: {
      readonly sent: SentRequest;
      readonly answered: Pick<SentRequest, 'content_type' | 'body' | 'is_cut'>;
    } | null;
    customer: { readonly id: number; readonly reference: string } | null;
    order: { readonly id: number } | null;
  }
>;
export type RequestFigures = Static<typeof requestFiguresSchema>;
export type KeyRequests = Static<typeof keyRequestsSchema>;
export type Holder = Static<typeof holdersSchema>['data'][number];
export type RefusedAccounts = Static<typeof refusedAccountsSchema>;
export type RefusedAccount = RefusedAccounts['data'][number];
export type RefusalCount = Static<typeof refusalCountsSchema>['data'][number];
export interface PackageList {
  readonly group: Group;
  readonly data: readonly PackageView[];
}
export type ConsoleOverview = With<
  Static<typeof adminOverviewSchema>,
  { series: readonly SeriesPointView[]; totals: Totals; spending: readonly SpendingRow[] | null }
>;
export type BusinessMonth = Static<typeof businessMonthSchema>;
interface BusinessAnswer {
  /** A UTC day. */
  readonly as_of: string;
  readonly ready: boolean;
  readonly currency: string;
}
export interface Business extends BusinessAnswer {
  readonly months: readonly BusinessMonth[];
  readonly packages: readonly BusinessPackageView[];
}
export interface Cohorts extends BusinessAnswer {
  readonly cohorts: readonly CohortView[];
}
export type BusinessForecast = Static<typeof businessForecastSchema>;
export type Product = ProductView;
export type ProductCall = ProductCallView;
export type WaitingCalls = With<Static<typeof waitingCallsSchema>, { data: readonly ProductCall[] }>;
export type AttentionCount = Static<typeof attentionCountSchema>;
export type SpendingOfAccount = NonNullable<Static<typeof accountSpendingSchema>['data']>[number];
export type SpendingOfAccounts = With<
  Static<typeof accountSpendingSchema>,
  {
    totals: Omit<SpendingOfAccount, 'account'> | null;
    data: readonly SpendingOfAccount[] | null;
  }
>;
export type Health = Static<typeof healthSchema>;
export interface FoundAuditEntry {
  readonly entry: AuditEntryView;
  readonly target: AuditTargetView;
}
export type FoundAccount = AccountView & {
  readonly halted: boolean;
  readonly last_order_at: string | null;
  /** null while the account's orders are being summed up. */
  readonly outlook: OutlookView | null;
};
export interface AnyCustomer {
  readonly customer: AccountCustomer;
  readonly orders: readonly OrderView[];
  readonly login_links: readonly LoginLinkView[];
}
export type AccountCustomer = Static<typeof accountCustomerSchema>;
export type PricedCustomer = Static<typeof pricedCustomerSchema>;

export type Topup = Static<typeof topupSchema>;
export interface ListedTopup {
  readonly topup: Topup;
  readonly account: { readonly id: number; readonly username: string };
  readonly needs_attention: PaymentProblem['reason'] | null;
  readonly refunds: Static<typeof listedTopupSchema>['refunds'];
}
export type PaymentProblem = Static<typeof paymentProblemSchema>;
export type { ListedAccountsView as ListedAccounts } from '../../../src/features/business/business-panel-schemas.ts';
export type { NamedProblemView as NamedProblem } from '../../../src/features/payments/topup-panel-schemas.ts';
export type RefundedTopup = With<Static<typeof refundedSchema>, { topup: Topup }>;
export type BankLine = BankLineView;
export type ImportedLines = Static<typeof bankStatementAnswerSchema>['lines'];
export type AutoTopup = Static<typeof autoTopupSchema>;
export type Payments = PaymentsView;
export type Receivable = ReceivableView;
export type Renewals = Static<typeof renewalsSchema>;
export type BulkAnswer = With<Static<typeof bulkAnswerSchema>, { results: readonly BulkAnswerResult[] }>;
export interface BulkAnswerResult {
  readonly status: number;
  readonly order?: OrderView;
  readonly replayed?: boolean;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, string | number>>;
  };
}

export interface WebhookWithSecret {
  readonly webhook: WebhookView;
  /** null if an earlier answer already showed the secret. */
  readonly secret: string | null;
}
export type TestedWebhook = Static<typeof testedWebhookSchema>;
/** Events, newest first. `written` is false if the service does not record events yet. */
export type EventPage = CursorPage<EventView> & { readonly written: boolean };
/** `waiting` is null if the service will not send the event again by itself. */
export interface EventAtWebhook {
  readonly event: EventView | null;
  readonly waiting: { readonly due_at: string | null } | null;
}
export type DeliveryCounts = Static<typeof deliveryCountsSchema>;
export type DeliveryFigures = With<
  Static<typeof deliveryFiguresSchema>,
  { median_milliseconds: number | null; p95_milliseconds: number | null }
>;
export type DeliveriesOfEvent = Listed<DeliveryView & { readonly webhook_id: number }>;
export interface DeliveryPage {
  readonly data: readonly DeliveryView[];
  readonly next_cursor: string | null;
}
export type TopupSums = Static<typeof topupSumsSchema>;
export type HeldOrders = Static<typeof heldOrdersSchema>;
export type ProductFigures = Static<typeof productFiguresSchema>;
