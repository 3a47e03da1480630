// The administrator's API: accounts, credit, packages, customers, the audit log. Reached as `client.admin`; the key
// must be an administrator's. One method for each operation, by its name in openapi.json.

import type {
  Account,
  AccountEvent,
  AdminPackage,
  ApiKey,
  AuditEntry,
  Brand,
  CancelPlanOfCustomerAnswer,
  CancelPlanOfCustomerBody,
  ChangeAccountBody,
  ChangeAccountKeyBody,
  ChangeCustomerBody,
  ChangeOperatorWebhookBody,
  ChangePackageBody,
  ChangePackageOfCustomerAnswer,
  ChangePackageOfCustomerBody,
  ChangePersonBody,
  CreateAccountAnswer,
  CreateAccountBody,
  CreateAccountKeyAnswer,
  CreateAccountKeyBody,
  CreateLoginLinkOfCustomerAnswer,
  CreateOperatorWebhookAnswer,
  CreateOperatorWebhookBody,
  CreatePackageBody,
  CreditAccountAnswer,
  CreditAccountBody,
  Customer,
  DeleteOperatorWebhookAnswer,
  Delivery,
  EndAccountSessionsAnswer,
  ExchangeLoginCodeBody,
  FailOrderBody,
  GrantTrialBody,
  InvitePersonAnswer,
  InvitePersonBody,
  KnownEvent,
  LedgerEntry,
  ListAccountsQuery,
  ListAuditQuery,
  ListOperatorWebhookDeliveriesAnswer,
  ListOperatorWebhookDeliveriesQuery,
  ListOrdersNeedingAttentionQuery,
  ListProductCallsQuery,
  Order,
  OrderNeedingAttention,
  Person,
  Product,
  ProductCall,
  ReadAllEventsAnswer,
  ReadAllEventsQuery,
  RedeliverSinceToOperatorWebhookBody,
  RemovePersonAnswer,
  RenewInvitationAnswer,
  ResetApiKeyAnswer,
  RevokeAccountKeyAnswer,
  RotateAccountKeyBody,
  RotateOperatorWebhookSecretBody,
  ScheduledPrices,
  SchedulePricesBody,
  SendAllProductCallsAgainAnswer,
  SetBrandBody,
  SetBrandLogoBody,
  SetProductBody,
  TestOperatorWebhookAnswer,
  UnschedulePricesQuery,
  VerifyReport,
  Webhook,
} from './api-types.ts';
import { type EventQuery, followEvents } from './event-feed.ts';
import type { CallOperation } from './operation-caller.ts';
import { eachFound, eachOf, type FoundPage, type Page } from './paging.ts';
import type { CallOptions, KeyedCallOptions } from './transport.ts';

/** Which page of a list. */
export interface PageQuery {
  /** Starts at 1. */
  page?: number | undefined;
  /** Items per page, 1 to 100. 25 by default. */
  limit?: number | undefined;
}

/** Items per request of the methods that walk a whole list: the most there is. */
export const walkedPageItems = 100;

/** What an order of credit was answered with. */
export type Credited = CreditAccountAnswer & {
  /** The key had been used before: this is the first answer again and no money moved. */
  replayed: boolean;
};

export type CancelledPlanOfCustomer = CancelPlanOfCustomerAnswer & {
  /** The service had carried this request out before. */
  replayed: boolean;
};

export type ChangedPackageOfCustomer = ChangePackageOfCustomerAnswer & {
  /** The service had carried this request out before. */
  replayed: boolean;
};

export type KeyWithSecret = CreateAccountKeyAnswer & {
  /** The service had carried this request out before. */
  replayed: boolean;
};

export type OperatorWebhookWithSecret = CreateOperatorWebhookAnswer & {
  /** The service had carried this request out before. */
  replayed: boolean;
};

export class AdminClient {
  readonly #call: CallOperation;

  /** Made by Sellthrough. */
  constructor(call: CallOperation) {
    this.#call = call;
  }

  // ---- accounts

  /**
   * Creates an account. Its key, and the password where you chose none, are shown here and never again by the API.
   * Takes no idempotency key: after a lost connection it is not sent again by itself; look with listAccounts.
   * Errors: username_taken, validation_failed.
   */
  async createAccount(body: CreateAccountBody, options?: CallOptions): Promise<CreateAccountAnswer> {
    return (await this.#call('createAccount', { body, options })).body;
  }

  /** One page of accounts, newest first; `q` is part of a username or display name. */
  async listAccounts(query?: ListAccountsQuery, options?: CallOptions): Promise<Page<Account>> {
    return (await this.#call('listAccounts', { query, options })).body;
  }

  /** Every account, newest first, page after page. */
  eachAccount(
    query?: Pick<ListAccountsQuery, 'q' | 'group' | 'is_admin'>,
    options?: CallOptions,
  ): AsyncGenerator<Account> {
    return eachOf((page) => this.listAccounts({ ...query, page, limit: walkedPageItems }, options));
  }

  /** Errors: account_not_found. */
  async getAccount(accountId: number, options?: CallOptions): Promise<Account> {
    const { body } = await this.#call('getAccount', { id: accountId, options });
    return body.account;
  }

  /**
   * Changes the fields that are given; blocks with `{ blocked: true }`. Takes effect on the account's next request.
   * Errors: account_not_found, validation_failed, last_administrator.
   */
  async changeAccount(accountId: number, body: ChangeAccountBody, options?: CallOptions): Promise<Account> {
    const answer = await this.#call('changeAccount', { id: accountId, body, options });
    return answer.body.account;
  }

  /**
   * Credits the account, or debits it where the amount is negative: `{ amount: '100.00', memo: 'invoice 7' }`.
   * Sent again with its idempotency key until it is answered; never counted twice.
   * Errors: account_not_found, insufficient_credit (422, a debit below zero), idempotency_conflict, validation_failed.
   */
  async creditAccount(
    accountId: number,
    body: CreditAccountBody,
    options?: KeyedCallOptions,
  ): Promise<Credited> {
    const answer = await this.#call('creditAccount', { id: accountId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /**
   * Replaces the account's API key; the old one is refused from now on.
   * Takes no idempotency key: after a lost connection it is not sent again by itself, and the old key may be dead.
   * Errors: account_not_found.
   */
  async resetApiKey(accountId: number, options?: CallOptions): Promise<ResetApiKeyAnswer> {
    return (await this.#call('resetApiKey', { id: accountId, options })).body;
  }

  /** The keys of the account that were not revoked, the first one first. Never their secrets. Errors: account_not_found. */
  async listAccountKeys(accountId: number, options?: CallOptions): Promise<ApiKey[]> {
    return (await this.#call('listAccountKeys', { id: accountId, options })).body.data;
  }

  /**
   * Makes a key: `{ name: 'Shop', scopes: ['orders:write'] }`. `api_key` is shown once: null where this repeats an
   * earlier call. Errors: account_not_found, too_many_keys, validation_failed, idempotency_conflict (409).
   */
  async createAccountKey(
    accountId: number,
    body: CreateAccountKeyBody,
    options?: KeyedCallOptions,
  ): Promise<KeyWithSecret> {
    const answer = await this.#call('createAccountKey', { id: accountId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /**
   * What is left out stays as it is; it counts from the next request on.
   * Errors: account_not_found, key_not_found, first_key, validation_failed, idempotency_conflict (409).
   */
  async changeAccountKey(
    accountId: number,
    keyId: number,
    body: ChangeAccountKeyBody,
    options?: KeyedCallOptions,
  ): Promise<ApiKey> {
    const ids = { id: accountId, inner: keyId };
    return (await this.#call('changeAccountKey', { ...ids, body, options })).body.key;
  }

  /**
   * A new secret for the key; the one before it works for `overlap_hours` more, 0 unless told. `api_key` is shown once, as
   * that of createAccountKey. Errors: account_not_found, key_not_found, validation_failed, idempotency_conflict (409).
   */
  async rotateAccountKey(
    accountId: number,
    keyId: number,
    body?: RotateAccountKeyBody,
    options?: KeyedCallOptions,
  ): Promise<KeyWithSecret> {
    const ids = { id: accountId, inner: keyId };
    const answer = await this.#call('rotateAccountKey', { ...ids, body: body ?? {}, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** At once, in every process. Errors: account_not_found, key_not_found, first_key, idempotency_conflict (409). */
  async revokeAccountKey(
    accountId: number,
    keyId: number,
    options?: KeyedCallOptions,
  ): Promise<RevokeAccountKeyAnswer> {
    const ids = { id: accountId, inner: keyId };
    return (await this.#call('revokeAccountKey', { ...ids, options })).body;
  }

  /**
   * Ends every session of the account's panel: whoever is signed in has to sign in again. Password and key stay.
   * Errors: account_not_found.
   */
  async endAccountSessions(accountId: number, options?: CallOptions): Promise<EndAccountSessionsAnswer> {
    return (await this.#call('endAccountSessions', { id: accountId, options })).body;
  }

  /** Everybody who signs in for the account, or is invited to. Errors: account_not_found. */
  async listPeople(accountId: number, options?: CallOptions): Promise<Person[]> {
    return (await this.#call('listPeople', { id: accountId, options })).body.data;
  }

  /**
   * Invites somebody to sign in for the account; `invitation.url` is shown here alone, and works once.
   * `invitation` is null where this repeats an earlier call: have a new one made with renewInvitation.
   * Errors: account_not_found, username_taken, too_many_people, validation_failed, idempotency_conflict (409).
   */
  async invitePerson(
    accountId: number,
    body: InvitePersonBody,
    options?: KeyedCallOptions,
  ): Promise<InvitePersonAnswer> {
    return (await this.#call('invitePerson', { id: accountId, body, options })).body;
  }

  /**
   * A new link for somebody who has not chosen a password yet; earlier ones stop working.
   * Errors: account_not_found, person_not_found, invitation_used, idempotency_conflict (409).
   */
  async renewInvitation(
    accountId: number,
    personId: number,
    options?: KeyedCallOptions,
  ): Promise<RenewInvitationAnswer> {
    return (await this.#call('renewInvitation', { id: accountId, inner: personId, options })).body;
  }

  /**
   * Another role or e-mail address.
   * Errors: account_not_found, person_not_found, last_owner, validation_failed, idempotency_conflict (409).
   */
  async changePerson(
    accountId: number,
    personId: number,
    body: ChangePersonBody,
    options?: KeyedCallOptions,
  ): Promise<Person> {
    const answer = await this.#call('changePerson', { id: accountId, inner: personId, body, options });
    return answer.body.person;
  }

  /** Out with the next request. Errors: account_not_found, person_not_found, last_owner, idempotency_conflict (409). */
  async removePerson(
    accountId: number,
    personId: number,
    options?: KeyedCallOptions,
  ): Promise<RemovePersonAnswer> {
    return (await this.#call('removePerson', { id: accountId, inner: personId, options })).body;
  }

  /**
   * Gives a customer of the account a free trial; creates the customer if absent, charges nothing, makes no order.
   * Sent again with its idempotency key until it is answered; never given twice. A customer who has had this trial before is
   * refused with trial_already_granted (409) unless `again` is true; while another plan runs, with order_failed,
   * reason plan_running.
   * Errors: account_not_found, invalid_package, package_unavailable, invalid_customer, customer_not_yours, order_failed,
   * idempotency_conflict (409).
   */
  async grantTrial(accountId: number, body: GrantTrialBody, options?: KeyedCallOptions): Promise<Customer> {
    const answer = await this.#call('grantTrial', { id: accountId, body, options });
    return answer.body.customer;
  }

  // ---- what an account has done

  /** One page of the account's ledger, newest first. Amounts of charges and debits are negative. */
  async listAccountLedger(
    accountId: number,
    query?: PageQuery,
    options?: CallOptions,
  ): Promise<Page<LedgerEntry>> {
    return (await this.#call('listAccountLedger', { id: accountId, query, options })).body;
  }

  /** The account's whole ledger, newest first, page after page. */
  eachAccountLedgerEntry(accountId: number, options?: CallOptions): AsyncGenerator<LedgerEntry> {
    return eachOf((page) => this.listAccountLedger(accountId, { page, limit: walkedPageItems }, options));
  }

  /** One page of the account's orders, newest first. */
  async listAccountOrders(accountId: number, query?: PageQuery, options?: CallOptions): Promise<Page<Order>> {
    return (await this.#call('listAccountOrders', { id: accountId, query, options })).body;
  }

  /** All the account's orders, newest first, page after page. */
  eachAccountOrder(accountId: number, options?: CallOptions): AsyncGenerator<Order> {
    return eachOf((page) => this.listAccountOrders(accountId, { page, limit: walkedPageItems }, options));
  }

  /** One page of the account's customers, newest first. */
  async listAccountCustomers(
    accountId: number,
    query?: PageQuery,
    options?: CallOptions,
  ): Promise<Page<Customer>> {
    return (await this.#call('listAccountCustomers', { id: accountId, query, options })).body;
  }

  /** All the account's customers, newest first, page after page. */
  eachAccountCustomer(accountId: number, options?: CallOptions): AsyncGenerator<Customer> {
    return eachOf((page) => this.listAccountCustomers(accountId, { page, limit: walkedPageItems }, options));
  }

  // ---- packages

  /** Every package with the prices of both groups, retired ones and trials too. */
  async listAllPackages(options?: CallOptions): Promise<AdminPackage[]> {
    const { body } = await this.#call('listAllPackages', { options });
    return body.data;
  }

  /**
   * Creates a package; one that is not a trial needs `prices`, six decimal strings.
   * Sent again with its idempotency key until it is answered; never made twice.
   * Errors: validation_failed, idempotency_conflict (409).
   */
  async createPackage(body: CreatePackageBody, options?: KeyedCallOptions): Promise<AdminPackage> {
    const answer = await this.#call('createPackage', { body, options });
    return answer.body.package;
  }

  /** Errors: package_not_found. */
  async getPackage(packageId: number, options?: CallOptions): Promise<AdminPackage> {
    const { body } = await this.#call('getPackage', { id: packageId, options });
    return body.package;
  }

  /**
   * Changes the fields that are given; retires with `{ retired: true }`. New prices apply to new orders.
   * Errors: package_not_found, validation_failed.
   */
  async changePackage(
    packageId: number,
    body: ChangePackageBody,
    options?: CallOptions,
  ): Promise<AdminPackage> {
    const answer = await this.#call('changePackage', { id: packageId, body, options });
    return answer.body.package;
  }

  /**
   * Prices that begin at the second `from`; what is not named stays what it is then.
   * Package and second take the place of an idempotency key: the same prices for the same second are scheduled once,
   * however often it is called. After a lost connection it is not sent again by itself.
   * Errors: package_not_found, package_unavailable, price_already_scheduled, validation_failed.
   */
  async schedulePrices(
    packageId: number,
    body: SchedulePricesBody,
    options?: CallOptions,
  ): Promise<ScheduledPrices> {
    const answer = await this.#call('schedulePrices', { id: packageId, body, options });
    return answer.body.price;
  }

  /** What is scheduled, the latest first, and the last 100 that have begun. Errors: package_not_found. */
  async listScheduledPrices(packageId: number, options?: CallOptions): Promise<ScheduledPrices[]> {
    const { body } = await this.#call('listScheduledPrices', { id: packageId, options });
    return body.data;
  }

  /**
   * Deletes prices that are still to come; returns what was deleted.
   * Errors: package_not_found, price_not_found (also when they were deleted before), price_has_begun.
   */
  async unschedulePrices(
    packageId: number,
    query: UnschedulePricesQuery,
    options?: CallOptions,
  ): Promise<ScheduledPrices> {
    const { body } = await this.#call('unschedulePrices', { id: packageId, query, options });
    return body.price;
  }

  // ---- the brand

  /** The operator's name, logo, colour, letterhead and address for help. */
  async getBrand(options?: CallOptions): Promise<Brand> {
    const { body } = await this.#call('getBrand', { options });
    return body.brand;
  }

  /**
   * Sets all of it but the logo, on pages, in mails and on documents. Sent again, it changes nothing more.
   * Errors: validation_failed.
   */
  async setBrand(body: SetBrandBody, options?: CallOptions): Promise<Brand> {
    const answer = await this.#call('setBrand', { body, options });
    return answer.body.brand;
  }

  /** `data`: a PNG or a JPEG in base64, at most 256 KiB. Errors: validation_failed. */
  async setBrandLogo(body: SetBrandLogoBody, options?: CallOptions): Promise<Brand> {
    const answer = await this.#call('setBrandLogo', { body, options });
    return answer.body.brand;
  }

  /** From now on there is no logo of the operator's. */
  async removeBrandLogo(options?: CallOptions): Promise<Brand> {
    const { body } = await this.#call('removeBrandLogo', { options });
    return body.brand;
  }

  // ---- the product

  /** The product that orders are handed to; all but its secret. */
  async getProduct(options?: CallOptions): Promise<Product> {
    const { body } = await this.#call('getProduct', { options });
    return body.product;
  }

  /**
   * Names the product: its address, `notify` or `confirm`, and the secret that signs the calls (`whsec_…`), which may be
   * left out once it is set. Sent again, it changes nothing more.
   * Errors: validation_failed.
   */
  async setProduct(body: SetProductBody, options?: CallOptions): Promise<Product> {
    const answer = await this.#call('setProduct', { body, options });
    return answer.body.product;
  }

  /** From now on orders are handed to nobody; those that are pending need attention. */
  async removeProduct(options?: CallOptions): Promise<Product> {
    const { body } = await this.#call('removeProduct', { options });
    return body.product;
  }

  /** Orders of every account that the product has not answered, those that have waited longest first. */
  async listOrdersNeedingAttention(
    query?: ListOrdersNeedingAttentionQuery,
    options?: CallOptions,
  ): Promise<FoundPage<OrderNeedingAttention>> {
    return (await this.#call('listOrdersNeedingAttention', { query, options })).body;
  }

  /** All of them, page after page. */
  eachOrderNeedingAttention(options?: CallOptions): AsyncGenerator<OrderNeedingAttention> {
    const limit = walkedPageItems;
    return eachFound((cursor) => this.listOrdersNeedingAttention({ cursor, limit }, options));
  }

  /**
   * Completes an order that is pending, in the product's place. One that is completed already is returned.
   * Errors: order_not_found, order_already_settled (it has failed), order_failed (its account is halted).
   */
  async acceptOrder(orderId: number, options?: KeyedCallOptions): Promise<Order> {
    const { body } = await this.#call('acceptOrder', { id: orderId, options });
    return body.order;
  }

  /**
   * Fails an order that is pending, in the product's place: what was charged is given back. One that has failed already is
   * returned.
   * Errors: order_not_found, order_already_settled (it is completed), order_failed, validation_failed.
   */
  async failOrder(orderId: number, body: FailOrderBody, options?: KeyedCallOptions): Promise<Order> {
    const answer = await this.#call('failOrder', { id: orderId, body, options });
    return answer.body.order;
  }

  /** Calls that the product has not taken: those that need attention, or with `status` those that fail now or wait. */
  async listProductCalls(
    query?: ListProductCallsQuery,
    options?: CallOptions,
  ): Promise<FoundPage<ProductCall>> {
    return (await this.#call('listProductCalls', { query, options })).body;
  }

  /** All of them, page after page. */
  eachProductCall(
    query?: Pick<ListProductCallsQuery, 'status'>,
    options?: CallOptions,
  ): AsyncGenerator<ProductCall> {
    const limit = walkedPageItems;
    return eachFound((cursor) => this.listProductCalls({ ...query, cursor, limit }, options));
  }

  /**
   * Sends all calls that need attention again, at most 10,000; `more` says whether others are left.
   * Errors: product_not_set, idempotency_conflict.
   */
  async sendAllProductCallsAgain(options?: KeyedCallOptions): Promise<SendAllProductCallsAgainAnswer> {
    return (await this.#call('sendAllProductCallsAgain', { options })).body;
  }

  /**
   * Sends a call again, now. One that is over is returned as it is.
   * Errors: product_call_not_found, product_not_set, idempotency_conflict.
   */
  async sendProductCallAgain(callId: string, options?: KeyedCallOptions): Promise<ProductCall> {
    const { body } = await this.#call('sendProductCallAgain', { id: callId, options });
    return body.call;
  }

  /**
   * Closes a call whose content you have set up in the product by hand: it is not sent any more.
   * Errors: product_call_not_found, product_call_decides_order, idempotency_conflict.
   */
  async closeProductCall(callId: string, options?: KeyedCallOptions): Promise<ProductCall> {
    const { body } = await this.#call('closeProductCall', { id: callId, options });
    return body.call;
  }

  // ---- customers, audit, books

  /** Suspends a customer, or lifts the suspension. Errors: customer_not_found, validation_failed. */
  async changeCustomer(
    customerId: number,
    body: ChangeCustomerBody,
    options?: CallOptions,
  ): Promise<Customer> {
    const answer = await this.#call('changeCustomer', { id: customerId, body, options });
    return answer.body.customer;
  }

  /**
   * Cancels the plan of a customer of any account, by the rules of the account's own cancel: what is unused goes to the
   * account's balance. Errors: customer_not_found, order_failed, idempotency_conflict, invalid_idempotency_key,
   * validation_failed.
   */
  async cancelPlanOfCustomer(
    customerId: number,
    body: CancelPlanOfCustomerBody,
    options?: KeyedCallOptions,
  ): Promise<CancelledPlanOfCustomer> {
    const answer = await this.#call('cancelPlanOfCustomer', { id: customerId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /**
   * Replaces the running plan of a customer of any account by one of another package: an order of the account, at its price and
   * from its balance. Errors: customer_not_found, invalid_package, package_unavailable, invalid_months, order_failed,
   * price_changed, insufficient_credit, idempotency_conflict, invalid_idempotency_key.
   */
  async changePackageOfCustomer(
    customerId: number,
    body: ChangePackageOfCustomerBody,
    options?: KeyedCallOptions,
  ): Promise<ChangedPackageOfCustomer> {
    const answer = await this.#call('changePackageOfCustomer', { id: customerId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** A login link for a customer of any account: works once, for a short time. Errors: customer_not_found. */
  async createLoginLinkOfCustomer(
    customerId: number,
    options?: CallOptions,
  ): Promise<CreateLoginLinkOfCustomerAnswer> {
    return (await this.#call('createLoginLinkOfCustomer', { id: customerId, options })).body;
  }

  /** The events of all accounts behind `after`, in one order; waits for them for up to `wait` seconds. Errors: events_gone (410). */
  async readAllEvents(query?: ReadAllEventsQuery, options?: CallOptions): Promise<ReadAllEventsAnswer> {
    return (await this.#call('readAllEvents', { query, options })).body;
  }

  /** Every event of every account, for ever: as `client.listEvents`. */
  listEvents(query?: EventQuery, options?: CallOptions): AsyncGenerator<KnownEvent> {
    return followEvents((page, each) => this.readAllEvents(page, each), query ?? {}, options);
  }

  /** Errors: event_not_found. */
  async getEventOfAnyAccount(eventId: number, options?: CallOptions): Promise<AccountEvent> {
    return (await this.#call('getEventOfAnyAccount', { id: eventId, options })).body.event;
  }

  /** Your endpoints for the events of all accounts, the oldest first. */
  async listOperatorWebhooks(options?: CallOptions): Promise<Webhook[]> {
    return (await this.#call('listOperatorWebhooks', { options })).body.data;
  }

  /**
   * `secret` is shown once: null where this repeats an earlier call. Verify what arrives with `verifyWebhook`.
   * Errors: validation_failed, too_many_webhooks, idempotency_conflict (409).
   */
  async createOperatorWebhook(
    body: CreateOperatorWebhookBody,
    options?: KeyedCallOptions,
  ): Promise<OperatorWebhookWithSecret> {
    const answer = await this.#call('createOperatorWebhook', { body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** Errors: webhook_not_found. */
  async getOperatorWebhook(webhookId: number, options?: CallOptions): Promise<Webhook> {
    return (await this.#call('getOperatorWebhook', { id: webhookId, options })).body.webhook;
  }

  /** What is left out stays as it is. Errors: webhook_not_found, validation_failed, idempotency_conflict (409). */
  async changeOperatorWebhook(
    webhookId: number,
    body: ChangeOperatorWebhookBody,
    options?: KeyedCallOptions,
  ): Promise<Webhook> {
    return (await this.#call('changeOperatorWebhook', { id: webhookId, body, options })).body.webhook;
  }

  /** Errors: webhook_not_found. */
  async deleteOperatorWebhook(
    webhookId: number,
    options?: KeyedCallOptions,
  ): Promise<DeleteOperatorWebhookAnswer> {
    return (await this.#call('deleteOperatorWebhook', { id: webhookId, options })).body;
  }

  /** Errors: webhook_not_found. */
  async testOperatorWebhook(webhookId: number, options?: CallOptions): Promise<TestOperatorWebhookAnswer> {
    return (await this.#call('testOperatorWebhook', { id: webhookId, options })).body;
  }

  /** `secret` is shown once, as that of createOperatorWebhook. Errors: webhook_not_found, idempotency_conflict (409). */
  async rotateOperatorWebhookSecret(
    webhookId: number,
    body?: RotateOperatorWebhookSecretBody,
    options?: KeyedCallOptions,
  ): Promise<OperatorWebhookWithSecret> {
    const answer = await this.#call('rotateOperatorWebhookSecret', {
      id: webhookId,
      body: body ?? {},
      options,
    });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** A page of attempts, newest first. Errors: webhook_not_found, invalid_filter, invalid_cursor. */
  async listOperatorWebhookDeliveries(
    webhookId: number,
    query?: ListOperatorWebhookDeliveriesQuery,
    options?: CallOptions,
  ): Promise<ListOperatorWebhookDeliveriesAnswer> {
    return (await this.#call('listOperatorWebhookDeliveries', { id: webhookId, query, options })).body;
  }

  /** All of them, newest first. */
  eachOperatorWebhookDelivery(
    webhookId: number,
    filter?: Pick<ListOperatorWebhookDeliveriesQuery, 'status'>,
    options?: CallOptions,
  ): AsyncGenerator<Delivery> {
    return eachFound((cursor) =>
      this.listOperatorWebhookDeliveries(webhookId, { ...filter, cursor, limit: walkedPageItems }, options),
    );
  }

  /** Errors: webhook_not_found, event_not_found. */
  async redeliverToOperatorWebhook(
    webhookId: number,
    eventId: number,
    options?: KeyedCallOptions,
  ): Promise<Webhook> {
    const ids = { id: webhookId, inner: eventId };
    return (await this.#call('redeliverToOperatorWebhook', { ...ids, options })).body.webhook;
  }

  /** Errors: webhook_not_found, event_not_found, validation_failed. */
  async redeliverSinceToOperatorWebhook(
    webhookId: number,
    body: RedeliverSinceToOperatorWebhookBody,
    options?: KeyedCallOptions,
  ): Promise<Webhook> {
    return (await this.#call('redeliverSinceToOperatorWebhook', { id: webhookId, body, options })).body
      .webhook;
  }

  /** One page of the audit log, newest first. */
  async listAudit(query?: ListAuditQuery, options?: CallOptions): Promise<Page<AuditEntry>> {
    return (await this.#call('listAudit', { query, options })).body;
  }

  /** The whole audit log, newest first, page after page. */
  eachAuditEntry(options?: CallOptions): AsyncGenerator<AuditEntry> {
    return eachOf((page) => this.listAudit({ page, limit: walkedPageItems }, options));
  }

  /** Adds up every ledger again. For a large database raise both `timeoutMs` and `totalTimeoutMs`. */
  async verify(options?: CallOptions): Promise<VerifyReport> {
    return (await this.#call('verify', { options })).body;
  }

  /**
   * Tells your product which customer came with a one-time code of a login link. A code works once: after a lost
   * connection it is not sent again by itself; let the customer open a new link. Errors: customer_not_found.
   */
  async exchangeLoginCode(body: ExchangeLoginCodeBody, options?: CallOptions): Promise<Customer> {
    const answer = await this.#call('exchangeLoginCode', { body, options });
    return answer.body.customer;
  }
}
