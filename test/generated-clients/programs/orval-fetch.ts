// orval's client on fetch. The service's address is in the generator's configuration.

import type { GeneratedClient } from './generated-client';
import { getOrder, type ListOrdersAnswer, listOrders, type PlaceOrderBody, placeOrder } from './orval/api';

export function connect(_address: string, key: string): GeneratedClient {
  const options = { headers: { authorization: `Bearer ${key}` } };
  return {
    async place(wish) {
      const body: PlaceOrderBody = wish;
      const answer = await placeOrder(body, options);
      if (answer.status !== 201) throw new Error(answer.data.error.code);
      const { order, balance } = answer.data;
      return { id: order.id, months: order.months, balance };
    },
    async list() {
      const answer = await listOrders({ limit: 2 }, options);
      if (answer.status !== 200) throw new Error(answer.data.error.code);
      const page: ListOrdersAnswer = answer.data;
      return { ids: page.data.map(({ id }) => id), total: page.total };
    },
    async miss() {
      const answer = await getOrder('1', options);
      return { status: answer.status, code: answer.status === 200 ? '' : answer.data.error.code };
    },
  };
}

export const mistakes: PlaceOrderBody[] = [
  // @ts-expect-error: there is no such period
  { package_id: 1, customer: 'ada', months: 2 },
  // @ts-expect-error: what is not set is left out
  { package_id: 1, customer: 'ada', customer_name: null },
];
