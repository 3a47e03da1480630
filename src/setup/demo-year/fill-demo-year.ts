// Fills a demo with its year while the service already runs, and opens it to visitors of the sign-in page
// (src/setup/demo-visitors.ts). Called by main.ts after it listens. An interrupted year goes on at the next start.

import {
  changeAccount,
  createAccount,
  rateLimitPerMinuteDefault,
} from '../../features/accounts/account-store.ts';
import { findAccountByUsername, findAdministratorId } from '../../features/identity/find-accounts.ts';
import type { OrderEngine } from '../../features/order-engine/order-engine.ts';
import { setupSteps } from '../../features/overview/setup-schemas.ts';
import type { PackageCatalogHolder } from '../../features/packages/package-catalog.ts';
import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { hashPassword, mintPassword } from '../../platform/secrets/password-hash.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isRefusal } from '../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { demoYearStart, findDemoState } from '../demo-state.ts';
import { createEngineShop } from './demo-engine-shop.ts';
import { playDemoYear } from './play-demo-year.ts';

export interface FillDemoParts {
  readonly database: Database;
  readonly seal: Seal;
  readonly packages: PackageCatalogHolder;
  readonly engineAt: (now: () => EpochSeconds) => OrderEngine;
  readonly currency: string;
  /** What the visitors' accounts are confirmed with, where a page asks for a password; null: unknown to everyone. */
  readonly password: string | null;
  /** Stops between two slots; the next start goes on. */
  readonly signal: AbortSignal;
}

const seed = 1;
const operatorUsername = 'demo-operator';
const resellerUsername = 'brightline';

const openDemo: SqlStatement = {
  name: 'open_demo',
  text: `update service_state set demo_year_filled = true, demo_operator_id = $1::int, demo_reseller_id = $2::int,
      setup_skipped = $3::text[]`,
};

/** Returns the number of orders; null if there was nothing to fill. */
export async function fillDemoYear(parts: FillDemoParts): Promise<number | null> {
  const { database, seal, signal } = parts;
  const { yearUntil, isFilled } = await findDemoState(database);
  const actorId = await findAdministratorId(database);
  if (yearUntil === null || isFilled || actorId === null) return null;
  const actor = { actorId, now: demoYearStart(yearUntil) };
  const visitor = { group: 'reseller', passwordHash: null, allowedIps: [] } as const;
  const made = await createAccount(
    database,
    seal,
    {
      ...{ ...visitor, username: operatorUsername, displayName: 'Demo operator', isAdmin: true },
      rateLimitPerMinute: rateLimitPerMinuteDefault,
    },
    actor,
  );
  const shop = createEngineShop({ ...parts, actorId });
  const year = { shop, seed, share: 1, until: yearUntil, signal, say: () => undefined };
  const orders = await playDemoYear(year).finally(shop.close);
  const operator = made?.account ?? (await findAccountByUsername(database, operatorUsername));
  const reseller = await findAccountByUsername(database, resellerUsername);
  if (operator === null || reseller === null) throw new Error('An account of the demo is missing.');
  const password = { hash: await hashPassword(parts.password ?? mintPassword()), isInitial: false };
  for (const { id } of [operator, reseller]) {
    const changed = await changeAccount(database, id, { password }, { actorId, now: yearUntil });
    if (changed === null || isRefusal(changed)) throw new Error('An account of the demo cannot be opened.');
  }
  // Its channel is open, so its operator begins with the business.
  await database.query(openDemo, [operator.id, reseller.id, textArray([...setupSteps])]);
  return orders;
}
