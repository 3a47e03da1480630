// npm run bench:payment-webhooks [-- --rate N] [--pairs N] [--seconds N]: the service, as an operator runs it on PostgreSQL, takes
// webhooks of card payments beside orders. Each webhook credits a payment. Prints the orders a second of each pair, without
// and with webhooks, their ratio, and the CPU that a webhook took.
// This process sends the webhooks, on the same cores. They are signed before.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isJsonObject } from '../src/shared/json.ts';
import { type StandInStripe, startStandInStripe } from '../src/stand-in-stripe/stand-in-stripe.ts';
import { createPostgresShopDatabase } from './bench-database.ts';
import { wholeNumber } from './bench-options.ts';
import { createAdminClient, openShop, prepareShop, type Shop } from './bench-shop.ts';
import { closeOnInterrupt, openStage, type Stage } from './bench-stage.ts';
import { median } from './figures.ts';
import { findLoadGenerator } from './load-generator.ts';
import { loadWithOrders } from './order-load.ts';
import { cpuSeconds, cpuSecondsOfFamily } from './process-figures.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '200' },
    pairs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
});
const rate = wholeNumber('--rate', values.rate, 1, 2_000);
const pairs = wholeNumber('--pairs', values.pairs, 1, 50);
const seconds = wholeNumber('--seconds', values.seconds, 1, 60);
/** One account may have 50 top-ups that wait. */
const topupsOfAccount = 40;
const ticksPerSecond = 50;
const connections = 4;
const webhookSecret = 'whsec_FirstSecret';

const stage = await openStage();
const isInterrupted = closeOnInterrupt(() => stage.close());
try {
  await measure(stage);
} catch (error) {
  // An interruption breaks the run, so errors after it mean nothing.
  if (!isInterrupted()) throw error;
} finally {
  if (!isInterrupted()) await stage.close();
}

async function measure(on: Stage): Promise<void> {
  const standIn = await startStandInStripe({ retryMilliseconds: [] });
  on.later(() => standIn.stop());
  const plain = await createPostgresShopDatabase(on, 'webhooks');
  const database = { ...plain, environment: { ...plain.environment, STRIPE_API_BASE: standIn.url } };
  const wanted = rate * seconds * (pairs + 1);
  const plan = await prepareShop(on, database, { count: Math.ceil(wanted / topupsOfAccount) });
  const shop = await openShop(on, database, plan);
  const events = await payTopups(shop, standIn, wanted);
  const generator = await findLoadGenerator(on);
  const keys = shop.accounts.map(({ key }) => key);
  const orders = async () => (await loadWithOrders(generator, shop, { keys, seconds })).perSecond;
  await orders();

  const send = () => sendWebhooks(shop, events.splice(0, rate * seconds));
  const pids = [shop.pid, on.postgres.pid() ?? 0, process.pid];
  const cpu = () =>
    pids.map((pid) => (pid === process.pid ? cpuSeconds(pid) : cpuSecondsOfFamily(pid)) ?? Number.NaN);
  const ratios: number[] = [];
  const timed = async (work: () => Promise<number>) => {
    const before = cpu();
    const found = await work();
    return { found, used: cpu().map((after, place) => after - (before[place] ?? 0)) };
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    const alone = await timed(orders);
    const beside = await timed(async () => (await Promise.all([orders(), send()]))[0]);
    const ratio = beside.found / alone.found;
    ratios.push(ratio);
    // What the same orders would have taken alone is not the webhooks'.
    const [service = '', server = '', sender = ''] = beside.used.map((used, place) =>
      (((used - (alone.used[place] ?? 0) * ratio) / (rate * seconds)) * 1_000).toFixed(2),
    );
    process.stdout.write(
      `${Math.round(alone.found)} orders/s alone, ${Math.round(beside.found)} beside: × ${ratio.toFixed(2)}; CPU of a webhook: service ${service} ms, PostgreSQL ${server} ms, sender ${sender} ms\n`,
    );
  }
  process.stdout.write(
    `median of ${pairs} pairs beside ${rate} webhooks/s: × ${median(ratios).toFixed(2)}\n`,
  );
  await shop.stop();
}

/** @returns the events of payments, which were not sent */
async function payTopups(shop: Shop, { url, control }: StandInStripe, count: number): Promise<string[]> {
  const card = {
    provider: 'stripe',
    secret_key: 'sk_test_bench',
    webhook_secret: webhookSecret,
    enabled: true,
  };
  await createAdminClient(shop.address, shop.adminKey)('PUT', '/payments', {
    ...{ methods: { card }, minimum: '1.00', maximum: '5000.00' },
  });
  control.setEndpoints([{ urls: [`${shop.address}/payments/stripe`], secrets: [webhookSecret] }]);
  control.configureDeliveries({ mode: 'drop' });
  let left = count;
  const payOf = async (key: string) => {
    for (let own = 0; own < topupsOfAccount && left > 0; own += 1) {
      left -= 1;
      const answer = await fetch(`${shop.address}/api/v1/topups`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: '5.00', method: 'card' }),
      });
      const session = /cs_\w+/.exec(await answer.text())?.[0];
      assert.ok(session !== undefined, `a top-up is answered ${answer.status}`);
      control.press(session, 'pay');
    }
  };
  await Promise.all(shop.accounts.map(({ key }) => payOf(key)));
  const events: string[] = [];
  for (let after = ''; ; ) {
    const query = `limit=100&type=checkout.session.completed${after}`;
    const answer = await fetch(`${url}/v1/events?${query}`, {
      headers: { authorization: 'Bearer sk_test_bench' },
    });
    const page: unknown = await answer.json();
    assert.ok(isJsonObject(page) && Array.isArray(page['data']));
    events.push(...page['data'].map((event) => JSON.stringify(event)));
    if (page['has_more'] !== true) break;
    after = `&starting_after=${page['data'].at(-1).id}`;
  }
  // So that the reconciler does not credit them first.
  control.setFault({ answer: 500, requests: Number.MAX_SAFE_INTEGER });
  assert.equal(events.length, count, 'the stand-in still has the event of each payment');
  return events;
}

/** A whole request. */
function webhookOf(event: string): string {
  const at = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', webhookSecret).update(`${at}.${event}`).digest('hex');
  return [
    'POST /payments/stripe HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(event)}`,
    `stripe-signature: t=${at},v1=${signature}`,
    `\r\n${event}`,
  ].join('\r\n');
}

/** Evenly, and all of them. @throws if one is not answered 200 */
async function sendWebhooks({ address }: Shop, events: readonly string[]): Promise<void> {
  const requests = events.map(webhookOf);
  const { hostname, port } = new URL(address);
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('utf8');
      await once(socket, 'connect');
      return socket;
    }),
  );
  let answered = 0;
  let answers = '';
  for (const socket of sockets) {
    socket.on('data', (piece: string) => {
      answered += piece.split('HTTP/1.1 200').length - 1;
      answers += piece;
    });
  }
  const began = performance.now();
  for (let sent = 0; sent < requests.length; ) {
    const due = Math.min(requests.length, Math.ceil(((performance.now() - began) / 1_000) * rate));
    for (; sent < due; sent += 1) sockets[sent % connections]?.write(requests[sent] ?? '');
    await pause(1_000 / ticksPerSecond);
  }
  for (let waited = 0; answered < requests.length; waited += 1) {
    const other = /HTTP\/1\.1 (?!200).*/.exec(answers)?.[0];
    assert.ok(
      other === undefined && waited < 500,
      `${answered} of ${requests.length} are answered 200; ${other}`,
    );
    await pause(20);
  }
  for (const socket of sockets) socket.destroy();
}
