// The operator's actions on any account's customers and prices. Separate from commands.ts, which every list loads.

import { call } from './client.ts';
import type { AccountPriceList, LoginLink, Months, PeriodName, PlacedOrder } from './shapes.ts';

interface WithOwnPassword {
  readonly current_password: string | undefined;
}

const ofCustomer = <Answer>(id: number, what: string, body: object = {}, idempotencyKey?: string) =>
  call<Answer>(`/admin/v1/customers/${id}/${what}`, {
    method: 'POST',
    body,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });

export const cancelPlanOfCustomer = (
  id: number,
  body: { readonly at: 'now' | 'period_end' } & WithOwnPassword,
  idempotencyKey: string,
) => ofCustomer<{ readonly refund: string; readonly balance: string }>(id, 'cancel', body, idempotencyKey);

export const changePackageOfCustomer = (
  id: number,
  body: { package_id: number; months: Months; max_charge: string } & WithOwnPassword,
  idempotencyKey: string,
) => ofCustomer<PlacedOrder>(id, 'change-package', body, idempotencyKey);

export const createLoginLinkOfCustomer = (id: number, body: WithOwnPassword) =>
  ofCustomer<LoginLink>(id, 'login-link', body);

export interface NewAccountPrices {
  /** If this is missing, the list begins now. */
  readonly from?: string;
  readonly until?: string;
  readonly percent_off?: string;
  readonly prices: readonly ({ readonly package_id: number } & Partial<Record<PeriodName, string>>)[];
  readonly memo?: string;
}

/** Sends the whole list, so repeating the call changes nothing. */
export const setAccountPrices = (accountId: number, body: NewAccountPrices & WithOwnPassword) =>
  call<{ readonly price_list: AccountPriceList }>(`/admin/v1/accounts/${accountId}/prices`, {
    method: 'PUT',
    body,
  });
export const deleteAccountPrices = (accountId: number, listId: number, body: WithOwnPassword) =>
  call<unknown>(`/admin/v1/accounts/${accountId}/prices/${listId}`, { method: 'DELETE', body });
