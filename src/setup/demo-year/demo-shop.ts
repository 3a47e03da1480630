// What the demo's year needs of a service. demo-engine-shop.ts commits a slot of orders at once, and
// scripts/demo/demo-client-shop.ts sends each as a request.

import type { Months } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { PayInDemo } from './demo-payer.ts';
import type { Person } from './demo-people.ts';
import type { AdministratorsAct, ResellerPlan } from './demo-resellers.ts';

export interface DemoOrder {
  readonly packageId: number;
  readonly person: Person;
  readonly isNew: boolean;
  readonly months: Months;
  readonly key: string;
}

export interface PlacedOrder {
  readonly orderId: number;
  readonly customerId: number;
  readonly packageId: number;
  readonly months: Months;
  readonly expiresAt: EpochSeconds;
  readonly balanceCents: bigint;
}

/** The code of a refusal. */
export type OrderAnswer = PlacedOrder | string;

export interface DemoShop {
  /** Steps of a slot begin together and share its last second. 0: one at a time. */
  slotSeconds(daysAgo: number): number;
  setClock(seconds: EpochSeconds): void;
  /** Adds the demo's old package to those that exist. */
  listPackages(): Promise<ReadonlyMap<string, number>>;
  openAccount(plan: ResellerPlan): Promise<number>;
  credit(accountId: number, cents: bigint, memo: string, key: string): Promise<void>;
  readonly pay: PayInDemo;
  place(accountId: number, order: DemoOrder): Promise<OrderAnswer>;
  renew(accountId: number, orderId: number, key: string): Promise<OrderAnswer>;
  grantTrial(accountId: number, packageId: number, person: Person): Promise<void>;
  suspend(accountId: number, customerId: number): Promise<void>;
  act(act: AdministratorsAct, accountId: number | null, packageId: number | null): Promise<void>;
  /** Requests that move nothing. null: none are sent. */
  readonly traffic: DemoTraffic | null;
}

interface Caller {
  readonly id: number;
  readonly plan: ResellerPlan;
}

export interface DemoTraffic {
  read(
    by: Caller,
    chosen: number,
    known: { readonly id: number; readonly orderId: number } | null,
  ): Promise<void>;
  makeMistake(
    by: Caller,
    more: { readonly chosen: number; readonly theirs: string; readonly anyone: () => string },
    packages: ReadonlyMap<string, number>,
  ): Promise<void>;
  usePanel(by: Caller): Promise<void>;
  hurry(by: Caller): Promise<void>;
  callFromElsewhere(by: Caller): Promise<void>;
  afterNewKey(by: Caller): Promise<void>;
}
