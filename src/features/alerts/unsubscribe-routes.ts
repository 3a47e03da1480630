// The unsubscribe page, without a session. GET only asks, because mail scanners open links. Mail programs may POST in one
// click (RFC 8058).

import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../../platform/database/database.ts';
import { readUnsubscribeToken, unsubscribePath } from '../../platform/mail/unsubscribe-token.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { html } from '../../shared/markup.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { BrandHolder } from '../brand/brand-store.ts';
import { type PageLook, page } from '../brand/page-layout.ts';
import { installPlainPages, showPage } from '../brand/plain-pages.ts';
import { subscribeAgain, unsubscribe } from './unsubscribe.ts';

export interface UnsubscribeDependencies {
  readonly database: Queryable;
  readonly brand: BrandHolder;
  readonly seal: Seal;
  readonly now: () => EpochSeconds;
  readonly publicUrl: () => string;
}

interface WithToken {
  Params: { token: string };
}

export async function unsubscribeRoutes(
  app: FastifyInstance,
  { database, brand, seal, now, publicUrl }: UnsubscribeDependencies,
): Promise<void> {
  const hidden = { schema: { hide: true } };
  const lookOf = installPlainPages(app, {
    formTargets: "'self'",
    notReadable: unknownPage,
    brand,
    publicUrl,
  });

  app.get<WithToken>(`${unsubscribePath}:token`, hidden, async (request, reply) => {
    const subscriber = readUnsubscribeToken(seal, request.params.token);
    if (subscriber === null) return showPage(reply, 410, unknownPage(lookOf(request)));
    return showPage(reply, 200, askPage(lookOf(request), subscriber.address));
  });

  app.post<WithToken>(`${unsubscribePath}:token`, hidden, async (request, reply) => {
    const { token } = request.params;
    const subscriber = readUnsubscribeToken(seal, token);
    if (subscriber === null) return showPage(reply, 410, unknownPage(lookOf(request)));
    await unsubscribe(database, subscriber, now());
    return showPage(reply, 200, donePage(lookOf(request), subscriber.address, token));
  });

  app.post<WithToken>(`${unsubscribePath}:token/undo`, hidden, async (request, reply) => {
    const subscriber = readUnsubscribeToken(seal, request.params.token);
    if (subscriber === null) return showPage(reply, 410, unknownPage(lookOf(request)));
    await subscribeAgain(database, subscriber);
    return showPage(reply, 200, againPage(lookOf(request), subscriber.address));
  });
}

function askPage(look: PageLook, address: string): string {
  const { t } = look.translator;
  return page(
    look,
    t('no_alerts_title'),
    html`<h1>${t('no_alerts_title')}</h1>
<p>${t('no_alerts_text', { address })}</p>
<form method="post"><button type="submit">${t('no_alerts_button')}</button></form>`,
  );
}

function donePage(look: PageLook, address: string, token: string): string {
  const { t } = look.translator;
  return page(
    look,
    t('alerts_off_title'),
    html`<h1>${t('alerts_off_title')}</h1>
<p>${t('alerts_off_text', { address })}</p>
<form method="post" action="${unsubscribePath}${token}/undo"><button type="submit" class="quiet">${t('alerts_off_undo')}</button></form>`,
  );
}

function againPage(look: PageLook, address: string): string {
  const { t } = look.translator;
  return page(
    look,
    t('alerts_on_title'),
    html`<h1>${t('alerts_on_title')}</h1>
<p>${t('alerts_on_text', { address })}</p>`,
  );
}

function unknownPage(look: PageLook): string {
  const { t } = look.translator;
  return page(
    look,
    t('spent_title'),
    html`<h1>${t('mail_link_unknown_heading')}</h1>
<p>${t('mail_link_unknown_text')}</p>`,
  );
}
