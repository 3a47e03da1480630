// sellthrough customer …: the administrator's actions on a customer. Reseller's own customers: plan-commands.ts.

import { Argument, Command, Option } from 'commander';
import type { ChangeCustomerBody, Customer } from '../../sdk/src/index.ts';
import { answer } from './command-end.ts';
import { wholeFrom } from './listing.ts';
import { type Months, monthsOf } from './order-and-renew-commands.ts';
import { textRecord } from './text-table.ts';
import { mintIdempotencyKey, withService } from './with-service.ts';

export function customerCommand(): Command {
  return new Command('customer')
    .description(
      'any account’s customers: suspend, resume, cancel, change-package, login-link (an administrator’s key; of your own: "suspend", "resume", "cancel")',
    )
    .addCommand(statusCommand('suspend', 'suspended'))
    .addCommand(statusCommand('resume', 'active'))
    .addCommand(cancelCommand())
    .addCommand(changePackageCommand())
    .addCommand(loginLinkCommand());
}

function customerArgument(): Argument {
  return new Argument('<customer>', 'id, from "sellthrough customers --account …"').argParser(wholeFrom(1));
}

function cancelCommand(): Command {
  interface Options {
    readonly at: 'now' | 'period-end';
    readonly idempotencyKey?: string;
    readonly json: boolean;
  }
  return new Command('cancel')
    .description('cancel a customer’s plan and refund its unused part to the account')
    .addArgument(customerArgument())
    .addOption(
      new Option('--at <when>', 'now: at once, with a refund; period-end: when the paid time is over')
        .choices(['now', 'period-end'])
        .makeOptionMandatory(),
    )
    .option('--idempotency-key <key>', 'idempotency key: a repeat does nothing (default: generated)')
    .option('--json', 'print the answer as JSON', false)
    .action((id: number, { at, idempotencyKey = mintIdempotencyKey(), json }: Options) =>
      withService(async ({ admin }) => {
        const body = { at: at === 'now' ? ('now' as const) : ('period_end' as const) };
        const done = await admin.cancelPlanOfCustomer(id, body, { idempotencyKey });
        const more: Parameters<typeof customerText>[1] = [
          ['refund', done.refund],
          ['balance', done.balance],
          ['idempotency key', idempotencyKey],
        ];
        answer(json, done, customerText(done.customer, more));
      }),
    );
}

function changePackageCommand(): Command {
  interface Options {
    readonly package: number;
    readonly months?: Months;
    readonly maxCharge?: string;
    readonly idempotencyKey?: string;
    readonly json: boolean;
  }
  return new Command('change-package')
    .description('replace a customer’s running plan by another package, as an order of the account')
    .addArgument(customerArgument())
    .addOption(
      new Option('--package <id>', 'from "sellthrough package list"')
        .argParser(wholeFrom(1))
        .makeOptionMandatory(),
    )
    .option('--months <number>', 'how long: 1, 3 or 12 (default: 1)', monthsOf)
    .option('--max-charge <amount>', 'the maximum charge, less the refund')
    .option('--idempotency-key <key>', 'idempotency key: a repeat does nothing (default: generated)')
    .option('--json', 'print the answer as JSON', false)
    .action((id: number, { idempotencyKey = mintIdempotencyKey(), json, ...sent }: Options) =>
      withService(async ({ admin }) => {
        const body = {
          package_id: sent.package,
          months: sent.months,
          max_charge: sent.maxCharge,
        };
        const { order, balance, ...done } = await admin.changePackageOfCustomer(id, body, { idempotencyKey });
        answer(
          json,
          { order, balance, ...done },
          textRecord([
            ['order', order.id],
            ['status', order.status],
            ['package', order.package.name],
            ['price', order.price],
            ['refund', order.refund],
            ['balance', balance],
            ['expires', order.expires_at],
            ['idempotency key', idempotencyKey],
          ]),
        );
      }),
    );
}

function loginLinkCommand(): Command {
  return new Command('login-link')
    .description('make a link that logs a customer in once; recorded in the audit log')
    .addArgument(customerArgument())
    .option('--json', 'print the answer as JSON', false)
    .action((id: number, { json }: { json: boolean }) =>
      withService(async ({ admin }) => {
        const made = await admin.createLoginLinkOfCustomer(id);
        answer(
          json,
          made,
          textRecord([
            ['login link', made.login_url],
            ['expires', made.expires_at],
          ]),
        );
      }),
    );
}

function statusCommand(name: 'suspend' | 'resume', status: ChangeCustomerBody['status']): Command {
  return new Command(name)
    .description(
      status === 'suspended'
        ? 'keep a customer from logging in; the plan’s time continues'
        : 'let a suspended customer in again',
    )
    .addArgument(customerArgument())
    .option('--json', 'print the customer as JSON', false)
    .action((id: number, { json }: { json: boolean }) =>
      withService(async ({ admin }) => printCustomer(await admin.changeCustomer(id, { status }), json)),
    );
}

export function printCustomer(customer: Customer, json: boolean): void {
  answer(json, customer, customerText(customer));
}

export function customerText(
  { id, name, email, status, plan }: Customer,
  more: Parameters<typeof textRecord>[0] = [],
): string {
  return textRecord([
    ['customer', id],
    ['name', name],
    ['e-mail', email || null],
    ['status', status],
    ['plan', plan.package],
    ['runs', runOf(plan)],
    ['renews itself', renewalOf(plan)],
    ...more,
  ]);
}

function runOf({ status, expires_at, ends_at_period_end }: Customer['plan']): string {
  if (status === 'cancelled' || status === 'expired') return `no: ${status} at ${expires_at}`;
  const until = `until ${expires_at}${ends_at_period_end ? ', where it ends' : ''}`;
  return status === 'suspended' ? `suspended, time continues ${until}` : until;
}

function renewalOf({ auto_renew }: Customer['plan']): string {
  if (auto_renew === null) return 'no';
  const { period, max_charge, next_at, failure } = auto_renew;
  return [
    period,
    ...(max_charge === null ? [] : [`for at most ${max_charge}`]),
    next_at === null ? 'not before the end changes' : `next at ${next_at}`,
    ...(failure === null ? [] : [`last refused: ${failure}`]),
  ].join(', ');
}
