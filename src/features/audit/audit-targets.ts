// Looks up the names of audit log subjects, with one bounded query per kind of subject and page.

import type { Queryable } from '../../platform/database/database.ts';
import { type OwnedId, parseOwnedId, publicId } from '../../shared/identifiers.ts';
import { own } from '../../shared/json.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { findCustomerPlaces } from '../customers/find-customer.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { findApiKeyNames } from '../identity/api-key-rows.ts';
import { findPeopleNames } from '../identity/find-people.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import type { AuditTargetView } from './audit-schemas.ts';
import type { RecordedAuditEntry } from './read-audit-log.ts';

interface Target {
  readonly type: string;
  readonly id: number | null;
  readonly accountId: number | null;
  /** Set for customers, which the audit log identifies by it. */
  readonly reference?: string;
}

export async function subjectsOf(
  customers: CustomerReads,
  target: string,
): Promise<readonly string[] | null> {
  if (target === 'product') return ['product'];
  const [, type = '', id = ''] = /^([a-z]+):([1-9]\d{0,15})$/.exec(target) ?? [];
  if (type === 'account') return [`account ${id}`, `sign-in of account ${id}`];
  // Actions on an account's own login are logged under the account, so search for both.
  if (type === 'person') return [`person ${id}`, `account ${id}`];
  if (['package', 'order', 'webhook'].includes(type)) return [`${type} ${id}`];
  if (type !== 'customer') return null;
  const place = parseOwnedId(id);
  const customer = place === null ? null : await customers.find(place.accountId, place.number);
  return [`customer ${id}`, ...(customer === null ? [] : [`customer ${customer.reference}`])];
}

export async function auditTargets(
  {
    database,
    customers,
    packages,
  }: { readonly database: Queryable; readonly customers: CustomerReads; readonly packages: PackageCatalog },
  entries: readonly RecordedAuditEntry[],
): Promise<AuditTargetView[]> {
  const targets = entries.map(targetOf);
  const ids = (...types: readonly string[]) =>
    targets.flatMap(({ type, id }) => (id !== null && types.includes(type) ? [id] : []));
  const references = targets.flatMap(({ reference }) => (reference === undefined ? [] : [reference]));
  const places = ids('customer').flatMap((id) => parseOwnedId(String(id)) ?? []);
  const [accountNames, keyNames, peopleNames, placesByReference, found] = await Promise.all([
    findAccountNames(
      database,
      targets.flatMap(({ accountId }) => accountId ?? []),
    ),
    findApiKeyNames(database, ids('key')),
    findPeopleNames(database, ids('person')),
    findCustomerPlaces(database, references),
    // customer-reads.ts batches these calls into one query.
    Promise.all(places.map(({ accountId, number }) => customers.find(accountId, number))),
  ]);
  const customerNames = new Map(
    found.flatMap((each) => (each === null ? [] : ([[idOf(each), each.reference]] as const))),
  );

  return targets.map(({ type, id, accountId, reference }) => {
    const place = reference === undefined ? undefined : placesByReference.get(reference);
    const account = accountId === null ? undefined : accountNames.get(accountId);
    const names: Readonly<Record<string, string | undefined>> = {
      account,
      sign_in: account,
      key: keyNames.get(id ?? 0),
      person: peopleNames.get(id ?? 0),
      package: packages.byId.get(id ?? 0)?.name,
      customer: reference ?? customerNames.get(id ?? 0),
    };
    return {
      type,
      id: place === undefined ? id : idOf(place),
      name: names[type] ?? '',
      account: account === undefined || accountId === null ? null : { id: accountId, username: account },
    };
  });
}

function idOf({ accountId, number }: OwnedId): number {
  return publicId(accountId, number);
}

function targetOf({ action, subject, before, after }: RecordedAuditEntry): Target {
  const noted = own(after ?? before ?? {}, 'account_id');
  const accountId = typeof noted === 'number' ? noted : null;
  const [, noun = '', named = ''] = /^([a-z-]+)(?: (.*))?$/s.exec(subject) ?? [];
  const [id = null, ofAccount = accountId] = (named.match(/\b\d{1,16}\b/g) ?? []).map(Number);
  switch (noun) {
    case 'account':
      return { type: 'account', id, accountId: id };
    case 'sign-in':
      return { type: 'sign_in', id: null, accountId: id };
    case 'key':
    case 'person':
      return { type: noun, id, accountId: ofAccount };
    case 'customer':
      if (action === 'customer.grant_trial')
        return { type: 'customer', id: null, accountId, reference: named };
      return { type: noun, id, accountId: ownerOf(id) ?? accountId };
    case 'order':
      return { type: noun, id, accountId: ownerOf(id) ?? accountId };
    case 'package':
    case 'webhook':
      return { type: noun, id, accountId };
    case 'product':
      return { type: 'product', id: null, accountId: null };
    default:
      return { type: 'other', id: null, accountId };
  }
}

function ownerOf(id: number | null): number | null {
  return id === null ? null : (parseOwnedId(String(id))?.accountId ?? null);
}
