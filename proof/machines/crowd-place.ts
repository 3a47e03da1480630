// Starts two processes of the service on one PostgreSQL for a crowd; for a crowd in both modes also a webhook receiver and
// an administrator's session. Used by test/process/test-mode-crowd.test.ts and long-crowd.ts.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { createPanelClient, setCookieOf, signInAnswer } from '../../test/harness/panel-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../test/harness/webhook-receiver.ts';
import type { TraceWitnesses } from './mode-traces.ts';
import { startServiceProcess } from './service-process.ts';

const firstPassword = 'a first one for the crowd';
const password = 'another one for the crowd';

export async function startCrowdPlace(databaseUrl: string, more: Readonly<Record<string, string>> = {}) {
  const adminKey = mintApiKey('live');
  const environment = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: randomBytes(32).toString('hex'),
    ADMIN_API_KEY: adminKey,
    ADMIN_PASSWORD: firstPassword,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    ...more,
  };
  const services = [await startServiceProcess({ environment }), await startServiceProcess({ environment })];
  const addresses = services.map(({ address }) => address);
  const receivers: WebhookReceiver[] = [];

  async function witnesses(): Promise<TraceWitnesses> {
    const [address = ''] = addresses;
    const receiver = await startWebhookReceiver();
    receivers.push(receiver);
    const first = await signInAnswer(address, { username: 'admin', password: firstPassword });
    if (first.status === 200) {
      const body = { current_password: firstPassword, new_password: password };
      const changed = await createPanelClient(address, setCookieOf(first)).post('/password', body);
      assert.equal(changed.status, 204, changed.text);
    }
    const again = await signInAnswer(address, { username: 'admin', password });
    assert.equal(again.status, 200, again.text);
    return { receiver, panel: createPanelClient(address, setCookieOf(again)) };
  }

  async function close(): Promise<void> {
    for (const { kill } of services) kill('SIGKILL');
    await Promise.all(services.map(({ gone }) => gone));
    for (const receiver of receivers) await receiver.close();
  }

  return { addresses, adminKey, witnesses, close };
}
