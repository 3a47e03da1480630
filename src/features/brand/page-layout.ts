// The layout of plain pages made by the server: no scripts, nothing from other hosts. `html` escapes all values.

import type { TextKey } from '../../platform/text/english-texts.ts';
import type { Translator } from '../../platform/text/translator.ts';
import { type Language, languages } from '../../shared/languages.ts';
import { html, type Markup } from '../../shared/markup.ts';
import type { Brand } from './brand-store.ts';
import { brandStylesheetPath, iconAddress, logoAddress } from './brand-view.ts';
import { nameInitial } from './name-initial.ts';

export const stylesheetPath = '/customer.css';

export interface PageLook {
  readonly brand: Brand;
  /** Who sold the plan. Known only to those who have a login link or a session. */
  readonly shop?: string | null;
  readonly translator: Translator;
}

const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

export function page(look: PageLook, title: string, body: Markup): string {
  const { brand, translator } = look;
  const { t, language } = translator;
  const others = languages.filter((other) => other !== language);
  const { supportAddress } = brand;
  const icon = iconAddress(brand);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${brand.name === null ? title : `${title} · ${brand.name}`}</title>
<link rel="stylesheet" href="${stylesheetPath}">
<link rel="stylesheet" href="${brandStylesheetPath}">
${icon === null ? html`` : html`<link rel="icon" href="${icon}">\n`}</head>
<body>
${face(look)}<main>
${body}
</main>
<footer>${supportAddress === null ? html`` : html`<p><a href="mailto:${supportAddress}">${t('help', { address: supportAddress })}</a></p>`}
<nav aria-label="${t('languages')}">${others.map(
    (other) =>
      html`<a href="?language=${other}" lang="${other}" hreflang="${other}">${languageNames[other]}</a>`,
  )}</nav></footer>
</body>
</html>
`.text;
}

/** The operator's brand, or without one the shop. */
function face({ brand, shop = null }: PageLook): Markup {
  const { logo } = brand;
  const name = brand.name ?? (logo === null ? shop : null);
  if (name === null && logo === null) return html``;
  const image =
    logo === null
      ? html`<span class="initial" aria-hidden="true">${nameInitial(name ?? '')}</span>`
      : html`<img src="${logoAddress(brand)}" alt="" width="${logo.width}" height="${logo.height}">`;
  return html`<div class="operator" role="banner">${image}${name === null ? html`` : html`<bdi>${name}</bdi>`}</div>\n`;
}

export function notice(look: PageLook, title: TextKey, heading: TextKey, text: TextKey | TextByShop): string {
  const { t } = look.translator;
  const words = typeof text === 'string' ? t(text) : textByShop(look, text);
  return page(look, t(title), html`<h1>${t(heading)}</h1>\n<p>${words}</p>${supportButton(look)}`);
}

/** The first names the shop, the second does not. */
export type TextByShop = readonly [named: TextKey, unnamed: TextKey];

/** Names the operator where the shop is not known. */
export function textByShop(
  { brand, shop, translator: { t } }: PageLook,
  [named, unnamed]: TextByShop,
): string {
  const asked = shop ?? brand.name;
  return asked === null ? t(unnamed) : t(named, { shop: asked });
}

/** The way on from a page that has no other. */
export function supportButton({ brand: { supportAddress }, translator: { t } }: PageLook): Markup {
  return supportAddress === null
    ? html``
    : html`\n<p><a class="button" href="mailto:${supportAddress}">${t('contact_support')}</a></p>`;
}

/** Innocent users see this page too if someone with the same address guesses links. */
export function limitedPage(look: PageLook): string {
  return notice(look, 'limited_heading', 'limited_heading', 'limited_text');
}

export function unavailablePage(look: PageLook): string {
  return notice(look, 'unavailable_heading', 'unavailable_heading', 'unavailable_text');
}

export const stylesheet = `.test {
  padding: 0.5rem 0.75rem;
  border-radius: 0.5rem;
  color: var(--bad);
  background: var(--bad-fill);
  font-weight: 600;
}
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2024, #edeef0);
  --soft: light-dark(#5b5f67, #b0b4ba);
  --page: light-dark(#f6f7f9, #111214);
  --card: light-dark(#fff, #1b1c1f);
  --fill: light-dark(#eff1f4, #26282c);
  --line: light-dark(#dfe1e6, #33353a);
  --accent: light-dark(#1d4ed8, #93b4ff);
  --accent-strong: light-dark(#1a43b8, #b3caff);
  --on-accent: light-dark(#fff, #0b1020);
  --good: light-dark(#166534, #86e0a4);
  --good-fill: light-dark(#e4f4e9, #16301f);
  --bad: light-dark(#9f1d1d, #ff9d9d);
  --bad-fill: light-dark(#fce9e9, #3d1d1f);
}
* { box-sizing: border-box; }
body {
  display: flex;
  flex-direction: column;
  justify-content: center;
  min-height: 100dvh;
  margin: 0;
  padding: 1.5rem 1rem;
  background: var(--page);
  color: var(--ink);
  font: .9375rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
.operator {
  display: flex;
  align-items: center;
  justify-content: center;
  gap: .625rem;
  margin: 0 auto 1rem;
  font-weight: 600;
}
.initial {
  display: grid;
  place-items: center;
  width: 2rem;
  height: 2rem;
  border-radius: 8px;
  background: var(--accent);
  color: var(--on-accent);
}
.operator img { width: auto; height: auto; max-width: 12rem; max-height: 2.5rem; border-radius: 4px; }
@media (prefers-color-scheme: dark) { .operator img { padding: 2px; background: #fff; } }
footer { margin: 1rem auto 0; text-align: center; color: var(--soft); font-size: .875rem; }
footer p { margin: 0; }
footer a { display: inline-block; padding: .75rem; color: inherit; }
main {
  width: 100%;
  max-width: 32rem;
  margin: 0 auto;
  padding: clamp(1.25rem, 5vw, 2rem);
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 12px;
  box-shadow: 0 1px 2px light-dark(rgb(16 18 22 / .05), transparent);
}
header {
  display: flex;
  justify-content: space-between;
  align-items: center;
  gap: 1rem;
  margin-bottom: 1.25rem;
  padding-bottom: 1rem;
  border-bottom: 1px solid var(--line);
}
header p { margin: 0; color: var(--soft); }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.3; letter-spacing: -.01em; }
h1:has(.state) { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; }
h2 { margin: 1.75rem 0 .5rem; font-size: .9375rem; }
p { margin: .5rem 0 1.25rem; }
.ask { margin-top: 1.75rem; color: var(--soft); }
dl { margin: 0; }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
h2 + dl div:first-child { border-top: 0; }
dt { color: var(--soft); }
dd { margin: 0 0 0 auto; font-variant-numeric: tabular-nums; text-align: right; }
ul { margin: 0; padding-left: 1.25rem; }
li { margin: .25rem 0; }
.state { padding: .0625rem .375rem; border-radius: 6px; font-size: .75rem; line-height: 1.5; font-weight: 500; letter-spacing: 0; }
.state.on { background: var(--good-fill); color: var(--good); }
.state.off { background: var(--bad-fill); color: var(--bad); }
.left { margin: 0 0 .375rem; color: var(--soft); }
.left strong { color: var(--ink); font-size: 1.375rem; font-weight: 600; font-variant-numeric: tabular-nums; }
progress {
  display: block;
  width: 100%;
  height: .5rem;
  margin-bottom: 1rem;
  border: 0;
  border-radius: 99px;
  overflow: hidden;
  appearance: none;
  background: var(--fill);
}
main > :last-child { margin-bottom: 0; }
@media (forced-colors: active) {
  progress { border: 1px solid CanvasText; forced-color-adjust: none; }
  .state { border: 1px solid; }
}
progress::-webkit-progress-bar { background: var(--fill); }
progress::-webkit-progress-value { border-radius: 99px; background: var(--accent); }
progress::-moz-progress-bar { border-radius: 99px; background: var(--accent); }
button, .button {
  display: inline-flex;
  align-items: center;
  min-height: 2.75rem;
  padding: .5rem 1.4rem;
  border: 1px solid transparent;
  border-radius: 9px;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 500;
  text-decoration: none;
  cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-strong); }
button.quiet { min-height: 2.25rem; padding: .2rem .875rem; border-color: var(--line); background: var(--card); color: var(--ink); }
button.quiet:hover { background: var(--fill); }
button:focus-visible, .button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (pointer: coarse) { button.quiet { min-height: 2.75rem; } }
`;
