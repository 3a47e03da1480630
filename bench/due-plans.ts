// Makes plans that renew automatically and end in the same hour, through the engine of a service in this process whose clock
// is a month behind. So the plans have the rows, the history and the books of a real month.

import pino from 'pino';
import type { OrderCommand } from '../src/features/order-engine/decisions/order-commands.ts';
import { createService } from '../src/service/create-service.ts';
import { defaultLimits, readConfig } from '../src/setup/config.ts';
import { openDatabase } from '../src/setup/open-database.ts';
import type { ShopDatabase } from './bench-database.ts';
import type { ShopPlan } from './bench-shop.ts';

const submittedAtOnce = 512;
const packageId = 1;
// A month has 28 to 31 days, so their plans have one to four days left: their renewal is due, and no end was missed.
const secondsAgo = 27 * 86_400;
const hoursBefore = 5 * 24;

/** The accounts must be new. No service may be connected. */
export async function seedDuePlans(
  { environment }: ShopDatabase,
  { secretKey, accounts }: ShopPlan,
  plans: number,
): Promise<void> {
  const config = readConfig({ ...environment, SECRET_KEY: secretKey, PORT: '0' });
  const began = Math.floor(Date.now() / 1000) - secondsAgo;
  let now = began;
  const { database, seal } = await openDatabase(config, now);
  const service = await createService({
    config,
    limits: defaultLimits,
    database,
    seal,
    publicUrl: () => 'http://127.0.0.1',
    logger: pino({ level: 'silent' }),
    accessLog: null,
    now: () => now,
    monotonicNow: () => performance.now(),
  });
  try {
    const versions = new Map<number, number>();
    const rows = await database.query({ name: '', text: 'select id, access_version from accounts' });
    for (const row of rows) versions.set(Number(row['id']), Number(row['access_version']));
    await eachOf(plans, async (index) => {
      // The plans begin, and so end, within one hour, in the order of their renewal.
      now = began + Math.floor((index * 3_600) / plans);
      const accountId = accounts[index % accounts.length]?.id ?? 0;
      const common = {
        accountId,
        accessVersion: versions.get(accountId) ?? 0,
        idempotencyKey: `due-${index}`,
        keyIsMinted: false,
      };
      const placed = await submit({
        ...common,
        type: 'place',
        packageId,
        customerReference: `due-${index}@example.com`,
        customerName: null,
        months: 1,
        loginLink: null,
        maxChargeCents: null,
      });
      if (placed.type !== 'ordered') throw new Error(`A plan was not ordered: ${JSON.stringify(placed)}`);
      const autoRenew = { months: 1, maxChargeCents: null, hoursBefore } as const;
      const { customerNumber } = placed.order;
      const set = await submit({
        ...common,
        type: 'set_auto_renew',
        actorId: accountId,
        by: null,
        customerNumber,
        autoRenew,
      });
      if (set.type !== 'plan_changed')
        throw new Error(`A plan does not renew itself: ${JSON.stringify(set)}`);
    });
  } finally {
    await service.close();
  }

  function submit(command: OrderCommand) {
    return service.engine.submit(command);
  }
}

/** Runs `work` for each index, `submittedAtOnce` of them at a time. */
async function eachOf(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: submittedAtOnce }, worker));
}
