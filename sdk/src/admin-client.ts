// The administrator's API, as `client.admin`. It needs an administrator's key. There is one method for each operation,
// named as in openapi.json. Lists are newest first unless stated; the methods each…() read all pages.

import type {
  Account,
  AccountEvent,
  AccountPriceList,
  AdminPackage,
  ApiKey,
  AssignBankLineBody,
  AuditEntry,
  BankLine,
  Brand,
  Business,
  BusinessForecast,
  BusinessOfAccounts,
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
  CloseAccountAnswer,
  CloseAccountBody,
  Cohorts,
  CountRunningPlansAnswer,
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
  DismissPaymentProblemBody,
  EndAccountSessionsAnswer,
  ExchangeLoginCodeBody,
  ExportCustomerOfAccountAnswer,
  FailOrderBody,
  GetBusinessForecastQuery,
  GetBusinessOfAccountsQuery,
  GetCohortsOfAccountsQuery,
  GrantTrialBody,
  IgnoreBankLineBody,
  ImportBankStatementAnswer,
  ImportBankStatementBody,
  InvitePersonAnswer,
  InvitePersonBody,
  KnownEvent,
  LedgerEntry,
  Limit,
  ListAccountCustomersQuery,
  ListAccountLedgerQuery,
  ListAccountOrdersQuery,
  ListAccountPricesAnswer,
  ListAccountsQuery,
  ListAllOrdersQuery,
  ListAllTopupsQuery,
  ListAuditQuery,
  ListBankLinesQuery,
  ListBusinessOfAccountsQuery,
  ListedOrder,
  ListedTopup,
  ListOperatorWebhookDeliveriesAnswer,
  ListOperatorWebhookDeliveriesQuery,
  ListOrdersNeedingAttentionQuery,
  ListProductCallsQuery,
  ListWhoPaysOtherwiseAnswer,
  Order,
  OrderNeedingAttention,
  PaymentProblem,
  Payments,
  Person,
  Product,
  ProductCall,
  ReadAllEventsAnswer,
  ReadAllEventsQuery,
  Receivable,
  RedeliverSinceToOperatorWebhookBody,
  RefundTopupAnswer,
  RefundTopupBody,
  RemovePersonAnswer,
  RenewInvitationAnswer,
  ResetApiKeyAnswer,
  Retention,
  RevokeAccountKeyAnswer,
  RotateAccountKeyBody,
  RotateOperatorWebhookSecretBody,
  ScheduledPrices,
  SchedulePricesBody,
  SendAllProductCallsAgainAnswer,
  SetAccountPricesBody,
  SetBrandBody,
  SetBrandLogoBody,
  SetLimitBody,
  SetPaymentsBody,
  SetProductBody,
  SetRetentionBody,
  TestOperatorWebhookAnswer,
  UnschedulePricesQuery,
  VerifyReport,
  Webhook,
  WriteOffReceivableAnswer,
  WriteOffReceivableBody,
} from './api-types.ts';
import { type EventQuery, followEvents } from './event-feed.ts';
import type { CallOperation } from './operation-caller.ts';
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
import type { CallOptions, KeyedCallOptions } from './transport.ts';

export interface PageQuery {
  page?: number | undefined;
  /** 1 to 100, default 25. */
  limit?: number | undefined;
}

/** The maximum page size, used by the methods that read a whole list. */
export const walkedPageItems = 100;

export type Credited = CreditAccountAnswer & {
  /** True if the key was used before: this is the first answer again, and no money moved. */
  replayed: boolean;
};

export type WrittenOff = WriteOffReceivableAnswer & {
  /** True if the key was used before: this is the first answer again. */
  replayed: boolean;
};

export type ClosedAccount = CloseAccountAnswer & {
  /** True if the key was used before: this is the first answer again. */
  replayed: boolean;
};

export type CancelledPlanOfCustomer = CancelPlanOfCustomerAnswer & {
  replayed: boolean;
};

export type ChangedPackageOfCustomer = ChangePackageOfCustomerAnswer & {
  replayed: boolean;
};

export type KeyWithSecret = CreateAccountKeyAnswer & {
  replayed: boolean;
};

export type OperatorWebhookWithSecret = CreateOperatorWebhookAnswer & {
  replayed: boolean;
};

export class AdminClient {
  readonly #call: CallOperation;

  /** Only the client itself calls this. */
  constructor(call: CallOperation) {
    this.#call = call;
  }

  // ---- accounts

  /**
   * The answer shows the API key, and the password unless you chose one, only this once. The call takes no idempotency key,
   * so it is not retried after a lost connection: check listAccounts. Errors: username_taken, validation_failed.
   */
  async createAccount(body: CreateAccountBody, options?: CallOptions): Promise<CreateAccountAnswer> {
    return (await this.#call('createAccount', { body, options })).body;
  }

  /** `q` matches part of a username or display name. */
  async listAccounts(query?: ListAccountsQuery, options?: CallOptions): Promise<Page<Account>> {
    return (await this.#call('listAccounts', { query, options })).body;
  }

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
   * Changes the given fields; `{ blocked: true }` blocks the account. Changes apply from the account's next request.
   * Errors: account_not_found, validation_failed, last_administrator.
   */
  async changeAccount(accountId: number, body: ChangeAccountBody, options?: CallOptions): Promise<Account> {
    const answer = await this.#call('changeAccount', { id: accountId, body, options });
    return answer.body.account;
  }

  /**
   * Credits the account. A negative amount debits: `{ amount: '-5.00', memo: 'invoice 7' }`. Retries use the same
   * idempotency key, so money moves only once. Errors: account_not_found, insufficient_credit (422, a debit below zero),
   * idempotency_conflict, validation_failed.
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
   * Closes the account for good: its balance leaves, its keys are revoked, its people cannot sign in any more. Also takes the
   * scope admin:credit. Errors: account_not_found, account_not_closable (`details.reason` says what is open),
   * idempotency_conflict, validation_failed.
   */
  async closeAccount(
    accountId: number,
    body: CloseAccountBody,
    options?: KeyedCallOptions,
  ): Promise<ClosedAccount> {
    const answer = await this.#call('closeAccount', { id: accountId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** The business by month, of all accounts or of one. Errors: account_not_found, invalid_filter. */
  async getBusinessOfAccounts(query?: GetBusinessOfAccountsQuery, options?: CallOptions): Promise<Business> {
    return (await this.#call('getBusinessOfAccounts', { query, options })).body;
  }

  /** Customers by the month of their first order. Errors: account_not_found, invalid_filter. */
  async getCohortsOfAccounts(query?: GetCohortsOfAccountsQuery, options?: CallOptions): Promise<Cohorts> {
    return (await this.#call('getCohortsOfAccounts', { query, options })).body;
  }

  /** The renewals of the next 90 days at last prices. Errors: account_not_found, invalid_filter. */
  async getBusinessForecast(
    query?: GetBusinessForecastQuery,
    options?: CallOptions,
  ): Promise<BusinessForecast> {
    return (await this.#call('getBusinessForecast', { query, options })).body;
  }

  /** Accounts with their MRR, or those whose balance runs out, the soonest first. Errors: invalid_filter. */
  async listBusinessOfAccounts(
    query?: ListBusinessOfAccountsQuery,
    options?: CallOptions,
  ): Promise<BusinessOfAccounts> {
    return (await this.#call('listBusinessOfAccounts', { query, options })).body;
  }

  /** Accounts that owe money, the most first. */
  async listReceivables(query?: PageQuery, options?: CallOptions): Promise<Page<Receivable>> {
    return (await this.#call('listReceivables', { query, options })).body;
  }

  eachReceivable(options?: CallOptions): AsyncGenerator<Receivable> {
    return eachOf((page) => this.listReceivables({ page, limit: walkedPageItems }, options));
  }

  /**
   * Writes off what the account owes: all of it, or `amount`. Moves no money. Retries use the same idempotency key. Errors:
   * account_not_found, validation_failed (more than is owed), idempotency_conflict.
   */
  async writeOffReceivable(
    accountId: number,
    body: WriteOffReceivableBody,
    options?: KeyedCallOptions,
  ): Promise<WrittenOff> {
    const answer = await this.#call('writeOffReceivable', { id: accountId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /**
   * Replaces the API key; the old one stops working. The call takes no idempotency key, so it is not retried after a lost
   * connection, although the old key may then be dead. Errors: account_not_found.
   */
  async resetApiKey(accountId: number, options?: CallOptions): Promise<ResetApiKeyAnswer> {
    return (await this.#call('resetApiKey', { id: accountId, options })).body;
  }

  /** Keys that are not revoked, oldest first, without secrets. Errors: account_not_found. */
  async listAccountKeys(accountId: number, options?: CallOptions): Promise<ApiKey[]> {
    return (await this.#call('listAccountKeys', { id: accountId, options })).body.data;
  }

  /**
   * For example `{ name: 'Shop', scopes: ['orders:write'] }`. `api_key` is shown once; a replay has null. Errors:
   * account_not_found, too_many_keys, validation_failed, idempotency_conflict (409).
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
   * Changes the given fields. Changes apply from the key's next request. Errors: account_not_found, key_not_found,
   * first_key, validation_failed, idempotency_conflict (409).
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
   * Replaces the key's secret. The old one works for `overlap_hours` more (default 0). `api_key` is shown once; a replay
   * has null. Errors: account_not_found, key_not_found, validation_failed, idempotency_conflict (409).
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

  /** Takes effect at once. Errors: account_not_found, key_not_found, first_key, idempotency_conflict (409). */
  async revokeAccountKey(
    accountId: number,
    keyId: number,
    options?: KeyedCallOptions,
  ): Promise<RevokeAccountKeyAnswer> {
    const ids = { id: accountId, inner: keyId };
    return (await this.#call('revokeAccountKey', { ...ids, options })).body;
  }

  /** Signs everyone out of the account's panel. Passwords and keys stay. Errors: account_not_found. */
  async endAccountSessions(accountId: number, options?: CallOptions): Promise<EndAccountSessionsAnswer> {
    return (await this.#call('endAccountSessions', { id: accountId, options })).body;
  }

  /** Everyone who can sign in for the account or has an invitation. Errors: account_not_found. */
  async listPeople(accountId: number, options?: CallOptions): Promise<Person[]> {
    return (await this.#call('listPeople', { id: accountId, options })).body.data;
  }

  /**
   * `invitation.url` is shown once and works once. A replay has null: then call renewInvitation. Errors: account_not_found,
   * username_taken, too_many_people, validation_failed, idempotency_conflict (409).
   */
  async invitePerson(
    accountId: number,
    body: InvitePersonBody,
    options?: KeyedCallOptions,
  ): Promise<InvitePersonAnswer> {
    return (await this.#call('invitePerson', { id: accountId, body, options })).body;
  }

  /**
   * Makes a new link for a person without a password. Earlier links stop working. Errors: account_not_found,
   * person_not_found, invitation_used, idempotency_conflict (409).
   */
  async renewInvitation(
    accountId: number,
    personId: number,
    options?: KeyedCallOptions,
  ): Promise<RenewInvitationAnswer> {
    return (await this.#call('renewInvitation', { id: accountId, inner: personId, options })).body;
  }

  /**
   * Changes the role or the e-mail. Errors: account_not_found, person_not_found, last_owner, validation_failed,
   * idempotency_conflict (409).
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

  /** From their next request. Errors: account_not_found, person_not_found, last_owner, idempotency_conflict (409). */
  async removePerson(
    accountId: number,
    personId: number,
    options?: KeyedCallOptions,
  ): Promise<RemovePersonAnswer> {
    return (await this.#call('removePerson', { id: accountId, inner: personId, options })).body;
  }

  /**
   * Gives a customer, created if absent, a free trial without a charge or an order. Retries never give it twice. A second
   * trial of the package needs `again: true`. Errors: account_not_found, invalid_package, package_unavailable,
   * invalid_customer, customer_not_yours, trial_already_granted (409), order_failed (`plan_running`), idempotency_conflict
   * (409).
   */
  async grantTrial(accountId: number, body: GrantTrialBody, options?: KeyedCallOptions): Promise<Customer> {
    const answer = await this.#call('grantTrial', { id: accountId, body, options });
    return answer.body.customer;
  }

  // ---- what an account has done

  /** Charges and debits are negative. */
  async listAccountLedger(
    accountId: number,
    query?: PageQuery,
    options?: CallOptions,
  ): Promise<Page<LedgerEntry>> {
    return numberedPage((await this.#call('listAccountLedger', { id: accountId, query, options })).body);
  }

  eachAccountLedgerEntry(accountId: number, options?: CallOptions): AsyncGenerator<LedgerEntry> {
    return eachOf((page) => this.listAccountLedger(accountId, { page, limit: walkedPageItems }, options));
  }

  /** One page of the entries that match the query. Errors: invalid_filter, invalid_cursor. */
  async findAccountLedgerEntries(
    accountId: number,
    query: Found<ListAccountLedgerQuery>,
    options?: CallOptions,
  ): Promise<FoundPage<LedgerEntry>> {
    const sent = { ...query, cursor: query.cursor ?? '' };
    return foundPage((await this.#call('listAccountLedger', { id: accountId, query: sent, options })).body);
  }

  /** All entries that match the filter, from all pages. */
  eachFoundAccountLedgerEntry(
    accountId: number,
    filter: Filter<ListAccountLedgerQuery>,
    options?: CallOptions,
  ): AsyncGenerator<LedgerEntry> {
    return eachFound((cursor) =>
      this.findAccountLedgerEntries(accountId, { ...filter, cursor, limit: walkedPageItems }, options),
    );
  }

  async listAccountOrders(accountId: number, query?: PageQuery, options?: CallOptions): Promise<Page<Order>> {
    return numberedPage((await this.#call('listAccountOrders', { id: accountId, query, options })).body);
  }

  eachAccountOrder(accountId: number, options?: CallOptions): AsyncGenerator<Order> {
    return eachOf((page) => this.listAccountOrders(accountId, { page, limit: walkedPageItems }, options));
  }

  /** One page of the orders that match the query. Errors: invalid_filter, invalid_cursor. */
  async findAccountOrders(
    accountId: number,
    query: Found<ListAccountOrdersQuery>,
    options?: CallOptions,
  ): Promise<FoundPage<Order>> {
    const sent = { ...query, cursor: query.cursor ?? '' };
    return foundPage((await this.#call('listAccountOrders', { id: accountId, query: sent, options })).body);
  }

  /** All orders that match the filter, from all pages. */
  eachFoundAccountOrder(
    accountId: number,
    filter: Filter<ListAccountOrdersQuery>,
    options?: CallOptions,
  ): AsyncGenerator<Order> {
    return eachFound((cursor) =>
      this.findAccountOrders(accountId, { ...filter, cursor, limit: walkedPageItems }, options),
    );
  }

  async listAccountCustomers(
    accountId: number,
    query?: PageQuery,
    options?: CallOptions,
  ): Promise<Page<Customer>> {
    return numberedPage((await this.#call('listAccountCustomers', { id: accountId, query, options })).body);
  }

  eachAccountCustomer(accountId: number, options?: CallOptions): AsyncGenerator<Customer> {
    return eachOf((page) => this.listAccountCustomers(accountId, { page, limit: walkedPageItems }, options));
  }

  /** One page of the customers that match the query. Errors: invalid_filter, invalid_cursor. */
  async findAccountCustomers(
    accountId: number,
    query: Found<ListAccountCustomersQuery>,
    options?: CallOptions,
  ): Promise<FoundPage<Customer>> {
    const sent = { ...query, cursor: query.cursor ?? '' };
    return foundPage(
      (await this.#call('listAccountCustomers', { id: accountId, query: sent, options })).body,
    );
  }

  /** All customers that match the filter, from all pages. */
  eachFoundAccountCustomer(
    accountId: number,
    filter: Filter<ListAccountCustomersQuery>,
    options?: CallOptions,
  ): AsyncGenerator<Customer> {
    return eachFound((cursor) =>
      this.findAccountCustomers(accountId, { ...filter, cursor, limit: walkedPageItems }, options),
    );
  }

  // ---- packages

  /** All packages with the prices of both groups, including retired ones and trials. */
  async listAllPackages(options?: CallOptions): Promise<AdminPackage[]> {
    const { body } = await this.#call('listAllPackages', { options });
    return body.data;
  }

  /**
   * Needs six `prices`, unless the package is a trial. Retries never create it twice. Errors: validation_failed,
   * idempotency_conflict (409).
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

  /** `{ retired: true }` retires it. New prices apply to new orders. Errors: package_not_found, validation_failed. */
  async changePackage(
    packageId: number,
    body: ChangePackageBody,
    options?: CallOptions,
  ): Promise<AdminPackage> {
    const answer = await this.#call('changePackage', { id: packageId, body, options });
    return answer.body.package;
  }

  /**
   * Schedules prices from the time `from` on; prices that are not given stay as they are. Repeating the call is safe,
   * because package and time identify the change, but it is not retried after a lost connection. Errors: package_not_found,
   * package_unavailable, price_already_scheduled, validation_failed.
   */
  async schedulePrices(
    packageId: number,
    body: SchedulePricesBody,
    options?: CallOptions,
  ): Promise<ScheduledPrices> {
    const answer = await this.#call('schedulePrices', { id: packageId, body, options });
    return answer.body.price;
  }

  /** Scheduled prices, latest first, followed by the last 100 that took effect. Errors: package_not_found. */
  async listScheduledPrices(packageId: number, options?: CallOptions): Promise<ScheduledPrices[]> {
    const { body } = await this.#call('listScheduledPrices', { id: packageId, options });
    return body.data;
  }

  /** Errors: package_not_found, price_not_found (also if deleted before), price_has_begun. */
  async unschedulePrices(
    packageId: number,
    query: UnschedulePricesQuery,
    options?: CallOptions,
  ): Promise<ScheduledPrices> {
    const { body } = await this.#call('unschedulePrices', { id: packageId, query, options });
    return body.price;
  }

  /** Accounts that pay another price for the package than their group, at most 500. Errors: package_not_found. */
  async listWhoPaysOtherwise(
    packageId: number,
    options?: CallOptions,
  ): Promise<ListWhoPaysOtherwiseAnswer['data']> {
    return (await this.#call('listWhoPaysOtherwise', { id: packageId, options })).body.data;
  }

  /** Counts running plans by price group and period, with their monthly revenue. Errors: package_not_found. */
  async countRunningPlans(
    packageId: number,
    options?: CallOptions,
  ): Promise<CountRunningPlansAnswer['data']> {
    return (await this.#call('countRunningPlans', { id: packageId, options })).body.data;
  }

  /** The account's price lists, latest first, and what it pays now. Errors: account_not_found. */
  async listAccountPrices(accountId: number, options?: CallOptions): Promise<ListAccountPricesAnswer> {
    return (await this.#call('listAccountPrices', { id: accountId, options })).body;
  }

  /**
   * Sets prices of one account from the time `from` on, or from now. Repeating the call is safe. Errors: account_not_found,
   * price_already_scheduled, validation_failed.
   */
  async setAccountPrices(
    accountId: number,
    body: SetAccountPricesBody,
    options?: CallOptions,
  ): Promise<AccountPriceList> {
    const answer = await this.#call('setAccountPrices', { id: accountId, body, options });
    return answer.body.price_list;
  }

  /** Deletes a price list that has not begun. Errors: account_not_found, price_not_found, price_has_begun. */
  async deleteAccountPrices(
    accountId: number,
    listId: number,
    options?: CallOptions,
  ): Promise<AccountPriceList> {
    const { body } = await this.#call('deleteAccountPrices', { id: accountId, inner: listId, options });
    return body.price_list;
  }

  /** The limits that packages can have, in the operator's order. */
  async listDefinedLimits(options?: CallOptions): Promise<Limit[]> {
    const { body } = await this.#call('listDefinedLimits', { options });
    return body.data;
  }

  /** Creates or changes a limit; may be repeated. Errors: validation_failed, limit_in_use, too_many_limits (409). */
  async setLimit(key: string, body: SetLimitBody, options?: CallOptions): Promise<Limit> {
    const answer = await this.#call('setLimit', { id: key, body, options });
    return answer.body.limit;
  }

  /** Errors: limit_not_found (also if deleted before), limit_in_use (409). */
  async deleteLimit(key: string, options?: CallOptions): Promise<Limit> {
    const { body } = await this.#call('deleteLimit', { id: key, options });
    return body.limit;
  }

  // ---- the brand

  /** The operator's name, logo, color, letterhead and support address. */
  async getBrand(options?: CallOptions): Promise<Brand> {
    const { body } = await this.#call('getBrand', { options });
    return body.brand;
  }

  /** Replaces the whole brand except the logo: on pages, in mails and on documents. Errors: validation_failed. */
  async setBrand(body: SetBrandBody, options?: CallOptions): Promise<Brand> {
    const answer = await this.#call('setBrand', { body, options });
    return answer.body.brand;
  }

  /** `data` is a PNG or JPEG in base64, at most 256 KiB. Errors: validation_failed. */
  async setBrandLogo(body: SetBrandLogoBody, options?: CallOptions): Promise<Brand> {
    const answer = await this.#call('setBrandLogo', { body, options });
    return answer.body.brand;
  }

  async removeBrandLogo(options?: CallOptions): Promise<Brand> {
    const { body } = await this.#call('removeBrandLogo', { options });
    return body.brand;
  }

  // ---- how long data is kept

  async getRetention(options?: CallOptions): Promise<Retention> {
    const { body } = await this.#call('getRetention', { options });
    return body.retention;
  }

  /**
   * Fields that are left out stay as they are. A shorter time deletes older data within the hour. closed_account_days also
   * takes the scope admin:accounts. Errors: validation_failed.
   */
  async setRetention(body: SetRetentionBody, options?: CallOptions): Promise<Retention> {
    const answer = await this.#call('setRetention', { body, options });
    return answer.body.retention;
  }

  // ---- the product

  /** The product that receives the orders, without its secret. */
  async getProduct(options?: CallOptions): Promise<Product> {
    const { body } = await this.#call('getProduct', { options });
    return body.product;
  }

  /** `mode` is `notify` or `confirm`. `secret` (`whsec_…`) may be omitted once it is set. Errors: validation_failed. */
  async setProduct(body: SetProductBody, options?: CallOptions): Promise<Product> {
    const answer = await this.#call('setProduct', { body, options });
    return answer.body.product;
  }

  /** Stops sending orders to a product. Pending orders then need attention. */
  async removeProduct(options?: CallOptions): Promise<Product> {
    const { body } = await this.#call('removeProduct', { options });
    return body.product;
  }

  /** How accounts pay in, without the provider's secrets. */
  async getPayments(options?: CallOptions): Promise<Payments> {
    const { body } = await this.#call('getPayments', { options });
    return body.payments;
  }

  /**
   * Replaces all of it: a method that is left out is removed. Secrets may be omitted once they are set. Errors:
   * validation_failed.
   */
  async setPayments(body: SetPaymentsBody, options?: CallOptions): Promise<Payments> {
    const answer = await this.#call('setPayments', { body, options });
    return answer.body.payments;
  }

  /**
   * Books the lines of a bank file, given in base64. A line is booked once, however often files overlap, so a call may be
   * repeated. CSV files need the names of their columns. Errors: bank_file_refused, payment_method_off.
   */
  async importBankStatement(
    body: ImportBankStatementBody,
    options?: CallOptions,
  ): Promise<ImportBankStatementAnswer['lines']> {
    const answer = await this.#call('importBankStatement', { body, options });
    return answer.body.lines;
  }

  /** For example `{ status: 'unmatched' }`: lines that wait for a decision. */
  async listBankLines(query?: ListBankLinesQuery, options?: CallOptions): Promise<Page<BankLine>> {
    return (await this.#call('listBankLines', { query, options })).body;
  }

  eachBankLine(query?: Pick<ListBankLinesQuery, 'status'>, options?: CallOptions): AsyncGenerator<BankLine> {
    return eachOf((page) => this.listBankLines({ ...query, page, limit: walkedPageItems }, options));
  }

  /**
   * Credits the account, or takes back its payment if the line is negative. Errors: bank_line_not_found, account_not_found,
   * bank_line_settled, topup_not_found (no payment of this amount).
   */
  async assignBankLine(id: number, body: AssignBankLineBody, options?: CallOptions): Promise<BankLine> {
    const answer = await this.#call('assignBankLine', { id, body, options });
    return answer.body.line;
  }

  /** Leaves the line out. It can still be assigned later. Errors: bank_line_not_found, bank_line_settled. */
  async ignoreBankLine(id: number, body?: IgnoreBankLineBody, options?: CallOptions): Promise<BankLine> {
    const answer = await this.#call('ignoreBankLine', { id, body: body ?? {}, options });
    return answer.body.line;
  }

  /** Orders of all accounts that the product has not answered, longest waiting first. */
  async listOrdersNeedingAttention(
    query?: ListOrdersNeedingAttentionQuery,
    options?: CallOptions,
  ): Promise<FoundPage<OrderNeedingAttention>> {
    return (await this.#call('listOrdersNeedingAttention', { query, options })).body;
  }

  eachOrderNeedingAttention(options?: CallOptions): AsyncGenerator<OrderNeedingAttention> {
    const limit = walkedPageItems;
    return eachFound((cursor) => this.listOrdersNeedingAttention({ cursor, limit }, options));
  }

  /**
   * Completes a pending order in the product's place. Returns an already completed order unchanged. Errors:
   * order_not_found, order_already_settled (it failed), order_failed (its account is halted).
   */
  async acceptOrder(orderId: number, options?: KeyedCallOptions): Promise<Order> {
    const { body } = await this.#call('acceptOrder', { id: orderId, options });
    return body.order;
  }

  /**
   * Fails a pending order in the product's place and refunds it. Returns an order that already failed unchanged. Errors:
   * order_not_found, order_already_settled (the order is completed), order_failed, validation_failed.
   */
  async failOrder(orderId: number, body: FailOrderBody, options?: KeyedCallOptions): Promise<Order> {
    const answer = await this.#call('failOrder', { id: orderId, body, options });
    return answer.body.order;
  }

  /** Newest first, without those of tests. Errors: invalid_filter, invalid_cursor. */
  async listAllOrders(query?: ListAllOrdersQuery, options?: CallOptions): Promise<FoundPage<ListedOrder>> {
    return (await this.#call('listAllOrders', { query, options })).body;
  }

  eachOfAllOrders(
    filter?: Omit<ListAllOrdersQuery, 'cursor' | 'limit'>,
    options?: CallOptions,
  ): AsyncGenerator<ListedOrder> {
    const limit = walkedPageItems;
    return eachFound((cursor) => this.listAllOrders({ ...filter, cursor, limit }, options));
  }

  /** Newest first. Errors: invalid_filter, invalid_cursor. */
  async listAllTopups(query?: ListAllTopupsQuery, options?: CallOptions): Promise<FoundPage<ListedTopup>> {
    return (await this.#call('listAllTopups', { query, options })).body;
  }

  eachOfAllTopups(
    filter?: Omit<ListAllTopupsQuery, 'cursor' | 'limit'>,
    options?: CallOptions,
  ): AsyncGenerator<ListedTopup> {
    const limit = walkedPageItems;
    return eachFound((cursor) => this.listAllTopups({ ...filter, cursor, limit }, options));
  }

  /**
   * Takes the amount from the balance and has the provider send it back. Errors: topup_not_found, refund_too_large,
   * insufficient_credit (422), order_failed (422), idempotency_conflict (409).
   */
  async refundTopup(
    topupId: number,
    body: RefundTopupBody,
    options?: KeyedCallOptions,
  ): Promise<RefundTopupAnswer> {
    return (await this.#call('refundTopup', { id: topupId, body, options })).body;
  }

  /** Money that came or went at the provider and could not be booked, oldest first. */
  async listPaymentProblems(options?: CallOptions): Promise<PaymentProblem[]> {
    return (await this.#call('listPaymentProblems', { options })).body.data;
  }

  /** Books nothing. Errors: payment_problem_not_found. */
  async dismissPaymentProblem(
    problemId: number,
    body: DismissPaymentProblemBody,
    options?: KeyedCallOptions,
  ): Promise<PaymentProblem> {
    return (await this.#call('dismissPaymentProblem', { id: problemId, body, options })).body.problem;
  }

  /** Calls that ran out of attempts and need attention. With `status`, calls that are failing or waiting. */
  async listProductCalls(
    query?: ListProductCallsQuery,
    options?: CallOptions,
  ): Promise<FoundPage<ProductCall>> {
    return (await this.#call('listProductCalls', { query, options })).body;
  }

  eachProductCall(
    query?: Pick<ListProductCallsQuery, 'status'>,
    options?: CallOptions,
  ): AsyncGenerator<ProductCall> {
    const limit = walkedPageItems;
    return eachFound((cursor) => this.listProductCalls({ ...query, cursor, limit }, options));
  }

  /** Sends at most 10,000 calls; `more` is true if others are left. Errors: product_not_set, idempotency_conflict. */
  async sendAllProductCallsAgain(options?: KeyedCallOptions): Promise<SendAllProductCallsAgainAnswer> {
    return (await this.#call('sendAllProductCallsAgain', { options })).body;
  }

  /** Returns a finished call unchanged. Errors: product_call_not_found, product_not_set, idempotency_conflict. */
  async sendProductCallAgain(callId: string, options?: KeyedCallOptions): Promise<ProductCall> {
    const { body } = await this.#call('sendProductCallAgain', { id: callId, options });
    return body.call;
  }

  /**
   * Marks a call as done after you applied its content in the product by hand. Errors: product_call_not_found,
   * product_call_decides_order, idempotency_conflict.
   */
  async closeProductCall(callId: string, options?: KeyedCallOptions): Promise<ProductCall> {
    const { body } = await this.#call('closeProductCall', { id: callId, options });
    return body.call;
  }

  // ---- customers, audit, books

  /** Suspends or unsuspends a customer. Errors: customer_not_found, validation_failed. */
  async changeCustomer(
    customerId: number,
    body: ChangeCustomerBody,
    options?: CallOptions,
  ): Promise<Customer> {
    const answer = await this.#call('changeCustomer', { id: customerId, body, options });
    return answer.body.customer;
  }

  /** Everything about a customer of any account. Errors: customer_not_found. */
  async exportCustomerOfAccount(
    customerId: number,
    options?: CallOptions,
  ): Promise<ExportCustomerOfAccountAnswer> {
    return (await this.#call('exportCustomerOfAccount', { id: customerId, options })).body;
  }

  /**
   * Removes what names a customer of any account, for good. Erasing again changes nothing. Errors: customer_not_found,
   * order_failed (422: `plan_running`, `order_pending`), reference_taken (409).
   */
  async eraseCustomerOfAccount(customerId: number, options?: CallOptions): Promise<Customer> {
    return (await this.#call('eraseCustomerOfAccount', { id: customerId, options })).body.customer;
  }

  /**
   * Cancels a customer's plan as the account itself could: the unused part is credited to the account. Errors:
   * customer_not_found, order_failed, idempotency_conflict, invalid_idempotency_key, validation_failed.
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
   * Replaces a customer's running plan. This is an order at the account's price, paid from its balance. Errors:
   * customer_not_found, invalid_package, package_unavailable, invalid_months, order_failed, price_changed,
   * insufficient_credit, idempotency_conflict, invalid_idempotency_key.
   */
  async changePackageOfCustomer(
    customerId: number,
    body: ChangePackageOfCustomerBody,
    options?: KeyedCallOptions,
  ): Promise<ChangedPackageOfCustomer> {
    const answer = await this.#call('changePackageOfCustomer', { id: customerId, body, options });
    return { ...answer.body, replayed: answer.replayed };
  }

  /** The link works once, for a short time. Errors: customer_not_found. */
  async createLoginLinkOfCustomer(
    customerId: number,
    options?: CallOptions,
  ): Promise<CreateLoginLinkOfCustomerAnswer> {
    return (await this.#call('createLoginLinkOfCustomer', { id: customerId, options })).body;
  }

  /** Events of all accounts after the id `after`, in order. Waits up to `wait` seconds. Errors: events_gone (410). */
  async readAllEvents(query?: ReadAllEventsQuery, options?: CallOptions): Promise<ReadAllEventsAnswer> {
    return (await this.#call('readAllEvents', { query, options })).body;
  }

  /** Every event of every account, endlessly, like `client.listEvents`. */
  listEvents(query?: EventQuery, options?: CallOptions): AsyncGenerator<KnownEvent> {
    return followEvents((page, each) => this.readAllEvents(page, each), query ?? {}, options);
  }

  /** Errors: event_not_found. */
  async getEventOfAnyAccount(eventId: number, options?: CallOptions): Promise<AccountEvent> {
    return (await this.#call('getEventOfAnyAccount', { id: eventId, options })).body.event;
  }

  /** Your endpoints for events of all accounts, oldest first. */
  async listOperatorWebhooks(options?: CallOptions): Promise<Webhook[]> {
    return (await this.#call('listOperatorWebhooks', { options })).body.data;
  }

  /**
   * `secret` is shown once; a replay has null. Verify deliveries with `verifyWebhook`. Errors: validation_failed,
   * too_many_webhooks, idempotency_conflict (409).
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

  /** Changes the given fields. Errors: webhook_not_found, validation_failed, idempotency_conflict (409). */
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

  /** `secret` is shown once; a replay has null. Errors: webhook_not_found, idempotency_conflict (409). */
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

  /** Errors: webhook_not_found, invalid_filter, invalid_cursor. */
  async listOperatorWebhookDeliveries(
    webhookId: number,
    query?: ListOperatorWebhookDeliveriesQuery,
    options?: CallOptions,
  ): Promise<ListOperatorWebhookDeliveriesAnswer> {
    return (await this.#call('listOperatorWebhookDeliveries', { id: webhookId, query, options })).body;
  }

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

  async listAudit(query?: ListAuditQuery, options?: CallOptions): Promise<Page<AuditEntry>> {
    return (await this.#call('listAudit', { query, options })).body;
  }

  eachAuditEntry(options?: CallOptions): AsyncGenerator<AuditEntry> {
    return eachOf((page) => this.listAudit({ page, limit: walkedPageItems }, options));
  }

  /** Recomputes every ledger. For a large database, raise both `timeoutMs` and `totalTimeoutMs`. */
  async verify(options?: CallOptions): Promise<VerifyReport> {
    return (await this.#call('verify', { options })).body;
  }

  /**
   * Finds the customer who came with a login link's one-time code. A code works once, so the call is not retried after a
   * lost connection: then let the customer open a new link. Errors: customer_not_found.
   */
  async exchangeLoginCode(body: ExchangeLoginCodeBody, options?: CallOptions): Promise<Customer> {
    const answer = await this.#call('exchangeLoginCode', { body, options });
    return answer.body.customer;
  }
}
