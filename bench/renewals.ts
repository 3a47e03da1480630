// npm run bench:renewals [-- --plans N] [--accounts N] [--seconds N] [--skip-verify]: the service's own job renews plans that
// end in the same hour, while one client orders without pause. Prints how long the renewals took, and the client's latencies
// before, during and after them. Only the ratios of these latencies mean anything.
// The books are verified at the end.

import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPostgresShopDatabase } from './bench-database.ts';
import { wholeNumber } from './bench-options.ts';
import { openShop, prepareShop, type Shop, verifyShop } from './bench-shop.ts';
import { closeOnInterrupt, openStage, type Stage } from './bench-stage.ts';
import { seedDuePlans } from './due-plans.ts';
import { orderBody, ordersPath, uniqueText } from './load.ts';

const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '100000' },
    accounts: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    'skip-verify': { type: 'boolean', default: false },
  },
});
const plans = wholeNumber('--plans', values.plans, 1, 10_000_000);
const accounts = wholeNumber('--accounts', values.accounts, 2, 100_000);
const seconds = wholeNumber('--seconds', values.seconds, 1, 600);
const lookMilliseconds = 500;
const warmupOrders = 200;
const databaseName = 'renewals';

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

async function measure({ query }: Stage): Promise<void> {
  say(`Preparing ${accounts} accounts on PostgreSQL …`);
  const database = await createPostgresShopDatabase(stage, databaseName);
  const plan = await prepareShop(stage, database, { count: accounts });
  say(`Ordering ${plans} plans that renew themselves, a month ago …`);
  await seedDuePlans(database, plan, plans);
  await query(databaseName, 'vacuum (analyze)');
  await query(databaseName, 'checkpoint');
  // The job must not run before the client has been measured alone.
  await runAfter("interval '1 hour'");
  const shop = await openShop(stage, database, plan);
  const client = startClient(shop);
  await client.warm;
  const before = await client.during(() => pause(seconds * 1000));
  await runAfter("interval '0'");
  let took = 0;
  const beside = await client.during(async () => {
    while ((await due()) === plans) await pause(lookMilliseconds);
    const began = performance.now();
    while ((await due()) > 0) await pause(lookMilliseconds);
    took = (performance.now() - began) / 1000;
  });
  const after = await client.during(() => pause(seconds * 1000));
  await client.end();
  const [renewed] = await query(
    databaseName,
    `select count(*)::int as orders, count(distinct (account_id, customer_number))::int as plans
      from orders where idempotency_key like 'auto\\_%'`,
  );
  await shop.stop();

  say(`${plans} plans of ${accounts} accounts were due within the same hour.`);
  say(
    `Renewed: ${renewed?.['plans']}, by ${renewed?.['orders']} orders, in ${took.toFixed(0)} s: ${(plans / took).toFixed(0)} plans a second.`,
  );
  say('One client, ordering all the time        orders    p50 ms    p99 ms   longest ms');
  line('before the renewals', before);
  line('beside them', beside);
  line('after them', after);
  const alone = { p50: (before.p50 + after.p50) / 2, p99: (before.p99 + after.p99) / 2 };
  say(
    `Beside them to alone: p50 ${(beside.p50 / alone.p50).toFixed(2)}, p99 ${(beside.p99 / alone.p99).toFixed(2)}.`,
  );
  if (!values['skip-verify']) say(`verify: ${(await verifyShop(stage, database, plan)).trim()}`);

  async function runAfter(interval: string): Promise<void> {
    await query(
      databaseName,
      `insert into jobs as j (kind, lease_number, started_at, next_run_at) values ('renewals', 0, now(), now() + ${interval})
        on conflict (kind) do update set next_run_at = excluded.next_run_at`,
    );
  }

  async function due(): Promise<number> {
    const [row] = await query(
      databaseName,
      'select count(*)::int as due from customers where renew_at <= now()',
    );
    return Number(row?.['due']);
  }
}

interface Latencies {
  readonly orders: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** Sends one order after another over one kept connection, while the rest is measured. */
function startClient({ address, single, packageId }: Shop) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let latencies: number[] = [];
  let isOver = false;
  const { promise: warm, resolve: isWarm } = Promise.withResolvers<void>();
  const ordering = orderOnAndOn();
  // end() reports the error. Until then it must not end the process.
  ordering.catch(() => isWarm());

  async function orderOnAndOn(): Promise<void> {
    for (let count = 1; !isOver; count += 1) {
      const began = performance.now();
      await place(uniqueText('renewals', count));
      latencies.push(performance.now() - began);
      if (count === warmupOrders) isWarm();
    }
  }

  /** @throws Error for every answer but 201 */
  function place(unique: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = orderBody(packageId, unique);
      const headers = {
        authorization: `Bearer ${single.key}`,
        'content-type': 'application/json',
        'content-length': body.length,
        'idempotency-key': unique,
      };
      const sent = request(`${address}${ordersPath}`, { agent, method: 'POST', headers });
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

  return {
    warm,
    async during(work: () => Promise<void>): Promise<Latencies> {
      latencies = [];
      await Promise.race([work(), ordering]);
      const sorted = latencies.toSorted((one, other) => one - other);
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return { orders: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
    },
    async end(): Promise<void> {
      isOver = true;
      await ordering;
      agent.destroy();
    },
  };
}

function line(title: string, { orders, p50, p99, longest }: Latencies): void {
  const cell = (value: number, digits = 2) => value.toFixed(digits).padStart(9);
  say(`  ${title.padEnd(36)}${cell(orders, 0)} ${cell(p50)} ${cell(p99)}    ${cell(longest)}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
