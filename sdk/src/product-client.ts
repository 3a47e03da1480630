// The product's API, as `client.product`: what customers may do. Needs a key with the scope `product`; administrators' keys
// have it. There is one method for each operation, named as in openapi.json.

import type {
  Customer,
  Entitlement,
  ExchangeCodeForCustomerBody,
  ReadEntitlementsAnswer,
  ReadEntitlementsQuery,
} from './api-types.ts';
import type { CallOperation } from './operation-caller.ts';
import type { CallOptions } from './transport.ts';

export class ProductClient {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /** What the customer with this reference may do now. Errors: customer_not_found. */
  async getEntitlement(reference: string, options?: CallOptions): Promise<Entitlement> {
    return (await this.#call('getEntitlement', { id: reference, options })).body;
  }

  /**
   * Changes after `after`, in order, to keep a local copy; without `after`, every customer first. Store `next_after` with
   * the copy. Waits up to `wait` seconds. Errors: events_gone (410): restart without `after`.
   */
  async readEntitlements(
    query?: ReadEntitlementsQuery,
    options?: CallOptions,
  ): Promise<ReadEntitlementsAnswer> {
    return (await this.#call('readEntitlements', { query, options })).body;
  }

  /** Finds the customer who opened the product with `?code=…`. Errors: customer_not_found. */
  async exchangeCodeForCustomer(body: ExchangeCodeForCustomerBody, options?: CallOptions): Promise<Customer> {
    return (await this.#call('exchangeCodeForCustomer', { body, options })).body.customer;
  }
}
