// The pages a customer sees: plain HTML from the server, no script, nothing loaded from elsewhere. Every
// value goes through `html`, which escapes it.

import type { Package } from '../../catalog/package-catalog.ts';
import { html, type Markup } from '../../contract/markup.ts';
import { daysLeft, type EpochSeconds, formatTime } from '../../contract/times.ts';
import type { Customer } from '../../plans/customer-table.ts';
import { type PlanStatus, planStatus } from '../../plans/plan-life.ts';

export const stylesheetPath = '/customer.css';

/** One card in the middle. */
export function page(title: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${stylesheetPath}">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text;
}

/** Opened by the link: one button, nothing spent. The form posts to the page's own address. */
export function confirmPage(): string {
  return page(
    'Log in',
    html`<h1>Log in</h1>
<p>This link logs you in once. Continue to see your plan.</p>
<form method="post"><button type="submit">Continue</button></form>`,
  );
}

export function spentPage(): string {
  return page(
    'Link not valid',
    html`<h1>This link is no longer valid</h1>
<p>Login links work once and only for a short time. Ask for a new one where you bought your plan.</p>`,
  );
}

export function signedOutPage(): string {
  return page(
    'Not logged in',
    html`<h1>You are not logged in</h1>
<p>Open a login link to see your plan. You get one where you bought it.</p>`,
  );
}

export function suspendedPage(): string {
  return page(
    'Access suspended',
    html`<h1>Your access is suspended</h1>
<p>Ask where you bought your plan what to do.</p>`,
  );
}

/** Also for whoever shares an address with somebody who makes links up. */
export function limitedPage(): string {
  return page(
    'Try again in a minute',
    html`<h1>Try again in a minute</h1>
<p>Too much was asked for from your network at once. Nothing was lost: a link that was not used yet still works.</p>`,
  );
}

export function unavailablePage(): string {
  return page(
    'Try again in a moment',
    html`<h1>Try again in a moment</h1>
<p>The service cannot answer right now. Nothing was lost: your link still works.</p>`,
  );
}

/** `now`: in a test, the time of its clock. */
export function customerPage(
  customer: Customer,
  plan: Package | undefined,
  now: EpochSeconds,
  isTest = false,
): string {
  const left = daysLeft(customer.expiresAt, now);
  // Whoever is suspended is not shown this page.
  const state = planStatus(customer.expiresAt, false, customer.cancelled, now);
  const isActive = state === 'active';
  const name = plan?.name ?? 'Your plan';
  const features = (plan?.features ?? []).map((feature) => html`<li dir="auto">${feature}</li>`);
  return page(
    name,
    html`${isTest ? html`<p class="test" role="note">Test mode: nothing here is real. It is ${day(now)}.</p>` : html``}
<header><p class="who"><bdi>${customer.name}</bdi></p>
<form method="post" action="/customer/logout"><button type="submit" class="quiet">Log out</button></form></header>
<h1><bdi>${name}</bdi> <span class="state ${isActive ? 'on' : 'off'}">${stateWords[state]}</span></h1>
${isActive ? timeLeft(customer, left, now) : html``}
<dl>
<div><dt>Started</dt><dd>${day(customer.anchorAt)}</dd></div>
<div><dt>${isActive ? (customer.endsAtPeriodEnd ? 'Ends' : 'Runs until') : 'Ended'}</dt><dd>${day(customer.expiresAt)}</dd></div>
</dl>
${isActive ? html`` : html`<p>To go on, ask where you bought your plan.</p>`}
${plan === undefined ? html`` : limitsTable(plan)}
${features.length === 0 ? html`` : html`<h2>Features</h2><ul>${features}</ul>`}`,
  );
}

const stateWords = {
  active: 'Active',
  suspended: 'Suspended',
  cancelled: 'Cancelled',
  expired: 'Expired',
} satisfies Record<PlanStatus, string>;

/** How much of the plan is used up, in words and as a bar. */
function timeLeft({ anchorAt, expiresAt }: Customer, left: number, now: EpochSeconds): Markup {
  const days = left === 1 ? 'day left' : 'days left';
  return html`<p class="left"><strong>${count(left)}</strong> ${days}</p>
<progress aria-label="Time used" value="${now - anchorAt}" max="${expiresAt - anchorAt}"></progress>`;
}

function limitsTable({ limits }: Package): Markup {
  return html`<h2>Limits</h2>
<dl>
<div><dt>Accounts</dt><dd>${count(limits.accounts)}</dd></div>
<div><dt>Posts per day</dt><dd>${count(limits.postsPerDay)}</dd></div>
<div><dt>AI images per month</dt><dd>${count(limits.aiImagesPerMonth)}</dd></div>
</dl>`;
}

const longDate = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

/** The day, and the exact moment in UTC for machines and for whoever points at it. */
function day(seconds: EpochSeconds): Markup {
  const exact = formatTime(seconds);
  const shown = longDate.format(new Date(seconds * 1000));
  return html`<time datetime="${exact}" title="${exact}">${shown}</time> <small>${exact.slice(11, 16)} UTC</small>`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}

/** The colours and measures of the panel (web/src/styles.css): one product, whoever looks at it. */
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
  margin: 0;
  padding: 1.5rem 1rem 3rem;
  background: var(--page);
  color: var(--ink);
  font: .9375rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
main {
  max-width: 32rem;
  margin: 5vh auto 0;
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
dl { margin: 0; }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
h2 + dl div:first-child { border-top: 0; }
dt { color: var(--soft); }
dd { margin: 0 0 0 auto; font-variant-numeric: tabular-nums; text-align: right; }
dd small { color: var(--soft); font-size: .8125rem; }
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
progress::-webkit-progress-bar { background: var(--fill); }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
button {
  min-height: 2.75rem;
  padding: .5rem 1.4rem;
  border: 1px solid transparent;
  border-radius: 9px;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 500;
  cursor: pointer;
}
button:hover { background: var(--accent-strong); }
button.quiet { min-height: 2.25rem; padding: .2rem .875rem; border-color: var(--line); background: var(--card); color: var(--ink); }
button.quiet:hover { background: var(--fill); }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (pointer: coarse) { button.quiet { min-height: 2.75rem; } }
`;
