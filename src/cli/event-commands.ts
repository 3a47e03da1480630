// sellthrough events: prints the feed, once or endlessly. sellthrough listen: signs each event and sends it to a local
// program, so that an endpoint can be developed behind a firewall.

import { setTimeout as pause } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { KnownEvent, ReadEventsQuery, Sellthrough } from '../../sdk/src/index.ts';
import { eventTypes } from '../features/events/event-schemas.ts';
import { mintSecret, signedHeaders, signingKeyOf } from '../platform/outbound/webhook-signature.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { commandIo } from './command-io.ts';
import { wholeFrom } from './listing.ts';
import { type Column, secondOf, textTable } from './text-table.ts';
import { withService } from './with-service.ts';

interface EventOptions {
  readonly type?: (typeof eventTypes)[number];
  readonly after?: number;
  readonly limit: number;
  readonly follow: boolean;
  readonly everybody: boolean;
  readonly json: boolean;
}

const everybody = () =>
  new Option('--everybody', 'the events of all accounts (an administrator’s key)').default(false);
const ofType = () => new Option('--type <type>', 'only events of this type').choices(eventTypes);

const columns: readonly Column<KnownEvent>[] = [
  { title: 'EVENT', value: ({ id }) => id, align: 'right' },
  { title: 'AT', value: ({ created_at }) => secondOf(created_at) },
  { title: 'ACCOUNT', value: ({ account_id }) => account_id, align: 'right', mayLeave: true },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'WHAT', value: summaryOf, mayShrink: true },
];

export function eventsCommand(): Command {
  return new Command('events')
    .description('show what happened, oldest first')
    .option('--after <event>', 'events after the one with this id', wholeFrom(1))
    .addOption(ofType())
    .option('--limit <number>', 'how many events at once, up to 100', wholeFrom(1, 100), 25)
    .option('--follow', 'keep waiting for new events: from now on, or after --after', false)
    .addOption(everybody())
    .option('--json', 'print JSON: the answer, or with --follow one event on each line', false)
    .action((options: EventOptions) =>
      withService(async (service) => {
        const { after, type, limit, follow, json } = options;
        const feed = feedOf(service, options);
        if (!follow) {
          const page = await feed.read({ after, type, limit });
          const shown = page.data as KnownEvent[];
          const behind = page.has_more ? `; more with --after ${page.next_after}` : '';
          answer(json, page, shown.length === 0 ? '' : textTable(columns, shown));
          if (!json) commandIo().stderr.write(`${shown.length} events${behind}\n`);
          return;
        }
        const from = after ?? (await newest(feed));
        commandIo().stderr.write('Waiting for events. Ctrl+C ends it.\n');
        for await (const event of feed.follow({ after: from, type })) {
          commandIo().stdout.write(json ? `${JSON.stringify(event)}\n` : `${lineOf(event)}\n`);
        }
      }),
    );
}

interface ListenOptions {
  readonly forward: string;
  readonly type?: (typeof eventTypes)[number];
  readonly everybody: boolean;
}

const answerMilliseconds = 10_000;
const restMillisecondsMax = 10_000;

export function listenCommand(): Command {
  return new Command('listen')
    .description('forward events to a program on this machine, signed as for an endpoint')
    .requiredOption('--forward <url>', 'where to: http://localhost:4000/webhooks')
    .addOption(ofType())
    .addOption(everybody())
    .action((options: ListenOptions) =>
      withService(async (service) => {
        const url = URL.parse(options.forward);
        if (url === null || !['http:', 'https:'].includes(url.protocol)) {
          throw new CommandFailed(
            `--forward must be an address such as http://localhost:4000/webhooks, not "${options.forward}".`,
            exitCodes.usage,
          );
        }
        // Read from the environment, because every user of the machine can see arguments.
        const secret = commandIo().env['SELLTHROUGH_WEBHOOK_SECRET'] || mintSecret();
        if (!/^whsec_[A-Za-z0-9+/=]{32,}$/.test(secret)) {
          throw new CommandFailed(
            'SELLTHROUGH_WEBHOOK_SECRET must be the secret of an endpoint and begin with whsec_.',
            exitCodes.usage,
          );
        }
        const feed = feedOf(service, options);
        const from = await newest(feed);
        commandIo().stdout.write(`Sending events to ${url.href}\nSigned with ${secret}\nCtrl+C ends it.\n`);
        for await (const event of feed.follow({ after: from, type: options.type }))
          await forward(event, url, secret);
      }),
    );
}

/** Retries until the program accepts connections, then prints its answer. */
async function forward(event: KnownEvent, url: URL, secret: string): Promise<void> {
  const body = JSON.stringify(event);
  for (let restMilliseconds = 500; ; restMilliseconds = Math.min(restMilliseconds * 2, restMillisecondsMax)) {
    const id = `evt_${event.id}`;
    const headers = signedHeaders({ id, body, keys: [signingKeyOf(secret)] }, Math.floor(Date.now() / 1_000));
    try {
      const answered = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(answerMilliseconds),
      });
      await answered.body?.cancel();
      commandIo().stdout.write(`${lineOf(event)} → ${answered.status}\n`);
      return;
    } catch (error) {
      const reason = error instanceof Error && error.name === 'TimeoutError' ? 'no answer' : 'no connection';
      commandIo().stdout.write(`${lineOf(event)} → ${reason}, again in ${restMilliseconds / 1_000} s\n`);
      await pause(restMilliseconds);
    }
  }
}

type Feed = ReturnType<typeof feedOf>;

function feedOf(service: Sellthrough, { everybody: ofAll }: { readonly everybody: boolean }) {
  const { admin } = service;
  return ofAll
    ? {
        read: (query: ReadEventsQuery) => admin.readAllEvents(query),
        follow: (query: ReadEventsQuery) => admin.listEvents(query),
      }
    : {
        read: (query: ReadEventsQuery) => service.readEvents(query),
        follow: (query: ReadEventsQuery) => service.listEvents(query),
      };
}

async function newest(feed: Feed): Promise<number | undefined> {
  const { last_id: last } = await feed.read({ limit: 1 });
  return last ?? undefined;
}

function lineOf(event: KnownEvent): string {
  return `${secondOf(event.created_at)}  ${event.type}  ${summaryOf(event)}`;
}

function summaryOf({ data }: KnownEvent): string {
  if ('order' in data) {
    const { order } = data;
    return `${order.customer.reference}, ${order.package.name}, ${order.price} ${order.currency}`;
  }
  if ('customer' in data) {
    const { reference, plan } = data.customer;
    return `${reference}, ${plan.package} until ${plan.expires_at.slice(0, 10)}`;
  }
  if ('amount' in data) return `${data.amount} ${data.currency}, balance ${data.balance}`;
  if ('balance_below' in data) return `${data.balance} ${data.currency}, below ${data.balance_below}`;
  if ('package' in data) return `${data.package.name} from ${data.from}`;
  if ('key' in data) return `…${data.key.last_four}`;
  if ('webhook' in data) return data.webhook.url;
  return '';
}
