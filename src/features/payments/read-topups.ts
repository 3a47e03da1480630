// A page of all accounts' top-ups as answers show it, for the administrators' API and the console.

import type { Database } from '../../platform/database/database.ts';
import type { FilterableList } from '../../platform/http/cursor-page.ts';
import { endOfTime, type ListQuery, numberMax } from '../../platform/http/list-query.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { formatTime } from '../../shared/times.ts';
import { topupMethods, topupStatuses } from '../../shared/topup-words.ts';
import { type AllTopupsFilter, listAllTopups, type OwnedTopup } from './list-all-topups.ts';
import { listProblemsOf } from './payment-problems.ts';
import { findPaymentSettings } from './payment-settings.ts';
import { listRefundsOf } from './refund-rows.ts';
import { topupView } from './topup-view.ts';

export type ListedTopupView = Awaited<ReturnType<typeof viewTopups>>[number];

export const topupFilters: FilterableList<AllTopupsFilter> = {
  list: 'all topups',
  names: ['account_id', 'status', 'method', 'created_from', 'created_to'],
  read: (sent) => {
    const status = sent.oneOf('status', topupStatuses);
    return { ...readUnstated(sent), statuses: status === null ? null : [status] };
  },
};

/** All filters but that by status, which the console reads by itself. */
export function readUnstated(sent: ListQuery): Omit<AllTopupsFilter, 'statuses'> {
  const { since, until } = sent.span('created_from', 'created_to') ?? { since: 0, until: endOfTime };
  return {
    accountId: sent.number('account_id', 0) || null,
    method: sent.oneOf('method', topupMethods),
    since,
    until,
    creditedSince: null,
    refundedSince: null,
    disputedSince: null,
  };
}

interface TopupViews {
  readonly database: Database;
  readonly currency: string;
}

export async function readTopups(
  { database, currency }: TopupViews,
  filter: AllTopupsFilter,
  position: string | null,
  limit: number,
) {
  const [createdAt = endOfTime, accountId = numberMax, number = numberMax] =
    position === null ? [] : position.split('.').map(Number);
  const place = { createdAt, accountId, number };
  const found = await listAllTopups(database, filter, { below: place, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1)?.topup;
  const next =
    found.length > limit && last !== undefined ? `${last.createdAt}.${last.accountId}.${last.number}` : null;
  return { data: await viewTopups({ database, currency }, page), next };
}

export async function viewTopups({ database, currency }: TopupViews, page: readonly OwnedTopup[]) {
  const [settings, problems, refunds] = await Promise.all([
    findPaymentSettings(database),
    listProblemsOf(database, [...new Set(page.map(({ topup }) => topup.accountId))]),
    listRefundsOf(
      database,
      page.map(({ topup }) => topup),
    ),
  ]);
  return page.map(({ topup, username }) => ({
    topup: topupView(topup, currency, settings),
    account: { id: topup.accountId, username },
    needs_attention:
      problems.find((each) => each.accountId === topup.accountId && each.topupNumber === topup.number)
        ?.reason ?? null,
    refunds: refunds
      .filter((each) => each.accountId === topup.accountId && each.topupNumber === topup.number)
      .map(({ amountCents, status, reason, createdAt }) => ({
        amount: formatAmount(amountCents),
        status,
        reason,
        created_at: formatTime(createdAt),
      })),
  }));
}
