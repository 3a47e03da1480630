// sellthrough customer …: suspends a customer, and lets them in again. Who they are lists "sellthrough customers".

import { Argument, Command } from 'commander';
import type { ChangeCustomerBody, Customer } from '../../sdk/src/index.ts';
import { answer } from './command-end.ts';
import { wholeFrom } from './listing.ts';
import { textRecord } from './text-table.ts';
import { withService } from './with-service.ts';

export function customerCommand(): Command {
  return new Command('customer')
    .description('customers: suspend, resume (an administrator’s key)')
    .addCommand(statusCommand('suspend', 'suspended'))
    .addCommand(statusCommand('resume', 'active'));
}

function statusCommand(name: 'suspend' | 'resume', status: ChangeCustomerBody['status']): Command {
  return new Command(name)
    .description(
      status === 'suspended'
        ? 'keep a customer from logging in; their plan’s time runs on'
        : 'let a suspended customer in again',
    )
    .addArgument(
      new Argument('<customer>', 'id, from "sellthrough customers --account …"').argParser(wholeFrom(1)),
    )
    .option('--json', 'print the customer as JSON', false)
    .action((id: number, { json }: { json: boolean }) =>
      withService(async ({ admin }) => printCustomer(await admin.changeCustomer(id, { status }), json)),
    );
}

export function printCustomer(customer: Customer, json: boolean): void {
  const { id, name, email, status, plan } = customer;
  const text = textRecord([
    ['customer', id],
    ['name', name],
    ['e-mail', email || null],
    ['status', status],
    ['plan', plan.package],
    ['runs', plan.active ? `until ${plan.expires_at}` : 'no'],
  ]);
  answer(json, customer, text);
}
