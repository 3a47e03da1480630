// The product's API: what customers may do. Reached as `client.product`; the key must have the scope `product`, as an
// administrator's has. One method for each operation, by its name in openapi.json.

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

  /** Made by Sellthrough. */
  constructor(call: CallOperation) {
    this.#call = call;
  }

  /** What the customer of this reference may do now. Errors: customer_not_found. */
  async getEntitlement(reference: string, options?: CallOptions): Promise<Entitlement> {
    return (await this.#call('getEntitlement', { id: reference, options })).body;
  }

  /**
   * What changed behind `after`, in order, for a copy of your own; without it, every customer first. Keep `next_after` with
   * the copy. Waits for up to `wait` seconds where there is nothing yet. Errors: events_gone (410): begin again.
   */
  async readEntitlements(
    query?: ReadEntitlementsQuery,
    options?: CallOptions,
  ): Promise<ReadEntitlementsAnswer> {
    return (await this.#call('readEntitlements', { query, options })).body;
  }

  /** The customer who opened the product with `?code=…`. Errors: customer_not_found. */
  async exchangeCodeForCustomer(body: ExchangeCodeForCustomerBody, options?: CallOptions): Promise<Customer> {
    return (await this.#call('exchangeCodeForCustomer', { body, options })).body.customer;
  }
}
