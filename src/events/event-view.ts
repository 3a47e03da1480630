// An event as the feed and the deliveries show it.

import type { EventView } from '../contract/event-schemas.ts';
import { publicId } from '../contract/identifiers.ts';
import { formatTime } from '../contract/times.ts';
import type { AccountEvent } from './event-log.ts';

export function eventView({ accountId, number, type, createdAt, data }: AccountEvent): EventView {
  return {
    id: publicId(accountId, number),
    type,
    created_at: formatTime(createdAt),
    account_id: accountId,
    data: JSON.parse(data),
  };
}
