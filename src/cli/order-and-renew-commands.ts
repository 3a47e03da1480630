// sellthrough order, renew. Both print their idempotency key, so that an interrupted command can be repeated.

import { Argument, Command, InvalidArgumentError } from 'commander';
import type { Order } from '../../sdk/src/index.ts';
import { answer } from './command-end.ts';
import { wholeFrom } from './listing.ts';
import { textRecord } from './text-table.ts';
import { mintIdempotencyKey, withService } from './with-service.ts';

export type Months = 1 | 3 | 12;

interface MoneyOptions {
  readonly months?: Months;
  readonly idempotencyKey?: string;
  readonly json: boolean;
}

function moneyCommand(name: string): Command {
  return new Command(name)
    .option('--months <number>', 'how long: 1, 3 or 12', monthsOf)
    .option(
      '--idempotency-key <key>',
      'idempotency key of this order: repeated, it is charged once (default: generated)',
    )
    .option('--json', 'print the answer as JSON', false);
}

export function orderCommand(): Command {
  interface Options extends MoneyOptions {
    readonly name?: string;
    readonly loginLink: boolean;
  }
  return moneyCommand('order')
    .description('order a package for a customer, who is created if new; charges your balance')
    .addArgument(new Argument('<package>', 'id').argParser(wholeFrom(1)))
    .argument('<customer>', 'an e-mail address, or a name of letters, digits, dot, underscore, hyphen')
    .option('--name <text>', 'display name of a new customer')
    .option('--login-link', 'also create a login link for the customer, which works once', false)
    .action((packageId: number, customer: string, options: Options) =>
      withService(async (service) => {
        const { months, name, loginLink, idempotencyKey = mintIdempotencyKey(), json } = options;
        const placed = await service.placeOrder(
          { package_id: packageId, customer, months, customer_name: name, return_login: loginLink },
          { idempotencyKey },
        );
        const link = placed.login_url === undefined ? '' : textRecord([['login link', placed.login_url]]);
        answer(json, placed, orderText(placed) + link);
      }),
    );
}

export function renewCommand(): Command {
  return moneyCommand('renew')
    .description('renew the plan of an earlier order by one more period; charges your balance')
    .addArgument(new Argument('<order>', 'id').argParser(wholeFrom(1)))
    .action((orderId: number, { months, idempotencyKey = mintIdempotencyKey(), json }: MoneyOptions) =>
      withService(async (service) => {
        const renewed = await service.renewOrder(orderId, { months }, { idempotencyKey });
        answer(json, renewed, orderText(renewed));
      }),
    );
}

function orderText({
  order,
  balance,
  replayed,
}: {
  order: Order;
  balance: string;
  replayed: boolean;
}): string {
  const text = textRecord([
    ['order', order.id],
    ['kind', order.kind],
    ['package', `${order.package.name}, ${order.period}`],
    ['customer', `${order.customer.reference} (${order.customer.id})`],
    ['price', `${order.price} ${order.currency}`],
    ['refund', `${order.refund} ${order.currency}`],
    ['balance', `${balance} ${order.currency}`],
    ['expires', order.expires_at],
    ['idempotency key', order.idempotency_key],
  ]);
  return replayed ? `${text}This order was placed before. Nothing was charged again.\n` : text;
}

export function monthsOf(text: string): Months {
  const months = ([1, 3, 12] as const).find((one) => String(one) === text);
  if (months === undefined) throw new InvalidArgumentError('It must be 1, 3 or 12.');
  return months;
}
