// The textbook implementation as a process under load. Its database is on the benchmark's server and has as many accounts as
// the product's.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mintApiKey } from '../src/features/identity/api-key.ts';
import { addressOf, endProcess } from './bench-shop.ts';
import type { Stage } from './bench-stage.ts';
import type { LoadGenerator } from './load.ts';
import { loadWithOrders, type OrderTarget } from './order-load.ts';

export interface TextbookShop extends OrderTarget {
  readonly keys: readonly string[];
  readonly singleKey: string;
}

const database = 'textbook';
const accountCount = 200;
const firstLoadSeconds = 2;

export async function openTextbookShop(stage: Stage, generator: LoadGenerator): Promise<TextbookShop> {
  const connectionString = await stage.createDatabase(database);
  await stage.query(database, readFileSync(new URL('textbook/textbook-schema.sql', import.meta.url), 'utf8'));
  await stage.query(
    database,
    `insert into packages values (1, 'Starter'), (2, 'Business'), (3, 'Agency');
    insert into package_prices
      select id, group_name, months, 900 * months from packages, unnest('{reseller,distributor}'::text[]) group_name,
        unnest('{1,3,12}'::int[]) months`,
  );
  const keys = Array.from({ length: accountCount + 1 }, () => mintApiKey('live'));
  await stage.query(
    database,
    `insert into accounts (username, group_name, key_hash, rate_limit_per_minute, balance_cents)
      select 'reseller-' || number, 'reseller', hash, 1000000, 100000000000
      from unnest($1::bytea[]) with ordinality row (hash, number)`,
    [keys.map((key) => createHash('sha256').update(key).digest())],
  );

  const start = async () => {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('textbook/textbook-server.ts', import.meta.url)), connectionString],
      { env: { PATH: process.env['PATH'], NODE_ENV: 'production' }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const stop = stage.later(() => endProcess(child, 'SIGTERM'));
    return { address: await addressOf(child, 'The textbook implementation'), stop };
  };
  const shop = (address: string): TextbookShop => ({
    address,
    packageId: 1,
    keys: keys.slice(0, accountCount),
    singleKey: keys[accountCount] ?? '',
    async countOrders() {
      const [row] = await stage.query(database, 'select count(*) as count from orders');
      return Number(row?.['count']);
    },
  });

  // Statements planned while the tables were empty would stay slow. So the server first gets some orders, its tables get
  // statistics, and it is started again.
  const first = await start();
  const keysOfAll = { keys: shop('').keys, seconds: firstLoadSeconds };
  await loadWithOrders(generator, shop(first.address), keysOfAll);
  await first.stop();
  await stage.query(database, 'vacuum (analyze)');
  return shop((await start()).address);
}
