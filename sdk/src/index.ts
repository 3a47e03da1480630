// The client of a Sellthrough service: `new Sellthrough({ baseUrl, apiKey })`. One method for each operation of the
// reseller's API, by its name in openapi.json; the administrator's are under `admin`. What is exported here is the
// package's whole surface.

import { AdminClient, type PageQuery, walkedPageItems } from './admin-client.ts';
import type {
  AccountEvent,
  Alerts,
  Balance,
  CancelPlanAnswer,
  CancelPlanBody,
  ChangeWebhookBody,
  CreateWebhookAnswer,
  CreateWebhookBody,
  Customer,
  DeleteWebhookAnswer,
  Delivery,
  EditCustomerAnswer,
  EditCustomerBody,
  Forecast,
  GetForecastQuery,
  GetStatementAnswer,
  KnownEvent,
  LedgerEntry,
  ListCustomersQuery,
  ListLedgerQuery,
  ListOrdersQuery,
  ListPackagesAnswer,
  ListPlanHistoryAnswer,
  ListPlanHistoryQuery,
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
  Statement,
  SuspendCustomerBody,
  TestWebhookAnswer,
  Webhook,
} from './api-types.ts';
import { type EventQuery, followEvents } from './event-feed.ts';
import { type CallOperation, createOperationCaller } from './operation-caller.ts';
import { eachFound, eachOf, type FoundPage, foundPage, numberedPage, type Page } from './paging.ts';
import { ProductClient } from './product-client.ts';
import { TestModeClient } from './test-mode-client.ts';
import { type CallOptions, type ClientOptions, createTransport, type KeyedCallOptions } from './transport.ts';

export type { AdminClient, Credited, KeyWithSecret, PageQuery } from './admin-client.ts';
export type * from './api-types.ts';
export {
  type ClientErrorCode,
  type ErrorDetails,
  type FieldDetails,
  isSellthroughError,
  SellthroughError,
} from './client-errors.ts';
export type { EventQuery } from './event-feed.ts';
export type { FoundPage, Page } from './paging.ts';
export type { ProductClient } from './product-client.ts';
export type { CreditedTest, MovedTestClock, ResetTest, TestModeClient } from './test-mode-client.ts';
export type { CallOptions, ClientOptions, KeyedCallOptions, Retry } from './transport.ts';
export { type VerifiedWebhook, verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';

/** The key had been used before: this is the first answer again and nothing was charged this time. */
interface Replayable {
  replayed: boolean;
}

export type AlertsWithAddresses = Alerts & Pick<SetAlertsAnswer, 'confirmed_emails'>;
export type PlacedOrder = PlaceOrderAnswer & Replayable;
export type EditedCustomer = EditCustomerAnswer & Replayable;
export type RenewedOrder = RenewOrderAnswer & Replayable;

export type WebhookWithSecret = CreateWebhookAnswer & Replayable;
export type CancelledPlan = CancelPlanAnswer & Replayable;
/** What is looked for, all of it at once; `cursor` is that of the page before. */
export type Found<Query> = Omit<Query, 'page' | 'format'>;
type Filter<Query> = Omit<Query, 'page' | 'limit' | 'cursor' | 'format'>;
export type OrderFilter = Filter<ListOrdersQuery>;
export type CustomerFilter = Filter<ListCustomersQuery>;
export type LedgerFilter = Filter<ListLedgerQuery>;

export type StatementWithEntries = GetStatementAnswer['statement'];

export class Sellthrough {
  /** The administrator's API; the key must be an administrator's, or every call is refused with `forbidden`. */
  readonly admin: AdminClient;
  /** The product's API; the key must have the scope `product`. */
  readonly product: ProductClient;
  /** Test mode's own requests; the key must be one of test mode, `sk_test_…`. */
  readonly testMode: TestModeClient;
  readonly #call: CallOperation;

  constructor(options: ClientOptions) {
    this.#call = createOperationCaller(createTransport(options));
    this.admin = new AdminClient(this.#call);
    this.product = new ProductClient(this.#call);
    this.testMode = new TestModeClient(this.#call);
  }

  /** The remaining credit, a decimal string, and your price group. */
  async getBalance(options?: CallOptions): Promise<Balance> {
    return (await this.#call('getBalance', { options })).body;
  }

  /** The packages you can order, priced for your group. */
  async listPackages(options?: CallOptions): Promise<ListPackagesAnswer> {
    return (await this.#call('listPackages', { options })).body;
  }

  /**
   * Activates a package for a customer, who is created if absent, and charges its price. Where the customer has the
   * same package it is extended; where another, that is replaced and its unused time given back (`order.refund`).
   * Sent again with its idempotency key until it is answered; never charged twice. `balance` is the one right after
   * the order; `login_url` comes with `return_login: true`.
   * Errors: insufficient_credit (402), invalid_package, package_unavailable, invalid_customer, invalid_months,
   * invalid_max_charge, invalid_idempotency_key, order_failed (422), customer_not_yours, price_changed,
   * idempotency_conflict (409).
   */
  async placeOrder(body: PlaceOrderBody, options?: KeyedCallOptions): Promise<PlacedOrder> {
    const answer = await this.#call('placeOrder', { body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /**
   * Renews the package of an earlier order for its customer: one more period on top of the current expiry, at today's
   * price. A new order of kind `renew`. Sent again with its idempotency key until it is answered; never charged twice.
   * Errors: order_not_found, insufficient_credit (402), invalid_months, order_failed (422: `plan_changed` where the
   * customer has another package by now, `term_too_long` beyond ten years), price_changed, idempotency_conflict (409).
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
   * Up to 500 orders and renewals (`{ renew: order.id }`) at once. Each must have an `idempotency_key`, and each has a
   * result of its own, in the order sent: `'error' in result` where it was refused. Sent again until it is answered; what
   * stands is answered as a replay, and nothing is charged twice. A result with a status of 500 or more: send that order
   * again. Counts as one request of the rate limit for every ten orders; `details.orders_max` of rate_limited is the most
   * that one bulk may ever hold.
   */
  async placeOrdersInBulk(
    body: PlaceOrdersInBulkBody,
    options?: CallOptions,
  ): Promise<PlaceOrdersInBulkAnswer> {
    return (await this.#call('placeOrdersInBulk', { body, options })).body;
  }

  /**
   * What `placeOrder` with the same body would do now; or `renewOrder`, with `order_id` in place of package and customer.
   * Writes nothing. Order with `max_charge: preview.charge`, and no other price is charged.
   * Errors: those that the order would get.
   */
  async previewOrder(body: PreviewOrderBody, options?: CallOptions): Promise<OrderPreview> {
    return (await this.#call('previewOrder', { body, options })).body.preview;
  }

  /** Errors: order_not_found, for another account's order too. */
  async getOrder(orderId: number, options?: CallOptions): Promise<Order> {
    const { body } = await this.#call('getOrder', { id: orderId, options });
    return body.order;
  }

  /** One page of your orders, newest first. */
  async listOrders(query?: PageQuery, options?: CallOptions): Promise<Page<Order>> {
    return numberedPage((await this.#call('listOrders', { query, options })).body);
  }

  /** All your orders, newest first, page after page: `for await (const order of client.eachOrder())`. */
  eachOrder(options?: CallOptions): AsyncGenerator<Order> {
    return eachOf((page) => this.listOrders({ page, limit: walkedPageItems }, options));
  }

  /** A page of the orders that fit, newest first. Errors: invalid_filter, invalid_cursor. */
  async findOrders(query: Found<ListOrdersQuery>, options?: CallOptions): Promise<FoundPage<Order>> {
    return foundPage(
      (await this.#call('listOrders', { query: { ...query, cursor: query.cursor ?? '' }, options })).body,
    );
  }

  /** All orders that fit, newest first, page after page. */
  eachFoundOrder(filter: OrderFilter, options?: CallOptions): AsyncGenerator<Order> {
    return eachFound((cursor) => this.findOrders({ ...filter, cursor, limit: walkedPageItems }, options));
  }

  /** Errors: customer_not_found, for another account's customer too. */
  async getCustomer(customerId: number, options?: CallOptions): Promise<Customer> {
    const { body } = await this.#call('getCustomer', { id: customerId, options });
    return body.customer;
  }

  /**
   * The customer's name, or your own id (`external_ref`; null removes it). What is left out stays as it is. Sent again
   * with its idempotency key it changes nothing again, even if the customer was changed since.
   * Errors: customer_not_found, validation_failed, idempotency_conflict (409).
   */
  async editCustomer(
    customerId: number,
    body: EditCustomerBody,
    options?: KeyedCallOptions,
  ): Promise<EditedCustomer> {
    const answer = await this.#call('editCustomer', { id: customerId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** One page of your customers, newest first. */
  async listCustomers(query?: PageQuery, options?: CallOptions): Promise<Page<Customer>> {
    return numberedPage((await this.#call('listCustomers', { query, options })).body);
  }

  /** All your customers, newest first, page after page. */
  eachCustomer(options?: CallOptions): AsyncGenerator<Customer> {
    return eachOf((page) => this.listCustomers({ page, limit: walkedPageItems }, options));
  }

  /** A page of what happened to the customer's plan, newest first. Errors: customer_not_found, invalid_cursor. */
  async listPlanHistory(
    customerId: number,
    query?: ListPlanHistoryQuery,
    options?: CallOptions,
  ): Promise<ListPlanHistoryAnswer> {
    return (await this.#call('listPlanHistory', { id: customerId, query, options })).body;
  }

  /** All of it, newest first. */
  eachPlanHistoryItem(customerId: number, options?: CallOptions): AsyncGenerator<PlanHistoryItem> {
    return eachFound((cursor) =>
      this.listPlanHistory(customerId, { cursor, limit: walkedPageItems }, options),
    );
  }

  /**
   * `at: 'now'` ends the plan and gives back what is unused of it; `'period_end'` lets it run out.
   * Errors: customer_not_found, order_failed (422: `plan_not_running`), idempotency_conflict (409).
   */
  async cancelPlan(
    customerId: number,
    body: CancelPlanBody,
    options?: KeyedCallOptions,
  ): Promise<CancelledPlan> {
    const answer = await this.#call('cancelPlan', { id: customerId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** The customer is let in nowhere until you resume them. Errors: customer_not_found, idempotency_conflict (409). */
  async suspendCustomer(
    customerId: number,
    body?: SuspendCustomerBody,
    options?: KeyedCallOptions,
  ): Promise<Customer> {
    return (await this.#call('suspendCustomer', { id: customerId, body: body ?? {}, options })).body.customer;
  }

  /** Lifts your suspension, and takes a cancel at the period's end back. Errors: as of suspendCustomer. */
  async resumeCustomer(customerId: number, options?: KeyedCallOptions): Promise<Customer> {
    return (await this.#call('resumeCustomer', { id: customerId, options })).body.customer;
  }

  /**
   * The plan renews itself, once for each end. Errors: customer_not_found, order_failed (422: `plan_not_running`),
   * package_unavailable (422: a free trial), idempotency_conflict (409).
   */
  async setAutoRenew(
    customerId: number,
    body: SetAutoRenewBody,
    options?: KeyedCallOptions,
  ): Promise<Customer> {
    return (await this.#call('setAutoRenew', { id: customerId, body, options })).body.customer;
  }

  /** Errors: as of suspendCustomer. */
  async removeAutoRenew(customerId: number, options?: KeyedCallOptions): Promise<Customer> {
    return (await this.#call('removeAutoRenew', { id: customerId, options })).body.customer;
  }

  /** A page of the customers that fit. Errors: invalid_filter, invalid_cursor. */
  async findCustomers(query: Found<ListCustomersQuery>, options?: CallOptions): Promise<FoundPage<Customer>> {
    return foundPage(
      (await this.#call('listCustomers', { query: { ...query, cursor: query.cursor ?? '' }, options })).body,
    );
  }

  /** All customers that fit, page after page. */
  eachFoundCustomer(filter: CustomerFilter, options?: CallOptions): AsyncGenerator<Customer> {
    return eachFound((cursor) => this.findCustomers({ ...filter, cursor, limit: walkedPageItems }, options));
  }

  /** Your months, newest first: what each opened and closed with. */
  async listStatements(options?: CallOptions): Promise<Statement[]> {
    return (await this.#call('listStatements', { options })).body.data;
  }

  /** One month, "2026-01", with its entries, oldest first. Errors: statement_not_found. */
  async getStatement(month: string, options?: CallOptions): Promise<StatementWithEntries> {
    return (await this.#call('getStatement', { id: month, options })).body.statement;
  }

  /** What renewing every plan that ends within so many days (30) would cost, and when the balance runs out. Errors: invalid_filter. */
  async getForecast(query?: GetForecastQuery, options?: CallOptions): Promise<Forecast> {
    return (await this.#call('getForecast', { query, options })).body;
  }

  /** What comes behind `after` in the feed, oldest first; waits for it for up to `wait` seconds. Errors: events_gone (410). */
  async readEvents(query?: ReadEventsQuery, options?: CallOptions): Promise<ReadEventsAnswer> {
    return (await this.#call('readEvents', { query, options })).body;
  }

  /**
   * Every event behind `after`, oldest first, for ever: waits for the next one, also while the service is away. Keep the id
   * of the last one you are done with and begin behind it: nothing is missed. Ends when `options.signal` aborts.
   * Errors: events_gone (410), and those of the key.
   */
  listEvents(query?: EventQuery, options?: CallOptions): AsyncGenerator<KnownEvent> {
    return followEvents((page, each) => this.readEvents(page, each), query ?? {}, options);
  }

  /** Errors: event_not_found. */
  async getEvent(eventId: number, options?: CallOptions): Promise<AccountEvent> {
    return (await this.#call('getEvent', { id: eventId, options })).body.event;
  }

  /** Your endpoints, the oldest first. */
  async listWebhooks(options?: CallOptions): Promise<Webhook[]> {
    return (await this.#call('listWebhooks', { options })).body.data;
  }

  /**
   * `secret` is shown once: null where this repeats an earlier call. Verify what arrives with `verifyWebhook`.
   * Errors: validation_failed, too_many_webhooks, idempotency_conflict (409).
   */
  async createWebhook(body: CreateWebhookBody, options?: KeyedCallOptions): Promise<WebhookWithSecret> {
    const answer = await this.#call('createWebhook', { body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** Errors: webhook_not_found. */
  async getWebhook(webhookId: number, options?: CallOptions): Promise<Webhook> {
    return (await this.#call('getWebhook', { id: webhookId, options })).body.webhook;
  }

  /** What is left out stays as it is. Errors: webhook_not_found, validation_failed, idempotency_conflict (409). */
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

  /** `secret` is shown once, as that of createWebhook. Errors: webhook_not_found, idempotency_conflict (409). */
  async rotateWebhookSecret(
    webhookId: number,
    body?: RotateWebhookSecretBody,
    options?: KeyedCallOptions,
  ): Promise<WebhookWithSecret> {
    const answer = await this.#call('rotateWebhookSecret', { id: webhookId, body: body ?? {}, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** A page of attempts, newest first. Errors: webhook_not_found, invalid_filter, invalid_cursor. */
  async listWebhookDeliveries(
    webhookId: number,
    query?: ListWebhookDeliveriesQuery,
    options?: CallOptions,
  ): Promise<ListWebhookDeliveriesAnswer> {
    return (await this.#call('listWebhookDeliveries', { id: webhookId, query, options })).body;
  }

  /** All of them, newest first. */
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

  /** What you are told in time, and which addresses were confirmed. */
  async getAlerts(options?: CallOptions): Promise<AlertsWithAddresses> {
    const { alerts, confirmed_emails } = (await this.#call('getAlerts', { options })).body;
    return { ...alerts, confirmed_emails };
  }

  /** All of it at once: what is left out is off. Errors: validation_failed. */
  async setAlerts(body: SetAlertsBody, options?: CallOptions): Promise<AlertsWithAddresses> {
    const { alerts, confirmed_emails } = (await this.#call('setAlerts', { body, options })).body;
    return { ...alerts, confirmed_emails };
  }

  /** One page of your ledger, newest first. */
  async listLedger(query?: PageQuery, options?: CallOptions): Promise<Page<LedgerEntry>> {
    return numberedPage((await this.#call('listLedger', { query, options })).body);
  }

  /** Your whole ledger, newest first, page after page. */
  eachLedgerEntry(options?: CallOptions): AsyncGenerator<LedgerEntry> {
    return eachOf((page) => this.listLedger({ page, limit: walkedPageItems }, options));
  }

  /** A page of the entries that fit, newest first. Errors: invalid_filter, invalid_cursor. */
  async findLedgerEntries(
    query: Found<ListLedgerQuery>,
    options?: CallOptions,
  ): Promise<FoundPage<LedgerEntry>> {
    return foundPage(
      (await this.#call('listLedger', { query: { ...query, cursor: query.cursor ?? '' }, options })).body,
    );
  }

  /** All entries that fit, newest first, page after page. */
  eachFoundLedgerEntry(filter: LedgerFilter, options?: CallOptions): AsyncGenerator<LedgerEntry> {
    return eachFound((cursor) =>
      this.findLedgerEntries({ ...filter, cursor, limit: walkedPageItems }, options),
    );
  }
}
