// Fills an empty database for DEMO: packages, and the reseller "demo" with credit.
// Invariant: a database in use never becomes a demo, and the credit is given once.

import { createAccount } from '../features/accounts/account-store.ts';
import { listenToAccount } from '../features/events/event-log.ts';
import { openApiKey } from '../features/identity/api-key-rows.ts';
import { findAccountByUsername, findAdministratorId } from '../features/identity/find-accounts.ts';
import type { OrderEngine } from '../features/order-engine/order-engine.ts';
import type { PackageCatalogHolder } from '../features/packages/package-catalog.ts';
import type { Database, SqlStatement } from '../platform/database/database.ts';
import { hashPassword, mintPassword } from '../platform/secrets/password-hash.ts';
import type { Seal } from '../platform/secrets/seal.ts';
import { formatAmount } from '../shared/amounts.ts';
import type { EpochSeconds } from '../shared/times.ts';
import { createDemoPackages } from './demo-packages.ts';
import { setDemoPayments } from './demo-payments.ts';
import { demoYearStart, findDemoState } from './demo-state.ts';

const demoUsername = 'demo';
const demoCreditCents = 50_000n;
const demoRateLimitPerMinute = 60;

export interface DemoReseller {
  readonly apiKey: string;
  /** Known only to the start that creates the account. */
  readonly password: string | null;
  readonly credit: string;
}

const findEmpty: SqlStatement = {
  name: 'find_empty_database',
  text: `select not exists (select 1 from packages) and not exists (select 1 from accounts where not is_admin) as is_empty`,
};

const startDemo: SqlStatement = {
  name: 'start_demo',
  text: `update service_state set demo_started = true, demo_year_until = to_timestamp($1::bigint)
    where not demo_started returning demo_started`,
};

const noteDemo: SqlStatement = {
  name: 'note_demo',
  text: 'update service_state set demo_account_id = $1::int',
};

export interface DemoService {
  readonly engine: OrderEngine;
  readonly packages: PackageCatalogHolder;
  readonly seal: Seal;
}

/** Creates the demo, or returns its reseller's key again. null: not a demo, or another process is creating it. */
export async function prepareDemo(
  database: Database,
  service: DemoService,
  now: EpochSeconds,
): Promise<DemoReseller | null> {
  const actorId = await findAdministratorId(database);
  if (actorId === null) return null;
  const [found] = await database.query(findEmpty);
  // On a server, several processes would fill one year.
  const yearUntil = database.kind === 'embedded' ? now : null;
  const isOurs = found?.['is_empty'] === true && (await database.query(startDemo, [yearUntil])).length > 0;
  const { isStarted, accountId: known } = await findDemoState(database);
  // On an embedded database no other process can be running, so this start resumes an interrupted one.
  const isUnfinished = isStarted && database.kind === 'embedded';
  if (known === null && !isOurs && !isUnfinished) return null;
  const password = mintPassword();
  const made = known === null ? await makeDemo(database, service, password, { actorId, now }) : null;
  const accountId = known ?? made?.id ?? null;
  if (accountId === null) return null;

  // The idempotency key gives the credit once, even after an interrupted start.
  await service.engine.submit({
    type: 'credit',
    accountId,
    actorId,
    amountCents: demoCreditCents,
    memo: 'Demo credit',
    idempotencyKey: 'demo-credit',
    keyIsMinted: false,
  });
  const apiKey = await openApiKey(database, service.seal, accountId);
  if (apiKey === null) return null;
  return { apiKey, password: made?.isNew ? password : null, credit: formatAmount(demoCreditCents) };
}

async function makeDemo(
  database: Database,
  { seal, packages }: DemoService,
  password: string,
  actor: { actorId: number; now: EpochSeconds },
): Promise<{ id: number; isNew: boolean } | null> {
  // The packages are as old as the year's first order.
  await createDemoPackages(database, packages, { ...actor, now: demoYearStart(actor.now) });
  await setDemoPayments(database, seal, actor);
  const created = await createAccount(
    database,
    seal,
    {
      username: demoUsername,
      displayName: 'Demo reseller',
      group: 'reseller',
      isAdmin: false,
      passwordHash: await hashPassword(password),
      rateLimitPerMinute: demoRateLimitPerMinute,
      allowedIps: [],
    },
    actor,
  );
  const account = created?.account ?? (await findAccountByUsername(database, demoUsername));
  if (account !== null) {
    await database.query(noteDemo, [account.id]);
    // Turns the account's events on, so that those of its first order exist.
    await listenToAccount(database, account.id);
  }
  return account === null ? null : { id: account.id, isNew: created !== null };
}
