// sellthrough product …: calls that the product did not accept, and pending orders. Needs an administrator's key.

import { Argument, Command, Option } from 'commander';
import type { Order, ProductCall } from '../../sdk/src/index.ts';
import { answer } from './command-end.ts';
import { commandIo } from './command-io.ts';
import { confirm } from './confirm.ts';
import { wholeFrom } from './listing.ts';
import { type Column, minuteOf, secondOf, textRecord, textTable } from './text-table.ts';
import { mintIdempotencyKey, withService } from './with-service.ts';

interface Json {
  readonly json: boolean;
}

const lists = ['attention', 'failing', 'waiting'] as const;
const whichCall = () => new Argument('<call>', 'id of the call, as listed');
const whichOrder = () => new Argument('<order>', 'id').argParser(wholeFrom(1));
const asJson = () => new Option('--json', 'print the answer as JSON').default(false);

export function productCommand(): Command {
  return new Command('product')
    .description(
      'calls that your product has not accepted: list, show, send, send-all, done, accept, fail (an administrator’s key)',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(sendCommand())
    .addCommand(sendAllCommand())
    .addCommand(doneCommand())
    .addCommand(acceptCommand())
    .addCommand(failCommand());
}

const columns: readonly Column<ProductCall>[] = [
  { title: 'CALL', value: ({ id }) => id },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'ACCOUNT', value: ({ account }) => account.username, mayLeave: true },
  { title: 'CUSTOMER', value: ({ customer }) => customer.reference, mayShrink: true },
  { title: 'ORDER', value: (call) => call.order_id ?? '', align: 'right' },
  { title: 'ATTEMPTS', value: ({ attempts }) => attempts, align: 'right' },
  { title: 'ANSWER', value: answerOf },
  { title: 'NEXT', value: (call) => minuteOrNone(call.next_attempt_at) },
];

function answerOf({ attempts, last_status: status, last_error: problem }: ProductCall): string {
  if (attempts === 0) return problem ?? 'not sent yet';
  return String(status ?? problem ?? 'none');
}

const minuteOrNone = (at: string | null) => (at === null ? '-' : minuteOf(at));

function listCommand(): Command {
  interface Options extends Json {
    readonly status: (typeof lists)[number];
  }
  return new Command('list')
    .description('list the calls that need attention, are failing or waiting')
    .addOption(new Option('--status <status>', 'which calls').choices(lists).default('attention'))
    .option('--json', 'print JSON: one call on each line', false)
    .action(({ status, json }: Options) =>
      withService(async ({ admin }) => {
        const calls: ProductCall[] = [];
        for await (const call of admin.eachProductCall({ status })) {
          if (json) commandIo().stdout.write(`${JSON.stringify(call)}\n`);
          else calls.push(call);
        }
        if (json) return;
        if (calls.length > 0) commandIo().stdout.write(textTable(columns, calls));
        commandIo().stderr.write(`${calls.length} in total\n`);
      }),
    );
}

function showCommand(): Command {
  return new Command('show')
    .description('show the call of an order, with its attempts and the product’s answers')
    .addArgument(whichOrder())
    .addOption(asJson())
    .action((order: number, { json }: Json) =>
      withService(async ({ admin }) => {
        const [call = null] = (await admin.listProductCalls({ order_id: order })).data;
        answer(
          json,
          { call },
          call === null ? 'The product was not called for this order.\n' : callText(call),
        );
      }),
    );
}

function sendCommand(): Command {
  return new Command('send')
    .description('send a call again, now')
    .addArgument(whichCall())
    .addOption(asJson())
    .action((id: string, { json }: Json) =>
      withService(async ({ admin }) => {
        const call = await admin.sendProductCallAgain(id, { idempotencyKey: mintIdempotencyKey() });
        answer(json, call, callText(call));
      }),
    );
}

function sendAllCommand(): Command {
  interface Options extends Json {
    readonly yes: boolean;
  }
  return new Command('send-all')
    .description('send again all calls that need attention')
    .option('--yes', 'do not ask; needed where there is no terminal', false)
    .addOption(asJson())
    .action(({ yes, json }: Options) =>
      withService(async ({ admin }) => {
        if (!yes) await confirm('Send again all calls that need attention?');
        let calls = 0;
        for (;;) {
          const sent = await admin.sendAllProductCallsAgain({ idempotencyKey: mintIdempotencyKey() });
          calls += sent.calls;
          if (sent.calls < sentAtOnce) break;
        }
        answer(json, { calls }, textRecord([['calls', calls]]));
      }),
    );
}

const sentAtOnce = 10_000;

function doneCommand(): Command {
  return new Command('done')
    .description('mark a call as done by hand; it is not sent any more')
    .addArgument(whichCall())
    .addOption(asJson())
    .action((id: string, { json }: Json) =>
      withService(async ({ admin }) => {
        const call = await admin.closeProductCall(id, { idempotencyKey: mintIdempotencyKey() });
        answer(json, call, callText(call));
      }),
    );
}

function acceptCommand(): Command {
  return new Command('accept')
    .description('complete a pending order instead of the product, which is not called again')
    .addArgument(whichOrder())
    .addOption(asJson())
    .action((id: number, { json }: Json) =>
      withService(async ({ admin }) => {
        const order = await admin.acceptOrder(id);
        answer(json, order, settledText(order));
      }),
    );
}

function failCommand(): Command {
  interface Options extends Json {
    readonly reason: string;
  }
  return new Command('fail')
    .description('fail a pending order and refund the account')
    .addArgument(whichOrder())
    .requiredOption('--reason <text>', 'the reason, for the account that ordered')
    .addOption(asJson())
    .action((id: number, { reason, json }: Options) =>
      withService(async ({ admin }) => {
        const order = await admin.failOrder(id, { reason });
        answer(json, order, settledText(order));
      }),
    );
}

function callText(call: ProductCall): string {
  return textRecord([
    ['call', call.id],
    ['type', call.type],
    ['status', call.status],
    ['account', call.account.username],
    ['customer', call.customer.reference],
    ['order', call.order_id],
    ['attempts', call.attempts],
    ['first attempt', minuteOrNone(call.first_attempt_at)],
    ['last attempt', minuteOrNone(call.last_attempt_at)],
    ['next attempt', minuteOrNone(call.next_attempt_at)],
    ['last answer', answerOf(call)],
  ]).concat(call.latest_attempts.length === 0 ? '' : `\n${textTable(attemptColumns, call.latest_attempts)}`);
}

const attemptColumns: readonly Column<ProductCall['latest_attempts'][number]>[] = [
  { title: 'ATTEMPT', value: ({ at }) => secondOf(at) },
  { title: 'RESULT', value: ({ status, error }) => status ?? error ?? 'none' },
  { title: 'TOOK', value: ({ milliseconds: took }) => (took === null ? '-' : `${took} ms`), align: 'right' },
  { title: 'ANSWER', value: (attempt) => attempt.answer ?? '', mayShrink: true },
];

function settledText({ id, status, customer, price, currency }: Order): string {
  return textRecord([
    ['order', id],
    ['status', status],
    ['customer', customer.reference],
    ['price', `${price} ${currency}`],
  ]);
}
