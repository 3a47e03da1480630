// The Sellthrough client: `new Sellthrough({ baseUrl, apiKey })`. It has one method for each operation of the reseller's
// API, named as in openapi.json; the administrator's are under `admin`. This file is the package's whole API. Lists are
// newest first unless stated; the methods each…() read all pages.

import { AdminClient, type PageQuery, walkedPageItems } from './admin-client.ts';
import type {
  AccountEvent,
  Alerts,
  AutoTopup,
  Balance,
  Business,
  CancelPlanAnswer,
  CancelPlanBody,
  ChangeWebhookBody,
  Cohorts,
  CreateTopupBody,
  CreateWebhookAnswer,
  CreateWebhookBody,
  Customer,
  DeleteWebhookAnswer,
  Delivery,
  EditCustomerAnswer,
  EditCustomerBody,
  ExportCustomerAnswer,
  Forecast,
  GetBusinessQuery,
  GetCohortsQuery,
  GetForecastQuery,
  GetStatementAnswer,
  KnownEvent,
  LedgerEntry,
  Limit,
  ListCustomersQuery,
  ListLedgerQuery,
  ListOrdersQuery,
  ListPackagesAnswer,
  ListPlanHistoryAnswer,
  ListPlanHistoryQuery,
  ListTopupsQuery,
  ListWebhookDeliveriesAnswer,
  ListWebhookDeliveriesQuery,
  Order,
  OrderPreview,
  PlaceOrderAnswer,
  PlaceOrderBody,
  PlaceOrdersInBulkAnswer,
  PlaceOrdersInBulkBody,
  PlanHistoryItem,
  PreviewOrderBody,
  ReadEventsAnswer,
  ReadEventsQuery,
  RedeliverSinceToWebhookBody,
  RenewOrderAnswer,
  RenewOrderBody,
  RotateWebhookSecretBody,
  SetAlertsAnswer,
  SetAlertsBody,
  SetAutoRenewBody,
  SetAutoTopupBody,
  SetUpCardAnswer,
  SetUpCardBody,
  Statement,
  SuspendCustomerBody,
  TestWebhookAnswer,
  Topup,
  Webhook,
} from './api-types.ts';
import { type EventQuery, followEvents } from './event-feed.ts';
import { type CallOperation, createOperationCaller } from './operation-caller.ts';
import {
  eachFound,
  eachOf,
  type Filter,
  type Found,
  type FoundPage,
  foundPage,
  numberedPage,
  type Page,
} from './paging.ts';
import { ProductClient } from './product-client.ts';
import { TestModeClient } from './test-mode-client.ts';
import { type CallOptions, type ClientOptions, createTransport, type KeyedCallOptions } from './transport.ts';

export type {
  AdminClient,
  ClosedAccount,
  Credited,
  KeyWithSecret,
  PageQuery,
  WrittenOff,
} from './admin-client.ts';
export type * from './api-types.ts';
export {
  type ClientErrorCode,
  type ErrorDetails,
  type FieldDetails,
  isSellthroughError,
  SellthroughError,
} from './client-errors.ts';
export type { EventQuery } from './event-feed.ts';
export type { Found, FoundPage, Page } from './paging.ts';
export type { ProductClient } from './product-client.ts';
export type { CreditedTest, MovedTestClock, ResetTest, TestModeClient } from './test-mode-client.ts';
export type { CallOptions, ClientOptions, KeyedCallOptions, Retry } from './transport.ts';
export { type VerifiedWebhook, verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';

/** True if the key was used before: this is the first answer again, and nothing was charged this time. */
interface Replayable {
  replayed: boolean;
}

export type AlertsWithAddresses = Alerts & Pick<SetAlertsAnswer, 'confirmed_emails'>;
export type PlacedOrder = PlaceOrderAnswer & Replayable;
export type EditedCustomer = EditCustomerAnswer & Replayable;
export type RenewedOrder = RenewOrderAnswer & Replayable;

export type WebhookWithSecret = CreateWebhookAnswer & Replayable;
export type CancelledPlan = CancelPlanAnswer & Replayable;
export type OrderFilter = Filter<ListOrdersQuery>;
export type CustomerFilter = Filter<ListCustomersQuery>;
export type LedgerFilter = Filter<ListLedgerQuery>;
export type TopupFilter = Filter<ListTopupsQuery>;

export type StatementWithEntries = GetStatementAnswer['statement'];

export class Sellthrough {
  /** Needs an administrator's key; other keys get `forbidden`. */
  readonly admin: AdminClient;
  /** Needs a key with the scope `product`. */
  readonly product: ProductClient;
  /** Needs a test key, `sk_test_…`. */
  readonly testMode: TestModeClient;
  readonly #call: CallOperation;

  constructor(options: ClientOptions) {
    this.#call = createOperationCaller(createTransport(options));
    this.admin = new AdminClient(this.#call);
    this.product = new ProductClient(this.#call);
    this.testMode = new TestModeClient(this.#call);
  }

  /** Returns the balance as a decimal string, and your price group. */
  async getBalance(options?: CallOptions): Promise<Balance> {
    return (await this.#call('getBalance', { options })).body;
  }

  /** The packages that you can order, at your price group's prices. */
  async listPackages(options?: CallOptions): Promise<ListPackagesAnswer> {
    return (await this.#call('listPackages', { options })).body;
  }

  /** Explains the keys in `limits` of packages: their names, kinds and units, in the operator's order. */
  async listLimits(options?: CallOptions): Promise<Limit[]> {
    return (await this.#call('listLimits', { options })).body.data;
  }

  /**
   * Activates a package for a customer, created if absent, and charges it. The same package is extended; another one is
   * replaced and its unused time refunded (`order.refund`). Retries use the same idempotency key and never charge twice.
   * `balance` is the balance right after the order; `login_url` is present with `return_login: true`. Errors:
   * insufficient_credit (402), invalid_package, package_unavailable, invalid_customer, invalid_months, invalid_max_charge,
   * invalid_idempotency_key, order_failed (422), customer_not_yours, price_changed, idempotency_conflict (409).
   */
  async placeOrder(body: PlaceOrderBody, options?: KeyedCallOptions): Promise<PlacedOrder> {
    const answer = await this.#call('placeOrder', { body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /**
   * Extends an earlier order's package by one period after the current expiry, at today's price: a new order of kind
   * `renew`. Retries never charge twice. Errors: order_not_found, insufficient_credit (402), invalid_months, order_failed
   * (422: `plan_changed` if the customer has another package now, `term_too_long` beyond ten years), price_changed,
   * idempotency_conflict (409).
   */
  async renewOrder(
    orderId: number,
    body?: RenewOrderBody,
    options?: KeyedCallOptions,
  ): Promise<RenewedOrder> {
    const answer = await this.#call('renewOrder', { id: orderId, body: body ?? {}, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /**
   * Places up to 500 orders and renewals (`{ renew: order.id }`), each with an `idempotency_key`. Results are in the order
   * sent. A refused order has `'error' in result`; send it again if its status is 500 or more. An order already placed
   * comes back as a replay. Ten orders count as one request of the rate limit; see `details.orders_max` of rate_limited.
   */
  async placeOrdersInBulk(
    body: PlaceOrdersInBulkBody,
    options?: CallOptions,
  ): Promise<PlaceOrdersInBulkAnswer> {
    return (await this.#call('placeOrdersInBulk', { body, options })).body;
  }

  /**
   * Shows what `placeOrder` would do now or, with `order_id` in place of package and customer, `renewOrder`. Writes
   * nothing. Then order with `max_charge: preview.charge`, and you are never charged more. Errors: those of the order.
   */
  async previewOrder(body: PreviewOrderBody, options?: CallOptions): Promise<OrderPreview> {
    return (await this.#call('previewOrder', { body, options })).body.preview;
  }

  /** Errors: order_not_found, also for another account's order. */
  async getOrder(orderId: number, options?: CallOptions): Promise<Order> {
    const { body } = await this.#call('getOrder', { id: orderId, options });
    return body.order;
  }

  async listOrders(query?: PageQuery, options?: CallOptions): Promise<Page<Order>> {
    return numberedPage((await this.#call('listOrders', { query, options })).body);
  }

  /** All pages, newest first: `for await (const order of client.eachOrder())`. */
  eachOrder(options?: CallOptions): AsyncGenerator<Order> {
    return eachOf((page) => this.listOrders({ page, limit: walkedPageItems }, options));
  }

  /** Errors: invalid_filter, invalid_cursor. */
  async findOrders(query: Found<ListOrdersQuery>, options?: CallOptions): Promise<FoundPage<Order>> {
    return foundPage(
      (await this.#call('listOrders', { query: { ...query, cursor: query.cursor ?? '' }, options })).body,
    );
  }

  eachFoundOrder(filter: OrderFilter, options?: CallOptions): AsyncGenerator<Order> {
    return eachFound((cursor) => this.findOrders({ ...filter, cursor, limit: walkedPageItems }, options));
  }

  /** Errors: customer_not_found, also for another account's customer. */
  async getCustomer(customerId: number, options?: CallOptions): Promise<Customer> {
    const { body } = await this.#call('getCustomer', { id: customerId, options });
    return body.customer;
  }

  /**
   * Changes the name or your own id (`external_ref`; null removes it). A repeated call with the same idempotency key
   * changes nothing, even if the customer was changed since. Errors: customer_not_found, validation_failed,
   * idempotency_conflict (409).
   */
  async editCustomer(
    customerId: number,
    body: EditCustomerBody,
    options?: KeyedCallOptions,
  ): Promise<EditedCustomer> {
    const answer = await this.#call('editCustomer', { id: customerId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /**
   * Removes what names the customer, for good. The plan must have ended. Erasing again changes nothing. Errors:
   * customer_not_found, order_failed (422: `plan_running`, `order_pending`), reference_taken (409).
   */
  async eraseCustomer(customerId: number, options?: CallOptions): Promise<Customer> {
    return (await this.#call('eraseCustomer', { id: customerId, options })).body.customer;
  }

  /** Everything about the customer, also what is left of an erased one. Errors: customer_not_found. */
  async exportCustomer(customerId: number, options?: CallOptions): Promise<ExportCustomerAnswer> {
    return (await this.#call('exportCustomer', { id: customerId, options })).body;
  }

  async listCustomers(query?: PageQuery, options?: CallOptions): Promise<Page<Customer>> {
    return numberedPage((await this.#call('listCustomers', { query, options })).body);
  }

  eachCustomer(options?: CallOptions): AsyncGenerator<Customer> {
    return eachOf((page) => this.listCustomers({ page, limit: walkedPageItems }, options));
  }

  /** Errors: customer_not_found, invalid_cursor. */
  async listPlanHistory(
    customerId: number,
    query?: ListPlanHistoryQuery,
    options?: CallOptions,
  ): Promise<ListPlanHistoryAnswer> {
    return (await this.#call('listPlanHistory', { id: customerId, query, options })).body;
  }

  eachPlanHistoryItem(customerId: number, options?: CallOptions): AsyncGenerator<PlanHistoryItem> {
    return eachFound((cursor) =>
      this.listPlanHistory(customerId, { cursor, limit: walkedPageItems }, options),
    );
  }

  /**
   * `at: 'now'` ends the plan and refunds the unused part. `'period_end'` lets it run out. Errors: customer_not_found,
   * order_failed (422: `plan_not_running`), idempotency_conflict (409).
   */
  async cancelPlan(
    customerId: number,
    body: CancelPlanBody,
    options?: KeyedCallOptions,
  ): Promise<CancelledPlan> {
    const answer = await this.#call('cancelPlan', { id: customerId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** Denies the customer access until you resume them. Errors: customer_not_found, idempotency_conflict (409). */
  async suspendCustomer(
    customerId: number,
    body?: SuspendCustomerBody,
    options?: KeyedCallOptions,
  ): Promise<Customer> {
    return (await this.#call('suspendCustomer', { id: customerId, body: body ?? {}, options })).body.customer;
  }

  /** Also withdraws a cancellation at the period's end. Errors: customer_not_found, idempotency_conflict (409). */
  async resumeCustomer(customerId: number, options?: KeyedCallOptions): Promise<Customer> {
    return (await this.#call('resumeCustomer', { id: customerId, options })).body.customer;
  }

  /**
   * Renews the plan by an order each time it ends. Errors: customer_not_found, order_failed (422: `plan_not_running`),
   * package_unavailable (422: a free trial), idempotency_conflict (409).
   */
  async setAutoRenew(
    customerId: number,
    body: SetAutoRenewBody,
    options?: KeyedCallOptions,
  ): Promise<Customer> {
    return (await this.#call('setAutoRenew', { id: customerId, body, options })).body.customer;
  }

  /** Errors: customer_not_found, idempotency_conflict (409). */
  async removeAutoRenew(customerId: number, options?: KeyedCallOptions): Promise<Customer> {
    return (await this.#call('removeAutoRenew', { id: customerId, options })).body.customer;
  }

  /** Errors: invalid_filter, invalid_cursor. */
  async findCustomers(query: Found<ListCustomersQuery>, options?: CallOptions): Promise<FoundPage<Customer>> {
    return foundPage(
      (await this.#call('listCustomers', { query: { ...query, cursor: query.cursor ?? '' }, options })).body,
    );
  }

  eachFoundCustomer(filter: CustomerFilter, options?: CallOptions): AsyncGenerator<Customer> {
    return eachFound((cursor) => this.findCustomers({ ...filter, cursor, limit: walkedPageItems }, options));
  }

  /** One statement per month with opening and closing balance, newest first. */
  async listStatements(options?: CallOptions): Promise<Statement[]> {
    return (await this.#call('listStatements', { options })).body.data;
  }

  /** The statement of a month such as "2026-01", with its entries, oldest first. Errors: statement_not_found. */
  async getStatement(month: string, options?: CallOptions): Promise<StatementWithEntries> {
    return (await this.#call('getStatement', { id: month, options })).body.statement;
  }

  /** What the renewals of the next `days` (default 30) cost, and when the balance runs out. Errors: invalid_filter. */
  async getForecast(query?: GetForecastQuery, options?: CallOptions): Promise<Forecast> {
    return (await this.#call('getForecast', { query, options })).body;
  }

  /** Your business by month: MRR, active plans, new, renewed, changed and lost. Errors: invalid_filter. */
  async getBusiness(query?: GetBusinessQuery, options?: CallOptions): Promise<Business> {
    return (await this.#call('getBusiness', { query, options })).body;
  }

  /** Your customers by the month of their first order. Errors: invalid_filter. */
  async getCohorts(query?: GetCohortsQuery, options?: CallOptions): Promise<Cohorts> {
    return (await this.#call('getCohorts', { query, options })).body;
  }

  /**
   * Asks to pay in. Send the payer to `pay_url`, or show `bank`. The balance rises once the money has come: follow the event
   * topup.paid. Errors: payment_method_off, validation_failed, too_many_topups (409), daily_maximum_reached,
   * provider_unavailable (503), idempotency_conflict (409).
   */
  async createTopup(body: CreateTopupBody, options?: KeyedCallOptions): Promise<Topup> {
    return (await this.#call('createTopup', { body, options })).body.topup;
  }

  /** Errors: topup_not_found. */
  async getTopup(topupId: number, options?: CallOptions): Promise<Topup> {
    return (await this.#call('getTopup', { id: topupId, options })).body.topup;
  }

  /** Errors: topup_not_found, topup_not_open (409). */
  async cancelTopup(topupId: number, options?: CallOptions): Promise<Topup> {
    return (await this.#call('cancelTopup', { id: topupId, options })).body.topup;
  }

  async listTopups(query?: PageQuery, options?: CallOptions): Promise<Page<Topup>> {
    return numberedPage((await this.#call('listTopups', { query, options })).body);
  }

  eachTopup(options?: CallOptions): AsyncGenerator<Topup> {
    return eachOf((page) => this.listTopups({ page, limit: walkedPageItems }, options));
  }

  /** Errors: invalid_filter, invalid_cursor. */
  async findTopups(query: Found<ListTopupsQuery>, options?: CallOptions): Promise<FoundPage<Topup>> {
    return foundPage(
      (await this.#call('listTopups', { query: { ...query, cursor: query.cursor ?? '' }, options })).body,
    );
  }

  eachFoundTopup(filter: TopupFilter, options?: CallOptions): AsyncGenerator<Topup> {
    return eachFound((cursor) => this.findTopups({ ...filter, cursor, limit: walkedPageItems }, options));
  }

  /** Whether the balance is topped up by itself, and what was charged this month. */
  async getAutoTopup(options?: CallOptions): Promise<AutoTopup> {
    return (await this.#call('getAutoTopup', { options })).body.auto_topup;
  }

  /** Charges the saved card whenever the balance is too low. Errors: card_missing (409), validation_failed. */
  async setAutoTopup(body: SetAutoTopupBody, options?: CallOptions): Promise<AutoTopup> {
    return (await this.#call('setAutoTopup', { body, options })).body.auto_topup;
  }

  /** The card stays saved. */
  async removeAutoTopup(options?: CallOptions): Promise<AutoTopup> {
    return (await this.#call('removeAutoTopup', { options })).body.auto_topup;
  }

  /** Send the card holder to `setup_url`. Errors: payment_method_off, provider_unavailable (503). */
  async setUpCard(body?: SetUpCardBody, options?: CallOptions): Promise<SetUpCardAnswer> {
    return (await this.#call('setUpCard', { body: body ?? {}, options })).body;
  }

  /** Events after the id `after`, oldest first. Waits up to `wait` seconds. Errors: events_gone (410). */
  async readEvents(query?: ReadEventsQuery, options?: CallOptions): Promise<ReadEventsAnswer> {
    return (await this.#call('readEvents', { query, options })).body;
  }

  /**
   * Every event after the id `after`, oldest first, endlessly, even through outages. To miss none, save the id of the last
   * event that you handled and resume after it. Ends when `options.signal` aborts. Errors: events_gone (410), and those of
   * the key.
   */
  listEvents(query?: EventQuery, options?: CallOptions): AsyncGenerator<KnownEvent> {
    return followEvents((page, each) => this.readEvents(page, each), query ?? {}, options);
  }

  /** Errors: event_not_found. */
  async getEvent(eventId: number, options?: CallOptions): Promise<AccountEvent> {
    return (await this.#call('getEvent', { id: eventId, options })).body.event;
  }

  /** Your endpoints, oldest first. */
  async listWebhooks(options?: CallOptions): Promise<Webhook[]> {
    return (await this.#call('listWebhooks', { options })).body.data;
  }

  /**
   * `secret` is shown once; a replay has null. Verify deliveries with `verifyWebhook`. Errors: validation_failed,
   * too_many_webhooks, idempotency_conflict (409).
   */
  async createWebhook(body: CreateWebhookBody, options?: KeyedCallOptions): Promise<WebhookWithSecret> {
    const answer = await this.#call('createWebhook', { body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** Errors: webhook_not_found. */
  async getWebhook(webhookId: number, options?: CallOptions): Promise<Webhook> {
    return (await this.#call('getWebhook', { id: webhookId, options })).body.webhook;
  }

  /** Changes the given fields. Errors: webhook_not_found, validation_failed, idempotency_conflict (409). */
  async changeWebhook(
    webhookId: number,
    body: ChangeWebhookBody,
    options?: KeyedCallOptions,
  ): Promise<Webhook> {
    return (await this.#call('changeWebhook', { id: webhookId, body, options })).body.webhook;
  }

  /** Errors: webhook_not_found. */
  async deleteWebhook(webhookId: number, options?: KeyedCallOptions): Promise<DeleteWebhookAnswer> {
    return (await this.#call('deleteWebhook', { id: webhookId, options })).body;
  }

  /** Errors: webhook_not_found. */
  async testWebhook(webhookId: number, options?: CallOptions): Promise<TestWebhookAnswer> {
    return (await this.#call('testWebhook', { id: webhookId, options })).body;
  }

  /** `secret` is shown once; a replay has null. Errors: webhook_not_found, idempotency_conflict (409). */
  async rotateWebhookSecret(
    webhookId: number,
    body?: RotateWebhookSecretBody,
    options?: KeyedCallOptions,
  ): Promise<WebhookWithSecret> {
    const answer = await this.#call('rotateWebhookSecret', { id: webhookId, body: body ?? {}, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** Errors: webhook_not_found, invalid_filter, invalid_cursor. */
  async listWebhookDeliveries(
    webhookId: number,
    query?: ListWebhookDeliveriesQuery,
    options?: CallOptions,
  ): Promise<ListWebhookDeliveriesAnswer> {
    return (await this.#call('listWebhookDeliveries', { id: webhookId, query, options })).body;
  }

  eachWebhookDelivery(
    webhookId: number,
    filter?: Pick<ListWebhookDeliveriesQuery, 'status'>,
    options?: CallOptions,
  ): AsyncGenerator<Delivery> {
    return eachFound((cursor) =>
      this.listWebhookDeliveries(webhookId, { ...filter, cursor, limit: walkedPageItems }, options),
    );
  }

  /** Errors: webhook_not_found, event_not_found. */
  async redeliverToWebhook(webhookId: number, eventId: number, options?: KeyedCallOptions): Promise<Webhook> {
    const ids = { id: webhookId, inner: eventId };
    return (await this.#call('redeliverToWebhook', { ...ids, options })).body.webhook;
  }

  /** Errors: webhook_not_found, event_not_found, validation_failed. */
  async redeliverSinceToWebhook(
    webhookId: number,
    body: RedeliverSinceToWebhookBody,
    options?: KeyedCallOptions,
  ): Promise<Webhook> {
    return (await this.#call('redeliverSinceToWebhook', { id: webhookId, body, options })).body.webhook;
  }

  /** Your alert settings, and the confirmed addresses. */
  async getAlerts(options?: CallOptions): Promise<AlertsWithAddresses> {
    const { alerts, confirmed_emails } = (await this.#call('getAlerts', { options })).body;
    return { ...alerts, confirmed_emails };
  }

  /** Replaces all settings. A setting that is left out is turned off. Errors: validation_failed. */
  async setAlerts(body: SetAlertsBody, options?: CallOptions): Promise<AlertsWithAddresses> {
    const { alerts, confirmed_emails } = (await this.#call('setAlerts', { body, options })).body;
    return { ...alerts, confirmed_emails };
  }

  async listLedger(query?: PageQuery, options?: CallOptions): Promise<Page<LedgerEntry>> {
    return numberedPage((await this.#call('listLedger', { query, options })).body);
  }

  eachLedgerEntry(options?: CallOptions): AsyncGenerator<LedgerEntry> {
    return eachOf((page) => this.listLedger({ page, limit: walkedPageItems }, options));
  }

  /** Errors: invalid_filter, invalid_cursor. */
  async findLedgerEntries(
    query: Found<ListLedgerQuery>,
    options?: CallOptions,
  ): Promise<FoundPage<LedgerEntry>> {
    return foundPage(
      (await this.#call('listLedger', { query: { ...query, cursor: query.cursor ?? '' }, options })).body,
    );
  }

  eachFoundLedgerEntry(filter: LedgerFilter, options?: CallOptions): AsyncGenerator<LedgerEntry> {
    return eachFound((cursor) =>
      this.findLedgerEntries({ ...filter, cursor, limit: walkedPageItems }, options),
    );
  }
}
