// Sends a test event at once from this process. It has a random id and appears in neither feed nor log.

import { randomInt, randomUUID } from 'node:crypto';
import type { Outbound, OutboundResult } from '../../platform/outbound/outbound.ts';
import { signedHeaders, signingKeyOf } from '../../platform/outbound/webhook-signature.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { publicId } from '../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { operator, secretContext, type Webhook } from './webhook-table.ts';

const testEventType = 'webhook.test';
/** Ids of real events begin here, so a test event's id never equals one. */
const idsEnd = publicId(1, 0);

export function sendTestEvent(
  { outbound, seal }: { readonly outbound: Pick<Outbound, 'send'>; readonly seal: Seal },
  webhook: Webhook,
  now: EpochSeconds,
): Promise<OutboundResult> {
  const { id: webhookId, url, accountId, previousUntil } = webhook;
  const body = JSON.stringify({
    id: randomInt(1, idsEnd),
    type: testEventType,
    created_at: formatTime(now),
    account_id: accountId === operator ? null : accountId,
    data: { webhook: { id: webhookId, url } },
  });
  const isOverlap = previousUntil !== null && now < previousUntil;
  const sealed = [webhook.sealedSecret, isOverlap ? webhook.sealedPreviousSecret : null];
  const keys = sealed.flatMap((text) =>
    text === null ? [] : signingKeyOf(seal.open(text, secretContext(accountId))),
  );
  const headers = signedHeaders({ id: `test_${randomUUID()}`, body, keys }, now);
  return outbound.send({ url, headers, body });
}
