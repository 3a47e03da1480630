// The page that confirms an alert address, without a session. GET only asks, because mail scanners open links.

import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../../platform/database/database.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import type { TextKey } from '../../platform/text/english-texts.ts';
import { html } from '../../shared/markup.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { BrandHolder } from '../brand/brand-store.ts';
import { type PageLook, page } from '../brand/page-layout.ts';
import { installPlainPages, showPage } from '../brand/plain-pages.ts';
import { confirmAddress, confirmAddressPath, readConfirmAddressToken } from './alert-addresses.ts';

export interface ConfirmAddressDependencies {
  readonly database: Queryable;
  readonly brand: BrandHolder;
  readonly seal: Seal;
  readonly now: () => EpochSeconds;
  readonly publicUrl: () => string;
}

interface WithToken {
  Params: { token: string };
}

export async function confirmAddressRoutes(
  app: FastifyInstance,
  { database, brand, seal, now, publicUrl }: ConfirmAddressDependencies,
): Promise<void> {
  const hidden = { schema: { hide: true } };
  const lookOf = installPlainPages(app, {
    formTargets: "'self'",
    notReadable: unknownPage,
    brand,
    publicUrl,
  });

  app.get<WithToken>(`${confirmAddressPath}:token`, hidden, async (request, reply) => {
    const found = readConfirmAddressToken(seal, request.params.token, now());
    if (found === null) return showPage(reply, 410, unknownPage(lookOf(request)));
    const look = lookOf(request);
    const { t } = look.translator;
    const button = html`<form method="post"><button type="submit">${t('confirm_address_button')}</button></form>`;
    const text = t('confirm_address_text', { address: found.address });
    return showPage(
      reply,
      200,
      page(
        look,
        t('confirm_address_title'),
        html`<h1>${t('confirm_address_title')}</h1><p>${text}</p>${button}`,
      ),
    );
  });

  app.post<WithToken>(`${confirmAddressPath}:token`, hidden, async (request, reply) => {
    const found = readConfirmAddressToken(seal, request.params.token, now());
    if (found === null) return showPage(reply, 410, unknownPage(lookOf(request)));
    await confirmAddress(database, found, now());
    const look = lookOf(request);
    return showPage(reply, 200, plainPage(look, 'alerts_on_title', 'alerts_on_text', found.address));
  });
}

function plainPage(look: PageLook, title: TextKey, text: TextKey, address: string): string {
  const { t } = look.translator;
  return page(
    look,
    t(title),
    html`<h1>${t(title)}</h1>
<p>${t(text, { address })}</p>`,
  );
}

function unknownPage(look: PageLook): string {
  const { t } = look.translator;
  return page(
    look,
    t('spent_title'),
    html`<h1>${t('mail_link_unknown_heading')}</h1>
<p>${t('confirm_address_unknown')}</p>`,
  );
}
