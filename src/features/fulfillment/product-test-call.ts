// A signed call to the product for a customer who does not exist, so that the operator sees whether it is reached.
// Invariant: nothing is stored. The plan in it has ended, so a product that takes it grants nothing.

import { randomUUID } from 'node:crypto';
import type { Database } from '../../platform/database/database.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { signedHeaders, signingKeyOf } from '../../platform/outbound/webhook-signature.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { shownAnswer } from './call-attempts.ts';
import { findProduct, openProductSecret } from './product-settings.ts';

const testReference = 'test-call@example.com';
const daySeconds = 86_400;

/** null: there is no product. */
export async function sendTestCall(
  {
    database,
    outbound,
    seal,
    packages: { byId },
  }: {
    readonly database: Database;
    readonly outbound: Pick<Outbound, 'send'>;
    readonly seal: Seal;
    readonly packages: PackageCatalog;
  },
  now: EpochSeconds,
) {
  const { url, secretSealed } = await findProduct(database);
  if (url === null || secretSealed === null) return null;
  const [one] = [...byId.values()].filter(({ retired }) => !retired);
  const id = `call_test_${randomUUID()}`;
  const data = {
    customer: { id: 0, reference: testReference, name: null },
    account: { id: 0 },
    order_id: null,
    status: 'expired',
    package: { id: one?.id ?? 0, name: one?.name ?? '' },
    limits: one?.limits ?? {},
    features: [...(one?.features ?? [])],
    starts_at: formatTime(now - daySeconds),
    expires_at: formatTime(now),
  };
  const body = JSON.stringify({ id, type: 'plan.expire', created_at: formatTime(now), data });
  const keys = [signingKeyOf(openProductSecret(seal, secretSealed))];
  const result = await outbound.send({
    ...{ url, body, isTest: true },
    headers: signedHeaders({ id, body, keys }, now),
  });
  const { milliseconds } = result;
  return result.type === 'answered'
    ? { status: result.status, problem: null, answer: shownAnswer(result.answer), milliseconds, sent: body }
    : { status: null, problem: result.reason, answer: null, milliseconds, sent: body };
}
