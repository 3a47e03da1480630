// sellthrough webhooks …: webhook endpoints of one's own or, with --operator, for all accounts.

import { Argument, Command } from 'commander';
import type { Delivery, Sellthrough, Webhook } from '../../sdk/src/index.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { commandIo } from './command-io.ts';
import { listed, wholeFrom } from './listing.ts';
import { type Column, textRecord, textTable } from './text-table.ts';
import { withService } from './with-service.ts';

interface Common {
  readonly operator: boolean;
  readonly json: boolean;
}

export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description(
      'endpoints that events are sent to: list, create, change, delete, test, secret, deliveries, redeliver',
    )
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(changeCommand())
    .addCommand(deleteCommand())
    .addCommand(testCommand())
    .addCommand(secretCommand())
    .addCommand(deliveriesCommand())
    .addCommand(redeliverCommand());
}

const whichWebhook = () =>
  new Argument('<webhook>', 'id, from "sellthrough webhooks list"').argParser(wholeFrom(1));

function command(name: string, description: string, json: string): Command {
  return new Command(name)
    .description(description)
    .option(
      '--operator',
      'the operator’s own, for the events of all accounts (an administrator’s key)',
      false,
    )
    .option('--json', `print ${json} as JSON`, false);
}

function endpointsOf(client: Sellthrough, { operator }: Common) {
  const { admin } = client;
  return operator
    ? {
        list: () => admin.listOperatorWebhooks(),
        create: (body: NewWebhook) => admin.createOperatorWebhook(body),
        change: (id: number, body: Partial<NewWebhook>) => admin.changeOperatorWebhook(id, body),
        remove: (id: number) => admin.deleteOperatorWebhook(id),
        test: (id: number) => admin.testOperatorWebhook(id),
        rotate: (id: number, hours: number) =>
          admin.rotateOperatorWebhookSecret(id, { overlap_hours: hours }),
        deliveries: (id: number, query: DeliveryQuery) => admin.listOperatorWebhookDeliveries(id, query),
        redeliver: (id: number, event: number) => admin.redeliverToOperatorWebhook(id, event),
        redeliverSince: (id: number, from: number | string) =>
          admin.redeliverSinceToOperatorWebhook(id, { from }),
      }
    : {
        list: () => client.listWebhooks(),
        create: (body: NewWebhook) => client.createWebhook(body),
        change: (id: number, body: Partial<NewWebhook>) => client.changeWebhook(id, body),
        remove: (id: number) => client.deleteWebhook(id),
        test: (id: number) => client.testWebhook(id),
        rotate: (id: number, hours: number) => client.rotateWebhookSecret(id, { overlap_hours: hours }),
        deliveries: (id: number, query: DeliveryQuery) => client.listWebhookDeliveries(id, query),
        redeliver: (id: number, event: number) => client.redeliverToWebhook(id, event),
        redeliverSince: (id: number, from: number | string) => client.redeliverSinceToWebhook(id, { from }),
      };
}

type NewWebhook = Parameters<Sellthrough['createWebhook']>[0];
type DeliveryQuery = NonNullable<Parameters<Sellthrough['listWebhookDeliveries']>[1]>;

function listCommand(): Command {
  return command('list', 'list endpoints with their state', 'them').action((options: Common) =>
    withService(async (client) => {
      const data = await endpointsOf(client, options).list();
      answer(options.json, { data }, data.length === 0 ? 'There is none.\n' : textTable(columns, data));
    }),
  );
}

const columns: readonly Column<Webhook>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'STATE', value: stateOf },
  { title: 'TYPES', value: ({ types }) => (types.length === 0 ? 'all' : types.join(' ')) },
  { title: 'URL', value: ({ url }) => url },
];

function stateOf({ enabled, disabled_reason, failing_since }: Webhook): string {
  if (disabled_reason !== null) return `switched off: ${disabled_reason}`;
  if (!enabled) return 'off';
  return failing_since === null ? 'on' : `failing since ${failing_since}`;
}

interface Settings {
  readonly types?: string;
  readonly description?: string;
}

function settingsOf({ types, description }: Settings): Partial<NewWebhook> {
  const list = types === undefined ? undefined : listed(types);
  return {
    ...(list === undefined ? {} : { types: list as NonNullable<NewWebhook['types']> }),
    ...(description === undefined ? {} : { description }),
  };
}

function createCommand(): Command {
  return command('create', 'create an endpoint for new events; prints its secret once', 'it')
    .argument('<url>', 'an https address')
    .option('--types <list>', 'only these types: order.completed,plan.expired')
    .option('--description <text>', 'a note for yourself')
    .action((url: string, options: Common & Settings) =>
      withService(async (client) => {
        const made = await endpointsOf(client, options).create({ url, ...settingsOf(options) });
        const { webhook, secret } = made;
        const text = textRecord([...recordOf(webhook), ['secret', secret]]);
        answer(options.json, { webhook, secret }, `${text}\nKeep the secret: it is not shown again.\n`);
      }),
    );
}

function changeCommand(): Command {
  return command('change', 'change the address or types; turn it off or on', 'it')
    .addArgument(whichWebhook())
    .option('--url <url>', 'an https address')
    .option('--types <list>', 'only these types; "" for all')
    .option('--description <text>', 'a note for yourself')
    .option('--on', 'go on sending, where it was')
    .option('--off', 'turn it off')
    .action((id: number, options: Common & Settings & { url?: string; on?: boolean; off?: boolean }) =>
      withService(async (client) => {
        const { url, on, off } = options;
        if (on && off) throw new CommandFailed('Use --on or --off, not both.', exitCodes.usage);
        const webhook = await endpointsOf(client, options).change(id, {
          ...settingsOf(options),
          ...(url === undefined ? {} : { url }),
          ...(on || off ? { enabled: on === true } : {}),
        });
        answer(options.json, { webhook }, textRecord(recordOf(webhook)));
      }),
    );
}

function recordOf(webhook: Webhook): Parameters<typeof textRecord>[0] {
  const { id, url, types, description } = webhook;
  return [
    ['webhook', id],
    ['url', url],
    ['types', types.length === 0 ? 'all' : types.join(' ')],
    ['description', description],
    ['state', stateOf(webhook)],
  ];
}

function deleteCommand(): Command {
  return command('delete', 'delete an endpoint and its log', 'what was done')
    .addArgument(whichWebhook())
    .action((id: number, options: Common) =>
      withService(async (client) => {
        const done = await endpointsOf(client, options).remove(id);
        answer(options.json, done, `Endpoint ${id} is deleted.\n`);
      }),
    );
}

function testCommand(): Command {
  return command('test', 'send a test event now and show the answer', 'it')
    .addArgument(whichWebhook())
    .action((id: number, options: Common) =>
      withService(async (client) => {
        const tested = await endpointsOf(client, options).test(id);
        const { delivered, status, reason, milliseconds, answer: text } = tested;
        const what = status === null ? reason : `status ${status}`;
        answer(
          options.json,
          tested,
          `${delivered ? 'Delivered' : 'Not delivered'}: ${what} after ${milliseconds} ms.\n${text === '' ? '' : `${text}\n`}`,
        );
        if (!delivered) commandIo().exitCode = exitCodes.findings;
      }),
    );
}

function secretCommand(): Command {
  return command('secret', 'create a new secret; the previous one also signs for a while', 'it')
    .addArgument(whichWebhook())
    .option('--overlap <hours>', 'hours that the previous one still works, 0 to 168', wholeFrom(0), 24)
    .action((id: number, options: Common & { overlap: number }) =>
      withService(async (client) => {
        const { webhook, secret } = await endpointsOf(client, options).rotate(id, options.overlap);
        const until = webhook.previous_secret_until;
        const old =
          until === null ? 'The previous one no longer signs.' : `The previous one signs until ${until}.`;
        answer(options.json, { webhook, secret }, `${secret}\nKeep it: it is not shown again. ${old}\n`);
      }),
    );
}

function deliveriesCommand(): Command {
  return command('deliveries', 'list deliveries to an endpoint, newest first', 'them')
    .addArgument(whichWebhook())
    .option('--status <status>', 'only delivered, failed or given_up')
    .option('--limit <count>', 'how many, at most 100', wholeFrom(1), 25)
    .action((id: number, options: Common & { status?: DeliveryQuery['status']; limit: number }) =>
      withService(async (client) => {
        const { status, limit } = options;
        const page = await endpointsOf(client, options).deliveries(id, { ...(status && { status }), limit });
        const text = page.data.length === 0 ? 'Nothing was sent.\n' : textTable(deliveryColumns, page.data);
        answer(options.json, page, text);
      }),
    );
}

const deliveryColumns: readonly Column<Delivery>[] = [
  { title: 'AT', value: ({ at }) => at },
  { title: 'EVENT', value: ({ event_id: id }) => id, align: 'right' },
  { title: 'TYPE', value: ({ event_type: type }) => type },
  { title: 'ATTEMPT', value: ({ attempt }) => attempt, align: 'right' },
  { title: 'STATUS', value: ({ status }) => status },
  {
    title: 'ANSWER',
    value: ({ http_status: status, reason }) => (status === null ? reason : String(status)),
  },
  { title: 'MS', value: ({ milliseconds }) => milliseconds, align: 'right' },
];

function redeliverCommand(): Command {
  return command('redeliver', 'send one event again, or all events from a point on', 'the endpoint')
    .addArgument(whichWebhook())
    .option('--event <id>', 'this event', wholeFrom(1))
    .option('--since <from>', 'everything from this event’s id or this time (2027-01-01T00:00:00Z) on')
    .action((id: number, options: Common & { event?: number; since?: string }) =>
      withService(async (client) => {
        const { event, since } = options;
        if ((event === undefined) === (since === undefined))
          throw new CommandFailed('Use --event or --since.', exitCodes.usage);
        const endpoints = endpointsOf(client, options);
        const webhook =
          event === undefined
            ? await endpoints.redeliverSince(id, /^\d+$/.test(since ?? '') ? Number(since) : (since ?? ''))
            : await endpoints.redeliver(id, event);
        answer(
          options.json,
          { webhook },
          `It will be sent${webhook.enabled ? '' : ' once the endpoint is on'}.\n`,
        );
      }),
    );
}
