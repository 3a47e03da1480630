// Pages behind a login link: confirmation, notices, and the customer's own page.

import type { TextKey } from '../../platform/text/english-texts.ts';
import type { Translator } from '../../platform/text/translator.ts';
import type { LimitDefinition, LimitValue } from '../../shared/limits.ts';
import { html, Markup } from '../../shared/markup.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { notice, type PageLook, page, supportButton, textByShop } from '../brand/page-layout.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { type PlanStatus, planStatus } from '../order-engine/records/plan-life.ts';
import type { Package } from '../packages/package-catalog.ts';

/** Names the shop but not the customer, because mail scanners and chat previews open links too. */
export function confirmPage(look: PageLook): string {
  const { t } = look.translator;
  return page(
    look,
    t('login_title'),
    html`<h1>${t('login_title')}</h1>
<p>${textByShop(look, ['login_text_shop', 'login_text'])}</p>
<form method="post"><button type="submit">${t('login_button')}</button></form>`,
  );
}

export function spentPage(look: PageLook): string {
  return notice(look, 'spent_title', 'spent_heading', ['spent_text_shop', 'spent_text']);
}

export function signedOutPage(look: PageLook): string {
  return notice(look, 'signed_out_title', 'signed_out_heading', ['signed_out_text_shop', 'signed_out_text']);
}

export function loggedOutPage(look: PageLook): string {
  return notice(look, 'logged_out_title', 'logged_out_heading', ['logged_out_text_shop', 'logged_out_text']);
}

export function suspendedPage(look: PageLook): string {
  return notice(look, 'suspended_title', 'suspended_heading', ['suspended_text_shop', 'suspended_text']);
}

interface ShownPlan {
  readonly plan: Package | undefined;
  readonly limits: readonly LimitDefinition[];
}

export function customerPage(
  look: PageLook,
  customer: Customer,
  { plan, limits }: ShownPlan,
  now: EpochSeconds,
  isTest: boolean,
): string {
  const { translator } = look;
  const { t } = translator;
  // Suspended customers never see this page, so suspension is left out.
  const state = planStatus(customer.expiresAt, false, customer.cancelled, now);
  const isActive = state === 'active';
  const name = plan?.name ?? t('your_plan');
  const features = (plan?.features ?? []).map((feature) => html`<li dir="auto">${feature}</li>`);
  const description = plan?.description ?? null;
  const end = isActive ? (customer.endsAtPeriodEnd ? 'ends' : 'runs_until') : 'ended';
  return page(
    look,
    name,
    html`${isTest ? html`<p class="test" role="note">${t('test_mode', { now: translator.moment(now) })}</p>` : html``}
<header><p class="who"><bdi>${customer.name}</bdi></p>
<form method="post" action="/customer/logout"><button type="submit" class="quiet">${t('log_out')}</button></form></header>
<h1><bdi>${name}</bdi> <span class="state ${isActive ? 'on' : 'off'}">${t(stateWords[state])}</span></h1>
${description === null ? html`` : html`<p dir="auto">${description}</p>`}
${isActive ? timeLeft(translator, customer, now) : html``}
<dl>
<div><dt>${t('started')}</dt><dd>${day(translator, customer.anchorAt)}</dd></div>
<div><dt>${t(end)}</dt><dd>${day(translator, customer.expiresAt)}</dd></div>
${isActive ? html`<div><dt>${t('renewal')}</dt><dd>${renewal(translator, customer)}</dd></div>` : html``}
</dl>
${isActive ? html`` : html`<p>${textByShop(look, ['ask_to_go_on_shop', 'ask_to_go_on'])}</p>${supportButton(look)}`}
${plan === undefined ? html`` : limitsTable(translator, plan, limits)}
${features.length === 0 ? html`` : html`<h2>${t('features')}</h2><ul>${features}</ul>`}
${isActive ? html`<p class="ask">${textByShop(look, ['questions_shop', 'questions'])}</p>` : html``}`,
  );
}

const stateWords = {
  active: 'state_active',
  suspended: 'state_suspended',
  cancelled: 'state_cancelled',
  expired: 'state_expired',
} as const satisfies Record<PlanStatus, TextKey>;

function renewal({ t }: Translator, { endsAtPeriodEnd, renewMonths }: Customer): string {
  if (endsAtPeriodEnd) return t('renewal_ends');
  return renewMonths === null ? t('renewal_none') : t('renewal_automatic', { months: renewMonths });
}

const [minute, hour, wholeDay] = [60, 3_600, 86_400];

/** Rounds days up. Below two days it shows whole hours, so that no customer comes back a day late. */
function timeLeft({ t }: Translator, { anchorAt, expiresAt }: Customer, now: EpochSeconds): Markup {
  const left = expiresAt - now;
  const words =
    left >= 2 * wholeDay
      ? t('days_left', { count: Math.ceil(left / wholeDay) })
      : left >= hour
        ? t('hours_left', { count: Math.floor(left / hour) })
        : left >= minute
          ? t('minutes_left', { count: Math.floor(left / minute) })
          : t('moment_left');
  return html`<p class="left">${emphasized(words)}</p>
<progress aria-label="${t('time_left')}" value="${left}" max="${expiresAt - anchorAt}"></progress>`;
}

/** Allows <strong> in our own text. */
function emphasized(sentence: string): Markup {
  return new Markup(
    sentence
      .split(/(<\/?strong>)/)
      .map((part) => (/^<\/?strong>$/.test(part) ? part : html`${part}`.text))
      .join(''),
  );
}

function limitsTable(
  translator: Translator,
  { limits }: Package,
  definitions: readonly LimitDefinition[],
): Markup {
  const { language, t } = translator;
  const shown = definitions.flatMap(({ key, name, unit, hidden }) => {
    const value = Object.hasOwn(limits, key) ? limits[key] : undefined;
    return hidden || value === undefined ? [] : [{ name: name[language] ?? name.en, value, unit }];
  });
  if (shown.length === 0) return html``;
  const unitOf = (unit: LimitDefinition['unit']) => (unit === null ? '' : ` ${unit[language] ?? unit.en}`);
  const rows = shown.map(
    ({ name, value, unit }) => html`
<div><dt>${name}</dt><dd>${limitValue(translator, value)}${unitOf(unit)}</dd></div>`,
  );
  return html`<h2>${t('limits')}</h2>
<dl>${rows}
</dl>`;
}

function limitValue({ t, count }: Translator, value: LimitValue): Markup | string {
  if (value === null) return t('unlimited');
  if (typeof value === 'boolean') return t(value ? 'included' : 'not_included');
  return typeof value === 'number' ? count(value) : html`<bdi>${value}</bdi>`;
}

function day(translator: Translator, seconds: EpochSeconds): Markup {
  const exact = formatTime(seconds);
  return html`<time datetime="${exact}" title="${translator.moment(seconds)}">${translator.day(seconds)}</time>`;
}
