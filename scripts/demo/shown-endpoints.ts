// Creates webhook endpoints for the screenshots on a local server (one works, one fails, one answers 410).

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expectDone } from './demo-client.ts';
import type { DemoStage } from './demo-stage.ts';

const answers: Readonly<Record<string, { readonly status: number; readonly body: string }>> = {
  '/shop/sellthrough': { status: 200, body: '{"taken":true}' },
  '/billing/hooks': { status: 500, body: '{"error":"the database is away"}' },
  '/former-crm/incoming/webhooks': { status: 410, body: '' },
};
const endpoints = [
  { path: '/shop/sellthrough', description: 'The shop', types: [] },
  { path: '/billing/hooks', description: 'Billing', types: ['plan.suspended', 'order.completed'] },
  { path: '/former-crm/incoming/webhooks', description: null, types: ['plan.suspended', 'plan.resumed'] },
];
const patienceMilliseconds = 30_000;

/** Returns a function that removes the endpoints. While they exist, the stage never becomes idle. */
export async function showEndpoints(stage: DemoStage, username: string): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status = 404, body = '' } = answers[request.url ?? ''] ?? {};
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (method: string, path: string, body?: object) =>
    expectDone(await stage.asAccount(username, method, path, body), path);
  const listed = async (path: string) => {
    const { data } = await ask('GET', path);
    return Array.isArray(data) ? data : [];
  };
  const end = async () => {
    for (const { id } of await listed('/webhooks')) await ask('DELETE', `/webhooks/${id}`);
    server.close();
  };
  try {
    await fill();
  } catch (error) {
    await end();
    throw error;
  }
  return end;

  async function fill(): Promise<void> {
    for (const { path, ...settings } of endpoints)
      await ask('POST', '/webhooks', { url: root + path, ...settings });
    for (const { id } of (await listed('/customers?status=active')).slice(0, 3)) {
      await ask('POST', `/customers/${id}/suspend`, { reason: 'The invoice is open' });
      await ask('POST', `/customers/${id}/resume`, {});
    }
    await stage.lookForJobs();
    const until = performance.now() + patienceMilliseconds;
    const isSent = async () => {
      const [, failing, gone] = await listed('/webhooks');
      return failing?.failing_since !== null && gone?.disabled_at !== null;
    };
    while (!(await isSent())) {
      if (performance.now() > until) throw new Error('The endpoints of the pictures are sent nothing.');
      await pause(500);
    }
  }
}
