// Makes payloads for the oldest waiting call of each customer, as the product's caller does before a first attempt.

import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { productPayload } from '../../src/features/fulfillment/product-payload.ts';
import { prepareProductCalls } from '../../src/features/order-engine/prepare-product-calls.ts';
import type { PreparedCalls } from '../../src/features/order-engine/records/product-call-rows.ts';

export async function prepareCalls({ database, service, clock }: TestService): Promise<PreparedCalls> {
  const rows = await database.query({
    name: '',
    text: `select distinct on (account_id, customer_number) id, account_id, payload is null as is_new
      from product_calls where status = 'waiting' order by account_id, customer_number, id`,
  });
  return prepareProductCalls(
    {
      database,
      packages: service.packages,
      payload: productPayload,
      seal: service.seal,
      now: () => clock.seconds,
    },
    rows
      .filter((row) => row['is_new'] === true)
      .map((row) => ({ id: Number(row['id']), accountId: Number(row['account_id']) })),
  );
}
