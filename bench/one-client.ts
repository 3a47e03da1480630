// node bench/one-client.ts <address> <key> <package id> <seconds>: one client that sends one order after another over a kept
// connection. It is a process of its own, so that it shares its thread with no other work. Prints the median latency in
// milliseconds, as the client sees it.

import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { median } from './figures.ts';
import { orderBody, ordersPath, uniqueText } from './load.ts';

const [address = '', key = '', packageId = '', seconds = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const run = randomBytes(4).toString('hex');
// These let client and service compile their hot paths first.
const warmupOrders = 200;

let count = 0;
while (count < warmupOrders) await timeOne();
const latencies: number[] = [];
const end = performance.now() + Number(seconds) * 1000;
while (performance.now() < end) latencies.push(await timeOne());
agent.destroy();
process.stdout.write(`${median(latencies)}\n`);

async function timeOne(): Promise<number> {
  count += 1;
  const unique = uniqueText(run, count);
  const began = performance.now();
  await place(unique);
  return performance.now() - began;
}

/** @throws Error for every answer but 201 */
function place(unique: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const body = orderBody(Number(packageId), unique);
    const sent = request(`${address}${ordersPath}`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': body.length,
        'idempotency-key': unique,
      },
    });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      answer.resume().once('error', reject);
      answer.once('end', () => {
        if (answer.statusCode === 201) resolve();
        else reject(new Error(`An order was answered with ${answer.statusCode}.`));
      });
    });
    sent.end(body);
  });
}
