// One page of a plan's history.

import type { Database } from '../../platform/database/database.ts';
import { readFilteredPage } from '../../platform/http/cursor-page.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { formatTime } from '../../shared/times.ts';
import { autoRenewSettingsView } from '../customers/customer-view.ts';
import { refundAtOnceCents } from '../order-engine/decisions/execute-order.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { type OrderKind, orderedBy } from '../order-engine/records/order-table.ts';
import type { PlanChange, PlanChangeKind } from '../order-engine/records/plan-change.ts';
import { orderView } from '../orders/order-view.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import {
  type HistoryCursor,
  type HistoryItem,
  listPlanHistory,
  newest,
  type PlanState,
} from './plan-history.ts';
import type { PlanHistoryItemView } from './plan-schemas.ts';

const orderTypes: Readonly<Record<OrderKind, string>> = {
  activate: 'activated',
  renew: 'renewed',
  change: 'changed',
};

export const changeTypes: Readonly<Record<PlanChangeKind, string>> = {
  trial: 'trial_started',
  suspend: 'suspended',
  resume: 'resumed',
  cancel: 'cancelled',
  cancel_at_period_end: 'cancelled_at_period_end',
  auto_renew: 'auto_renew_set',
  auto_renew_off: 'auto_renew_removed',
  renewal_failed: 'renewal_failed',
  order_completed: 'order_completed',
  order_failed: 'order_failed',
};

/** Kinds of changes whose rows state a refund, which may be zero. */
const refundKinds: readonly PlanChangeKind[] = ['cancel', 'order_completed', 'order_failed'];

export async function readHistory(
  {
    database,
    seal,
    packages,
    currency,
  }: {
    readonly database: Database;
    readonly seal: Seal;
    readonly packages: () => PackageCatalog;
    readonly currency: string;
  },
  customer: Pick<Customer, 'accountId' | 'number'>,
  query: unknown,
): Promise<{ data: PlanHistoryItemView[]; next_cursor: string | null }> {
  const list = { list: `history ${customer.number}`, names: [], read: () => null };
  const page = readFilteredPage(seal, list, customer.accountId, query, true);
  const history = await listPlanHistory(database, customer, cursorOf(page.position), page.limit);
  return {
    data: history.items.map((item) => historyItemView(item, packages(), currency)),
    next_cursor: page.cursorAt(history.next && `${history.next.order} ${history.next.change}`),
  };
}

function cursorOf(position: string | null): HistoryCursor {
  const [order, change] = (position ?? '').split(' ').map(Number);
  return order === undefined || change === undefined ? newest : { order, change };
}

export function historyItemView(
  { at, what, from, to }: HistoryItem,
  catalog: PackageCatalog,
  currency: string,
): PlanHistoryItemView {
  const stateView = ({ status, packageId, expiresAt }: PlanState) => ({
    status,
    package: catalog.byId.get(packageId)?.name ?? '',
    expires_at: formatTime(expiresAt),
  });
  const states = { at: formatTime(at), from: from && stateView(from), to: stateView(to) };
  if ('change' in what) {
    const settled = what.order === null ? {} : { order: orderView(what.order, catalog, currency) };
    return { ...states, ...changeView(what.change), ...settled };
  }
  const { order } = what;
  return {
    ...states,
    type: order.handoff === null ? orderTypes[order.kind] : 'order_placed',
    by: orderedBy(order),
    order: orderView(order, catalog, currency),
    ...(order.kind === 'change' ? { refund: formatAmount(refundAtOnceCents(order)) } : {}),
  };
}

function changeView(change: PlanChange) {
  const { kind, byParty, refundCents, reason, code, renewMonths, renewMaxCents, renewHoursBefore } = change;
  const isSet = kind === 'auto_renew' && renewMonths !== null && renewHoursBefore !== null;
  return {
    type: changeTypes[kind],
    by: byParty,
    ...(refundKinds.includes(kind) ? { refund: formatAmount(refundCents ?? 0n) } : {}),
    ...(reason === null ? {} : { reason }),
    ...(code === null ? {} : { code }),
    ...(isSet
      ? {
          auto_renew: autoRenewSettingsView({
            months: renewMonths,
            maxChargeCents: renewMaxCents,
            hoursBefore: renewHoursBefore,
          }),
        }
      : {}),
  };
}
