// orval's zod schemas around fetch. Bodies are sent as the schemas parse them, and answers must pass the schemas.

import type { GeneratedClient } from './generated-client';
import { ListOrdersQueryParams, ListOrdersResponse, PlaceOrderBody, PlaceOrderResponse } from './orval/zod';

export function connect(baseUrl: string, key: string): GeneratedClient {
  const headers = { authorization: `Bearer ${key}` };
  return {
    async place(wish) {
      const body = JSON.stringify(PlaceOrderBody.parse(wish));
      const answer = await fetch(`${baseUrl}/api/v1/orders`, { method: 'POST', headers, body });
      if (answer.status !== 201) throw new Error(await answer.text());
      const { order, balance } = PlaceOrderResponse.parse(await answer.json());
      return { id: order.id, months: order.months, balance };
    },
    async list() {
      const { page, limit } = ListOrdersQueryParams.parse({ limit: 2 });
      const answer = await fetch(`${baseUrl}/api/v1/orders?page=${page}&limit=${limit}`, { headers });
      const { data, total } = ListOrdersResponse.parse(await answer.json());
      return { ids: data.map(({ id }) => id), total };
    },
    async miss() {
      const answer = await fetch(`${baseUrl}/api/v1/orders/1`, { headers });
      const { error } = (await answer.json()) as { error: { code: string } };
      return { status: answer.status, code: error.code };
    },
  };
}
