// swagger-typescript-api's client. It throws refused answers.

import type { GeneratedClient } from './generated-client';
import {
  Api,
  type ApiError,
  type HttpResponse,
  type ListOrdersAnswer,
  type PlaceOrderBody,
} from './swagger-typescript-api/api';

export function connect(baseUrl: string, key: string): GeneratedClient {
  const { api } = new Api({ baseUrl, baseApiParams: { headers: { authorization: `Bearer ${key}` } } });
  return {
    async place(wish) {
      const body: PlaceOrderBody = wish;
      const { order, balance } = (await api.placeOrder(body)).data;
      return { id: order.id, months: order.months, balance };
    },
    async list() {
      const page: ListOrdersAnswer = (await api.listOrders({ limit: 2 })).data;
      return { ids: page.data.map(({ id }) => id), total: page.total };
    },
    async miss() {
      const refused: HttpResponse<unknown, ApiError> = await api.getOrder('1').then(
        () => Promise.reject(new Error('There is such an order.')),
        (answer) => answer,
      );
      return { status: refused.status, code: refused.error.error.code };
    },
  };
}

export const mistakes: PlaceOrderBody[] = [
  // @ts-expect-error: there is no such period
  { package_id: 1, customer: 'ada', months: 2 },
  // @ts-expect-error: what is not set is left out
  { package_id: 1, customer: 'ada', customer_name: null },
];
