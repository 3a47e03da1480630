import { publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import type { AccountEvent } from './event-log.ts';
import type { EventView } from './event-schemas.ts';

export function eventView(event: AccountEvent): EventView {
  return { ...envelopeOf(event), data: JSON.parse(event.data) };
}

/** Inserts the stored data without parsing it. */
export function eventText(event: AccountEvent): string {
  return `${JSON.stringify(envelopeOf(event)).slice(0, -1)},"data":${event.data}}`;
}

function envelopeOf({ accountId, number, type, createdAt }: AccountEvent) {
  return {
    id: publicId(accountId, number),
    type,
    created_at: formatTime(createdAt),
    account_id: accountId,
  };
}
