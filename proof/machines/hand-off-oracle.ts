// The oracle of hand-off-histories.ts. It receives each command that the engine has decided, in that order, and says finally
// what the product must have received last. Each customer has a separate world.

import assert from 'node:assert/strict';
import type { OrderCommand, OrderOutcome } from '../../src/features/order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../../src/features/order-engine/order-engine.ts';
import { createOracle, type Oracle, type ToldPlan, type World } from '../oracle/oracle.ts';

export interface HandOffOracle {
  /** The last plan that the product must have received; null: it may have received no plan. */
  toldLast(reference: string, now: number): ToldPlan | null;
  dueRenewals(reference: string, now: number): readonly string[];
  readonly problems: readonly string[];
}

interface HandOffOracleOptions {
  readonly engine: OrderEngine;
  readonly packages: World['packages'];
  readonly confirms: boolean;
  readonly now: (accountId: number) => number;
}

interface Follower {
  readonly oracle: Oracle;
  readonly reference: string;
  orderCount: number;
}

const manyCents = 1_000_000_000n;
const operator = 'operator';

export function followHandOff({ engine, packages, confirms, now }: HandOffOracleOptions) {
  const followers = new Map<string, Follower>();
  const byCustomer = new Map<string, Follower>();
  const byOrder = new Map<string, { readonly follower: Follower; readonly number: number }>();
  const problems: string[] = [];
  const { submit } = engine;
  Object.assign(engine, {
    async submit(command: OrderCommand): Promise<OrderOutcome> {
      const outcome = await submit(command);
      follow(command, outcome);
      return outcome;
    },
  });

  function followerOf(reference: string): Follower {
    const known = followers.get(reference);
    if (known !== undefined) return known;
    const accounts = [{ id: reference, group: 'reseller', balanceCents: manyCents }] as const;
    const productMode = confirms ? 'confirm' : 'notify';
    const follower = { oracle: createOracle({ packages, accounts, productMode }), reference, orderCount: 0 };
    followers.set(reference, follower);
    return follower;
  }

  function follow(command: OrderCommand, outcome: OrderOutcome): void {
    const found = find(command);
    if (found === null) return;
    const { follower, orderNumber } = found;
    const came = outcomeWord(outcome);
    const expected = decide(follower, orderNumber, command, outcome);
    if (outcome.type === 'ordered') {
      follower.orderCount += 1;
      const { accountId, number, customerNumber } = outcome.order;
      byOrder.set(`${accountId} ${number}`, { follower, number: follower.orderCount });
      byCustomer.set(`${accountId} ${customerNumber}`, follower);
    }
    if (outcome.type === 'granted')
      byCustomer.set(`${outcome.accountId} ${outcome.customerNumber}`, follower);
    if (came !== expected)
      problems.push(
        `${follower.reference}: ${command.type} at ${now(command.accountId)} is ${came}, and should be ${expected}.`,
      );
  }

  function find(command: OrderCommand): { follower: Follower; orderNumber: number } | null {
    if (command.type === 'place' || command.type === 'grant_trial')
      return { follower: followerOf(command.customerReference), orderNumber: 0 };
    if ('orderNumber' in command) {
      const order = byOrder.get(`${command.accountId} ${command.orderNumber}`);
      return order === undefined ? null : { follower: order.follower, orderNumber: order.number };
    }
    if (!('customerNumber' in command) || command.type === 'note_plan_end') return null;
    const follower = byCustomer.get(`${command.accountId} ${command.customerNumber}`);
    return follower === undefined ? null : { follower, orderNumber: 0 };
  }

  function decide(
    { oracle, reference }: Follower,
    orderNumber: number,
    command: OrderCommand,
    outcome: OrderOutcome,
  ): string {
    const at = now(command.accountId);
    const of = { accountId: reference, customerId: '1', body: undefined };
    switch (command.type) {
      case 'place': {
        const { packageId, months } = command;
        const body = { package_id: packageId, customer: reference, months };
        return word(oracle.placeOrder({ accountId: reference, body }, at), 'ordered');
      }
      case 'grant_trial': {
        const { packageId, again } = command;
        const trial = { accountId: reference, packageId, customer: reference, again, now: at };
        return word(oracle.grantTrial(trial), 'granted');
      }
      case 'renew': {
        const orderId = String(orderNumber);
        return word(oracle.renewOrder({ accountId: reference, orderId, body: undefined }, at), 'ordered');
      }
      case 'suspend':
        return word(oracle.suspend(of, at), 'plan_changed');
      case 'resume':
        return word(oracle.resume(of, at), 'plan_changed');
      case 'cancel':
        return word(oracle.cancel({ ...of, body: { at: command.at } }, at), 'plan_changed');
      case 'set_auto_renew': {
        if (command.autoRenew === null) return word(oracle.removeAutoRenew(of, at), 'plan_changed');
        const { months, hoursBefore } = command.autoRenew;
        const body = { months, hours_before: hoursBefore };
        return word(oracle.setAutoRenew({ ...of, body }, at), 'plan_changed');
      }
      case 'set_status': {
        const { status } = command;
        return word(oracle.setCustomerStatus({ ...of, status }, at), 'status_set');
      }
      case 'renew_automatically': {
        // An answer of the product may have moved the renewal since it was read. The next run tries again.
        const [due] = oracle.dueRenewals(reference);
        if (due === undefined || due.dueAt > at || due.dueAt !== command.dueAt) return 'not_due';
        return word(oracle.renewOne(reference, 1, at).outcome, 'ordered');
      }
      case 'settle_order': {
        const { outcome: wanted, reason, by } = command;
        const said = { outcome: wanted, reason, by: by === null ? 'product' : operator } as const;
        const settledAt = outcome.type === 'settled' ? (outcome.order.failure?.at ?? at) : at;
        return word(oracle.settleOrder({ accountId: reference, orderNumber, ...said }, settledAt), 'settled');
      }
      default:
        return assert.fail(`The histories have no ${command.type}.`);
    }
  }

  const oracle: HandOffOracle = {
    problems,
    toldLast: (reference, at) => followers.get(reference)?.oracle.toldLast(reference, reference, at) ?? null,
    dueRenewals(reference, at) {
      const due = followers.get(reference)?.oracle.dueRenewals(reference) ?? [];
      return due.filter(({ dueAt }) => dueAt <= at).map(({ dueAt }) => `${reference} was due at ${dueAt}.`);
    },
  };
  const end = () => void Object.assign(engine, { submit });
  return { oracle, end };
}

function outcomeWord(outcome: OrderOutcome): string {
  if (outcome.type !== 'refused') return outcome.type;
  const { code, details } = outcome.refusal;
  return refusedWord(code, details?.['reason']);
}

function word(outcome: object, done: string): string {
  if (!('code' in outcome)) return done;
  const details = 'details' in outcome ? (outcome.details as Readonly<Record<string, unknown>>) : {};
  return refusedWord(String(outcome.code), details['reason']);
}

const refusedWord = (code: string, reason: unknown) =>
  reason === undefined ? code : `${code} ${String(reason)}`;
