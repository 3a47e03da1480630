// sellthrough orders, customers, ledger, audit: lists, newest first. They show the key's own account, or the one that
// --account names. The ledger and the audit log need an administrator's key.

import { type Command, Option } from 'commander';
import type { AuditEntry, Customer, LedgerEntry, Order, Sellthrough } from '../../sdk/src/index.ts';
import { getAccount } from './find-account.ts';
import { type List, type ListOptions, listCommand, printList } from './listing.ts';
import { type Column, dayOf, minuteOf } from './text-table.ts';
import { withService } from './with-service.ts';

interface Options extends ListOptions {
  readonly account?: string;
}

const whose = () =>
  new Option('--account <account>', 'of this account: username or id (an administrator’s key)');

function recordCommand<Item>(
  name: string,
  columns: readonly Column<Item>[],
  lists: {
    readonly own: (service: Sellthrough) => List<Item>;
    readonly of: (service: Sellthrough, accountId: number) => List<Item>;
  },
): Command {
  return listCommand(name)
    .description(`list ${name}, newest first`)
    .addOption(whose())
    .action(({ account: named, ...options }: Options) =>
      withService(async (service) => {
        const list =
          named === undefined ? lists.own(service) : lists.of(service, (await getAccount(service, named)).id);
        await printList(list, columns, options);
      }),
    );
}

const orderColumns: readonly Column<Order>[] = [
  { title: 'ORDER', value: ({ id }) => id, align: 'right' },
  { title: 'PLACED', value: ({ created_at }) => minuteOf(created_at) },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'PACKAGE', value: (order) => order.package.name, mayShrink: true },
  { title: 'MONTHS', value: ({ months }) => months, align: 'right', mayLeave: true },
  { title: 'CUSTOMER', value: ({ customer }) => customer.reference, mayShrink: true },
  { title: 'PRICE', value: ({ price }) => price, align: 'right' },
  { title: 'REFUND', value: ({ refund }) => refund, align: 'right', mayLeave: true },
  { title: 'EXPIRES', value: ({ expires_at }) => dayOf(expires_at) },
];

export function ordersCommand(): Command {
  return recordCommand('orders', orderColumns, {
    own: (service) => ({
      page: (query) => service.listOrders(query),
      each: () => service.eachOrder(),
    }),
    of: ({ admin }, id) => ({
      page: (query) => admin.listAccountOrders(id, query),
      each: () => admin.eachAccountOrder(id),
    }),
  });
}

const runsByStatus: ReadonlyMap<string, string> = new Map([
  ['active', 'yes'],
  ['expired', 'no'],
]);

const customerColumns: readonly Column<Customer>[] = [
  { title: 'CUSTOMER', value: ({ id }) => id, align: 'right' },
  { title: 'REFERENCE', value: ({ reference }) => reference, mayShrink: true },
  { title: 'NAME', value: ({ name }) => name, mayShrink: true, mayLeave: true },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'PLAN', value: ({ plan }) => plan.package, mayShrink: true },
  { title: 'RUNS', value: ({ plan }) => runsByStatus.get(plan.status) ?? plan.status, mayLeave: true },
  { title: 'DAYS LEFT', value: ({ plan }) => plan.days_left, align: 'right' },
  { title: 'EXPIRES', value: ({ plan }) => dayOf(plan.expires_at) },
];

export function customersCommand(): Command {
  return recordCommand('customers', customerColumns, {
    own: (service) => ({
      page: (query) => service.listCustomers(query),
      each: () => service.eachCustomer(),
    }),
    of: ({ admin }, id) => ({
      page: (query) => admin.listAccountCustomers(id, query),
      each: () => admin.eachAccountCustomer(id),
    }),
  });
}

const ledgerColumns: readonly Column<LedgerEntry>[] = [
  { title: 'ENTRY', value: ({ number }) => number, align: 'right' },
  { title: 'MADE', value: ({ created_at }) => minuteOf(created_at) },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'AMOUNT', value: ({ amount }) => amount, align: 'right' },
  { title: 'BALANCE', value: ({ balance_after }) => balance_after, align: 'right' },
  { title: 'ORDER', value: ({ order_id }) => order_id, align: 'right' },
  { title: 'BY', value: ({ actor }) => actor, mayShrink: true },
  { title: 'MEMO', value: ({ memo }) => memo, mayShrink: true },
];

export function ledgerCommand(): Command {
  return listCommand('ledger')
    .description('list the ledger of an account, newest first (an administrator’s key)')
    .argument('<account>', 'username or id')
    .action((named: string, options: ListOptions) =>
      withService(async (service) => {
        const { id } = await getAccount(service, named);
        const { admin } = service;
        await printList(
          {
            page: (query) => admin.listAccountLedger(id, query),
            each: () => admin.eachAccountLedgerEntry(id),
          },
          ledgerColumns,
          options,
        );
      }),
    );
}

const auditColumns: readonly Column<AuditEntry>[] = [
  { title: 'ENTRY', value: ({ number }) => number, align: 'right' },
  { title: 'DONE', value: ({ at }) => minuteOf(at) },
  { title: 'WHO', value: authorOf, mayShrink: true },
  { title: 'DID', value: ({ action }) => action },
  { title: 'TO', value: ({ subject }) => subject },
  { title: 'WHAT CHANGED', value: changesOf, mayShrink: true, mayLeave: true },
];

function authorOf({ actor, by }: AuditEntry): string {
  const name = by?.name ?? '';
  return name === '' || name === actor.username ? actor.username : `${actor.username} (${name})`;
}

function changesOf({ before, after }: AuditEntry): string | null {
  const was = new Map(Object.entries(before ?? {}));
  const is = new Map(Object.entries(after ?? {}));
  const said = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((name) =>
      was.has(name) && is.has(name)
        ? `${name}: ${said(was.get(name))} → ${said(is.get(name))}`
        : `${name}: ${said(is.get(name) ?? was.get(name))}`,
    )
    .join(', ');
}

export function auditCommand(): Command {
  return listCommand('audit')
    .description('list who changed what, newest first (an administrator’s key)')
    .action((options: ListOptions) =>
      withService(({ admin }) =>
        printList(
          { page: (query) => admin.listAudit(query), each: () => admin.eachAuditEntry() },
          auditColumns,
          options,
        ),
      ),
    );
}
