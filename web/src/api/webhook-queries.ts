// Reads of the pages of endpoints and events, apart from queries.ts, which every page loads.

import { queryOptions } from '@tanstack/react-query';
import type { Query } from './client.ts';
import { followed } from './event-stream.ts';
import { byCursor, listing, reading } from './queries.ts';
import type * as Api from './shapes.ts';

// Refetched often, because events are delivered while the page is open and the service may disable an endpoint.
const deliveryMilliseconds = 5_000;
export const webhooksQuery = queryOptions({
  ...reading<Api.Listed<Api.Webhook>>('/v1/webhooks'),
  ...followed(deliveryMilliseconds, 'deliveries'),
});
export const webhookQuery = (id: string) =>
  queryOptions({
    ...reading<{ readonly webhook: Api.Webhook }>(`/v1/webhooks/${encodeURIComponent(id)}`),
    ...followed(deliveryMilliseconds, 'deliveries'),
  });
export const deliveriesQuery = (id: number, query: Query) =>
  queryOptions({
    ...listing<Api.DeliveryPage>(`/v1/webhooks/${id}/deliveries`, query),
    ...followed(deliveryMilliseconds, 'deliveries'),
  });
const figuresMilliseconds = 60_000;
export const deliveryCountsQuery = queryOptions({
  ...reading<Api.DeliveryCounts>('/webhooks/figures'),
  refetchInterval: figuresMilliseconds,
});
export const deliveryFiguresQuery = (webhookId: number) =>
  queryOptions({
    ...reading<Api.DeliveryFigures>(`/webhooks/${webhookId}/figures`),
    refetchInterval: figuresMilliseconds,
  });
export const deliveriesOfEventQuery = (eventId: number) =>
  reading<Api.DeliveriesOfEvent>(`/events/${eventId}/deliveries`);
export const eventAtWebhookQuery = (webhookId: number, eventId: number) =>
  queryOptions({
    ...reading<Api.EventAtWebhook>(`/webhooks/${webhookId}/events/${eventId}`),
    ...followed(deliveryMilliseconds, 'deliveries'),
  });
export const sinceCountQuery = (webhookId: number, from: string) =>
  listing<Api.SinceCount>(`/webhooks/${webhookId}/since`, { from });
export const eventsQuery = (query: Query) => listing<Api.EventPage>('/events', byCursor(query));
export const eventQuery = (id: string) =>
  reading<{ readonly event: Api.AccountEvent }>(`/v1/events/${encodeURIComponent(id)}`);
