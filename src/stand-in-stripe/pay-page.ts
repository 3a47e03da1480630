// The hosted page at a session's `url`: the shop, the amount, and one button for each outcome of a payment.

import { createHash } from 'node:crypto';
import { type Language, languages } from '../shared/languages.ts';
import { html, Markup } from '../shared/markup.ts';
import type { PageButton } from './stripe-checkout.ts';
import type { CheckoutSession } from './stripe-objects.ts';

interface PageTexts {
  readonly standIn: string;
  readonly payTo: string;
  readonly saveCardFor: string;
  readonly amount: string;
  readonly declined: string;
  readonly over: string;
  readonly back: string;
  readonly missing: string;
  readonly cancel: string;
  /** The name of each button and what it does. */
  readonly buttons: Readonly<Record<PageButton, readonly [name: string, effect: string]>>;
}

const english: PageTexts = {
  standIn: 'This page stands in for Stripe, for tests and demos. No money moves, and no card is needed.',
  payTo: 'Pay',
  saveCardFor: 'Save a card for',
  amount: 'Amount',
  declined: 'The card was declined. Try another way, or go back.',
  over: 'This page has been used or has expired.',
  back: 'Back to the shop',
  missing: 'There is no such payment. The stand-in forgets everything when it restarts.',
  cancel: 'Cancel',
  buttons: {
    pay: ['Pay', 'The payment succeeds at once.'],
    fail: ['Fail', 'The card is declined, and you stay here.'],
    pay_later: ['Pay later', 'A direct debit that succeeds later.'],
    pay_later_then_fail: ['Pay later, then fail', 'A direct debit that fails later.'],
    pay_and_dispute: ['Pay and dispute', 'The payment succeeds and is disputed at once.'],
    save_card: ['Save card', 'Later charges succeed.'],
    save_card_that_asks: ['Save card that asks', 'Later charges need a confirmation by its holder.'],
    save_card_that_fails: ['Save card that fails', 'Later charges are declined.'],
  },
};

const german: PageTexts = {
  standIn:
    'Diese Seite vertritt Stripe, für Tests und Demos. Es fließt kein Geld, und Sie brauchen keine Karte.',
  payTo: 'Zahlung an',
  saveCardFor: 'Karte hinterlegen für',
  amount: 'Betrag',
  declined: 'Die Karte wurde abgelehnt. Versuchen Sie einen anderen Weg oder gehen Sie zurück.',
  over: 'Diese Seite wurde schon benutzt oder ist abgelaufen.',
  back: 'Zurück zum Shop',
  missing: 'Diese Zahlung gibt es nicht. Nach einem Neustart ist hier alles vergessen.',
  cancel: 'Abbrechen',
  buttons: {
    pay: ['Bezahlen', 'Die Zahlung gelingt sofort.'],
    fail: ['Karte ablehnen lassen', 'Die Karte wird abgelehnt, und Sie bleiben hier.'],
    pay_later: ['Später bezahlen', 'Eine Lastschrift, die später gelingt.'],
    pay_later_then_fail: ['Später bezahlen, dann platzt es', 'Eine Lastschrift, die später platzt.'],
    pay_and_dispute: ['Bezahlen und anfechten', 'Die Zahlung gelingt und wird sofort angefochten.'],
    save_card: ['Karte hinterlegen', 'Spätere Abbuchungen gelingen.'],
    save_card_that_asks: ['Karte mit Rückfrage', 'Spätere Abbuchungen muss der Inhaber bestätigen.'],
    save_card_that_fails: ['Karte ohne Deckung', 'Spätere Abbuchungen werden abgelehnt.'],
  },
};

const textsOf: Readonly<Record<Language, PageTexts>> = { en: english, de: german };

export interface PayPage {
  readonly session: CheckoutSession;
  readonly shopName: string;
  readonly buttons: readonly PageButton[];
  readonly hasDeclined: boolean;
  readonly language: Language;
}

export function payPage({ session, shopName, buttons, hasDeclined, language }: PayPage): string {
  const texts = textsOf[language];
  const heading = `${session.mode === 'payment' ? texts.payTo : texts.saveCardFor} ${shopName}`;
  const amount = amountOf(session, language);
  return page(
    language,
    heading,
    html`${amount === null ? html`` : html`<dl><dt>${texts.amount}</dt><dd>${amount}</dd></dl>\n`}
${hasDeclined ? html`<p class="bad" role="alert">${texts.declined}</p>\n` : html``}<form method="post">
${buttons.map((button) => {
  const [name, effect] = texts.buttons[button];
  return html`<div><button name="button" value="${button}" aria-describedby="${button}">${name}</button>
<p id="${button}">${effect}</p></div>\n`;
})}</form>
${session.cancel_url === null ? html`` : html`<p><a href="${session.cancel_url}">${texts.cancel}</a></p>`}`,
  );
}

/** A session that is complete or expired, or that the stand-in does not know. */
export function endedPage(
  session: CheckoutSession | null,
  backTo: string | null,
  language: Language,
): string {
  const texts = textsOf[language];
  return page(
    language,
    session === null ? texts.missing : texts.over,
    backTo === null ? html`` : html`<p><a href="${backTo}">${texts.back}</a></p>`,
  );
}

function amountOf({ amount_total, currency }: CheckoutSession, language: Language): string | null {
  if (amount_total === null || currency === null) return null;
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount_total / 100);
}

function page(language: Language, heading: string, body: Markup): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<style>${new Markup(stylesheet)}</style>
</head>
<body>
<main>
<p class="note">${textsOf[language].standIn}</p>
<h1>${heading}</h1>
${body}
</main>
</body>
</html>
`.text;
}

/** The language that the browser names first among ours. */
export function languageOf(header: string | undefined): Language {
  const named = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().slice(0, 2));
  return named.flatMap((name) => languages.filter((each) => each === name))[0] ?? languages[0];
}

const stylesheet = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2024, #edeef0);
  --soft: light-dark(#5b5f67, #b0b4ba);
  --page: light-dark(#f6f7f9, #111214);
  --card: light-dark(#fff, #1b1c1f);
  --line: light-dark(#dfe1e6, #33353a);
  --accent: light-dark(#1d4ed8, #93b4ff);
  --on-accent: light-dark(#fff, #0b1020);
  --bad: light-dark(#9f1d1d, #ff9d9d);
  --bad-fill: light-dark(#fce9e9, #3d1d1f);
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 30rem; margin: 5vh auto 0; padding: clamp(1.25rem, 5vw, 2rem); background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.note { margin: 0; padding: .5rem .75rem; border: 1px dashed var(--soft); border-radius: 8px; }
.bad { padding: .5rem .75rem; border-radius: 8px; background: var(--bad-fill); color: var(--bad); }
h1 { margin: 1.25rem 0 .75rem; font-size: 1.375rem; line-height: 1.3; }
dl { display: flex; justify-content: space-between; margin: 0 0 1rem; padding: .5rem 0; border: solid var(--line); border-width: 1px 0; }
dt { color: var(--soft); }
dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
form div { margin: 0 0 .75rem; }
form p { margin: .125rem 0 0; color: var(--soft); font-size: .875rem; }
button { width: 100%; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: 9px; background: var(--card); color: inherit; font: inherit; font-weight: 500; cursor: pointer; }
form div:first-child button { border-color: transparent; background: var(--accent); color: var(--on-accent); }
button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
a { display: inline-block; padding: .625rem 0; color: var(--accent); }
`;

/** No script runs, nothing is loaded, and no other page can frame this one. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'same-origin',
};
