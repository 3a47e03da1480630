// The page that the unsubscribe link of a mail leads to: GET asks, because mail scanners open links; POST does it, for the
// button, and for mail programs that do it by one click (RFC 8058). Neither needs a session. Registered by api/app.ts.

import type { FastifyInstance } from 'fastify';
import type { Seal } from '../../accounts/seal.ts';
import { html } from '../../contract/markup.ts';
import type { EpochSeconds } from '../../contract/times.ts';
import type { Queryable } from '../../database/database.ts';
import {
  readUnsubscribeToken,
  subscribeAgain,
  unsubscribe,
  unsubscribePath,
} from '../../delivery/mail/unsubscribe-links.ts';
import { page } from '../customer/customer-pages.ts';
import { installPlainPages, showPage } from '../customer/plain-pages.ts';

export interface UnsubscribeDependencies {
  readonly database: Queryable;
  readonly seal: Seal;
  readonly now: () => EpochSeconds;
}

interface WithToken {
  Params: { token: string };
}

export async function unsubscribeRoutes(
  app: FastifyInstance,
  { database, seal, now }: UnsubscribeDependencies,
): Promise<void> {
  const hidden = { schema: { hide: true } };
  installPlainPages(app, { formTargets: "'self'", notReadable: unknownPage });

  app.get<WithToken>(`${unsubscribePath}:token`, hidden, async (request, reply) => {
    const subscriber = readUnsubscribeToken(seal, request.params.token);
    if (subscriber === null) return showPage(reply, 410, unknownPage());
    return showPage(reply, 200, askPage(subscriber.address));
  });

  app.post<WithToken>(`${unsubscribePath}:token`, hidden, async (request, reply) => {
    const { token } = request.params;
    const subscriber = readUnsubscribeToken(seal, token);
    if (subscriber === null) return showPage(reply, 410, unknownPage());
    await unsubscribe(database, subscriber, now());
    return showPage(reply, 200, donePage(subscriber.address, token));
  });

  app.post<WithToken>(`${unsubscribePath}:token/undo`, hidden, async (request, reply) => {
    const subscriber = readUnsubscribeToken(seal, request.params.token);
    if (subscriber === null) return showPage(reply, 410, unknownPage());
    await subscribeAgain(database, subscriber);
    return showPage(reply, 200, againPage(subscriber.address));
  });
}

function askPage(address: string): string {
  return page(
    'No more alerts?',
    html`<h1>No more alerts?</h1>
<p>Alerts of this account are mailed to <bdi>${address}</bdi>. Mail about the security of an account always comes.</p>
<form method="post"><button type="submit">Send no more</button></form>`,
  );
}

function donePage(address: string, token: string): string {
  return page(
    'No more alerts',
    html`<h1>No more alerts</h1>
<p><bdi>${address}</bdi> gets no more alerts of this account.</p>
<form method="post" action="${unsubscribePath}${token}/undo"><button type="submit" class="quiet">Send them again</button></form>`,
  );
}

function againPage(address: string): string {
  return page(
    'Alerts come again',
    html`<h1>Alerts come again</h1>
<p>Alerts of this account are mailed to <bdi>${address}</bdi>.</p>`,
  );
}

function unknownPage(): string {
  return page(
    'Link not valid',
    html`<h1>This link is not valid</h1>
<p>Open the link at the end of a mail, whole.</p>`,
  );
}
