// hey-api's client on fetch, with bodies and answers checked by its generated zod schemas.

import type { GeneratedClient } from './generated-client';
import { createClient } from './hey-api/client/index';
import { getOrder, listOrders, type PlaceOrderBody, placeOrder } from './hey-api/index';

export function connect(baseUrl: string, key: string): GeneratedClient {
  const client = createClient({ baseUrl, auth: key });
  return {
    async place(wish) {
      const body: PlaceOrderBody = wish;
      const { data } = await placeOrder({ client, body, throwOnError: true });
      return { id: data.order.id, months: data.order.months, balance: data.balance };
    },
    async list() {
      const { data } = await listOrders({ client, query: { limit: 2 }, throwOnError: true });
      return { ids: data.data.map(({ id }) => id), total: data.total };
    },
    async miss() {
      const { error, response } = await getOrder({ client, path: { id: '1' } });
      return { status: response?.status ?? 0, code: error?.error.code ?? '' };
    },
  };
}

export const mistakes: PlaceOrderBody[] = [
  // @ts-expect-error: there is no such period
  { package_id: 1, customer: 'ada', months: 2 },
  // @ts-expect-error: what is not set is left out
  { package_id: 1, customer: 'ada', customer_name: null },
];
