// The shop of a demo's first start: a second engine, whose clock is the story's. The steps of a slot reach it together, so
// they are one batch. It shares nothing with the service's own engine but the database.

import {
  changeAccount,
  createAccount,
  rateLimitPerMinuteDefault,
} from '../../features/accounts/account-store.ts';
import type { Account } from '../../features/identity/account-table.ts';
import { findAccountByUsername } from '../../features/identity/find-accounts.ts';
import type { OrderCommand, OrderOutcome } from '../../features/order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../../features/order-engine/order-engine.ts';
import type { PackageCatalogHolder } from '../../features/packages/package-catalog.ts';
import { changePackage, createPackage } from '../../features/packages/package-store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isRefusal } from '../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { createDemoPayer } from './demo-payer.ts';
import { type AdministratorsAct, classicPackage, type DemoPriceChange } from './demo-resellers.ts';
import type { DemoShop, OrderAnswer } from './demo-shop.ts';

export interface EngineShopParts {
  readonly database: Database;
  readonly seal: Seal;
  readonly packages: PackageCatalogHolder;
  readonly actorId: number;
  readonly engineAt: (now: () => EpochSeconds) => OrderEngine;
  readonly currency: string;
}

/** Orders of the last week have a second of their own, the others share one with those of some hours. */
const weekDays = 7;
const slotSecondsOfMonth = 7_200;
const slotSecondsBefore = 28_800;
const monthDays = 35;

export function createEngineShop(parts: EngineShopParts): DemoShop & { close(): Promise<void> } {
  const { database, seal, packages, actorId, engineAt, currency } = parts;
  let clock = 0;
  const engine = engineAt(() => clock);
  const accounts = new Map<number, Account>();
  const author = () => ({ actorId, now: clock });
  const accountOf = (id: number): Account => {
    const account = accounts.get(id);
    if (account === undefined) throw new Error(`The demo has no account ${id}.`);
    return account;
  };

  async function submit(command: OrderCommand): Promise<OrderOutcome> {
    const outcome = await engine.submit(command);
    if (outcome.type === 'access_changed') throw new Error('An account of the demo was changed meanwhile.');
    return outcome;
  }

  async function order(accountId: number, command: OrderCommand): Promise<OrderAnswer> {
    const { blocked, apiEnabled } = accountOf(accountId);
    if (blocked) return 'account_blocked';
    if (!apiEnabled) return 'api_disabled';
    const outcome = await submit(command);
    if (outcome.type === 'refused') return outcome.refusal.code;
    if (outcome.type !== 'ordered') throw new Error(`An order was answered with "${outcome.type}".`);
    const { number: orderId, customerNumber: customerId, balanceAfterCents, ...placed } = outcome.order;
    const { packageId, months, expiresAt } = placed;
    return { orderId, customerId, packageId, months, expiresAt, balanceCents: balanceAfterCents };
  }

  const callerOf = (accountId: number) => ({ accountId, accessVersion: accountOf(accountId).accessVersion });
  const keyed = (idempotencyKey: string) => ({ idempotencyKey, keyIsMinted: false });
  const isSettled = (what: OrderOutcome): void => {
    if (what.type === 'refused') throw new Error(`The demo was refused: ${what.refusal.code}.`);
  };

  async function credit(accountId: number, amountCents: bigint, memo: string, key: string): Promise<void> {
    isSettled(await submit({ type: 'credit', accountId, actorId, amountCents, memo, ...keyed(key) }));
  }

  return {
    traffic: null,
    slotSeconds: (daysAgo) =>
      daysAgo <= weekDays ? 0 : daysAgo <= monthDays ? slotSecondsOfMonth : slotSecondsBefore,
    setClock(seconds) {
      clock = seconds;
    },
    async listPackages() {
      const known = [...packages.current().byId.values()].some(({ name }) => name === classicPackage.name);
      if (!known) await createPackage(database, classicPackage, author(), null);
      const { byId } = await packages.reload();
      return new Map([...byId.values()].map(({ id, name }) => [name, id]));
    },
    async openAccount({ username, displayName, group, rateLimitPerMinute, allowedIps = [] }) {
      const created = await createAccount(
        database,
        seal,
        {
          ...{ username, displayName, group, isAdmin: false, passwordHash: null, allowedIps },
          rateLimitPerMinute: rateLimitPerMinute ?? rateLimitPerMinuteDefault,
        },
        author(),
      );
      // An interrupted start made it.
      const account = created?.account ?? (await findAccountByUsername(database, username));
      if (account === null) throw new Error(`The demo has no account "${username}".`);
      accounts.set(account.id, account);
      return account.id;
    },
    credit,
    pay: createDemoPayer({ database, engine, currency, now: () => clock }),
    place: (accountId, { packageId, person, isNew, months, key }) =>
      order(accountId, {
        type: 'place',
        ...callerOf(accountId),
        ...keyed(key),
        packageId,
        customerReference: person.reference,
        customerName: isNew ? person.name : null,
        months,
        maxChargeCents: null,
        loginLink: null,
      }),
    renew: (accountId, orderNumber, key) =>
      order(accountId, {
        ...{ type: 'renew', orderNumber, months: null, maxChargeCents: null },
        ...callerOf(accountId),
        ...keyed(key),
      }),
    async grantTrial(accountId, packageId, { reference: customerReference, name: customerName }) {
      const who = { accountId, actorId, packageId, customerReference, customerName };
      isSettled(
        await submit({ type: 'grant_trial', ...who, again: false, ...keyed(`trial-${customerReference}`) }),
      );
    },
    async suspend(accountId, customerNumber) {
      isSettled(
        await submit({ type: 'set_status', accountId, actorId, customerNumber, status: 'suspended' }),
      );
    },
    async act(what, accountId, packageId) {
      if (what.type === 'package' && packageId !== null) {
        const changed = await changePackage(database, packageId, packageChange(what), author());
        if (isRefusal(changed)) throw new Error(`The demo was refused: ${changed.code}.`);
        await packages.reload();
      }
      if (what.type === 'credit' && accountId !== null)
        await credit(accountId, what.cents, what.memo, `demo-year-${clock}`);
      if (what.type === 'account' && accountId !== null) {
        const changed = await changeAccount(database, accountId, what.change, author());
        if (changed === null || isRefusal(changed)) throw new Error('The demo cannot change an account.');
        accounts.set(accountId, changed);
      }
    },
    close: engine.drain,
  };
}

function packageChange({ limits, features, prices = [], retired }: AdministratorsAct & { type: 'package' }) {
  const pricesOf = (wanted: DemoPriceChange['group']) =>
    Object.fromEntries(
      prices.filter(({ group }) => group === wanted).map(({ months, cents }) => [months, cents]),
    );
  return {
    ...(limits !== undefined && { limits }),
    ...(features !== undefined && { features }),
    ...(retired !== undefined && { retired }),
    ...(prices.length > 0 && {
      prices: { reseller: pricesOf('reseller'), distributor: pricesOf('distributor') },
    }),
  };
}
