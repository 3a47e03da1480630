// A client from openapi-typescript's types and openapi-fetch.

import createClient from 'openapi-fetch';
import type { GeneratedClient } from './generated-client';
import type { components, paths } from './openapi-typescript';

export function connect(baseUrl: string, key: string): GeneratedClient {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
  return {
    async place(wish) {
      const body: components['schemas']['PlaceOrderBody'] = wish;
      const { data, error } = await client.POST('/api/v1/orders', { body });
      if (error !== undefined) throw new Error(error.error.code);
      return { id: data.order.id, months: data.order.months, balance: data.balance };
    },
    async list() {
      const { data, error } = await client.GET('/api/v1/orders', { params: { query: { limit: 2 } } });
      if (error !== undefined) throw new Error(error.error.code);
      const page: components['schemas']['ListOrdersAnswer'] = data;
      return { ids: page.data.map(({ id }) => id), total: page.total };
    },
    async miss() {
      const { error, response } = await client.GET('/api/v1/orders/{id}', { params: { path: { id: '1' } } });
      const envelope: components['schemas']['ApiError'] | undefined = error;
      return { status: response.status, code: envelope?.error.code ?? '' };
    },
  };
}

export const mistakes: components['schemas']['PlaceOrderBody'][] = [
  // @ts-expect-error: there is no such period
  { package_id: 1, customer: 'ada', months: 2 },
  // @ts-expect-error: what is not set is left out
  { package_id: 1, customer: 'ada', customer_name: null },
];
