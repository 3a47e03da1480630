// For tests of verification: an account with every kind of entry, SQL that falsifies its books, and checks of a halt.

import assert from 'node:assert/strict';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import type { VerifyReportView } from '../../src/features/verification/verification-schemas.ts';
import { byGroup } from '../../src/platform/database/database.ts';
import { publicId } from '../../src/shared/identifiers.ts';
import { sqlAtOnce } from './group-sql.ts';

/**
 * An account with
 *   customer 1: order 1 basic, order 2 renews it, order 3 changes it to plus with a refund
 *   customer 2: order 4, a year of basic          customer 3: a free trial (plan change 1), suspended (2)
 *   entries: 1 credit, 2 and 3 charges, 4 refund, 5 charge, 6 charge (order 4), 7 debit
 */
export async function keepBooks(service: TestService): Promise<TestAccount> {
  const { packages, admin } = service;
  const reseller = await service.createReseller({ credit: '1000.00' });
  const path = `/api/admin/v1/accounts/${reseller.id}`;
  const [one, two, three] = [`one-${reseller.id}`, `two-${reseller.id}`, `three-${reseller.id}`];
  const first = await reseller.post('/orders', { package_id: packages.basic, customer: one });
  const answers = [
    first,
    await reseller.post(`/orders/${first.body.order.id}/renew`, {}),
    await reseller.post('/orders', { package_id: packages.plus, customer: one }),
    await reseller.post('/orders', { package_id: packages.basic, customer: two, months: 12 }),
    await admin.post(`${path}/trials`, { package_id: packages.trial, customer: three }),
    await admin.post(`${path}/credit`, { amount: '-5.00' }),
  ];
  for (const { status, text } of answers) assert.equal(status, 201, text);
  const suspended = await admin.patch(`/api/admin/v1/customers/${publicId(reseller.id, 3)}`, {
    status: 'suspended',
  });
  assert.equal(suspended.status, 200, suspended.text);
  assert.equal(answers[2]?.body.order.refund, '20.00');
  return reseller;
}

export async function verify(service: TestService): Promise<Pick<VerifyReportView, 'ok' | 'problems'>> {
  const { status, body, text } = await service.admin.get('/api/admin/v1/verify');
  assert.equal(status, 200, text);
  return { ok: body.ok, problems: body.problems };
}

export interface Falsehood {
  readonly account: { readonly id: number };
  readonly sql: string;
}

export function falsify(service: TestService, account: Falsehood['account'], sql: string): Promise<void> {
  return falsifyAll(service, [{ account, sql }]);
}

export async function falsifyAll(service: TestService, falsehoods: readonly Falsehood[]): Promise<void> {
  const triggers = (what: 'enable' | 'disable') =>
    ['orders', 'ledger_entries', 'plan_changes', 'payments', 'payment_entries'].map(
      (table) => `alter table ${table} ${what} trigger user`,
    );
  for (const [id, ofGroup] of byGroup(service.database, falsehoods, ({ account }) => account.id)) {
    const statements = ofGroup.map(({ sql }) => sql);
    await sqlAtOnce(service.database.ofAccount(id), [
      ...triggers('disable'),
      ...statements,
      ...triggers('enable'),
    ]);
  }
}

export const aDay = "interval '1 day'";

/** Moves a time by a day in UTC. Citus refuses updates that depend on the session's time zone. */
export function aDayOff(column: string, sign: '+' | '-'): string {
  return `(${column} at time zone 'utc' ${sign} ${aDay}) at time zone 'utc'`;
}

/** Makes the service sum the days again, because their sums came from falsified entries. */
export function forgetDays({ id }: Pick<TestAccount, 'id'>): string {
  return `delete from ledger_days where account_id = ${id}; delete from ledger_day_marks where account_id = ${id}`;
}

export function order(service: TestService, reseller: TestAccount, customer: string): Promise<Answer> {
  const headers = { 'idempotency-key': customer };
  return reseller.post('/orders', { package_id: service.packages.basic, customer }, headers);
}

export async function isHalted(service: TestService, reseller: TestAccount): Promise<void> {
  const path = `/api/admin/v1/accounts/${reseller.id}`;
  const { packages, admin } = service;
  const state = async () => (await admin.get(path)).body.account;
  const earlier = await state();
  for (const write of [
    () => order(service, reseller, `halted-${reseller.id}`),
    () => reseller.post(`/orders/${publicId(reseller.id, 3)}/renew`, {}),
    () => admin.post(`${path}/credit`, { amount: '1.00' }),
    () => admin.post(`${path}/trials`, { package_id: packages.trial, customer: `trial-${reseller.id}` }),
  ]) {
    const { status, body, text } = await write();
    assert.equal(status, 422, text);
    assert.equal(body.error.code, 'order_failed');
    assert.deepEqual(body.error.details, { reason: 'account_halted' });
  }
  assert.deepEqual(await state(), earlier);
}
