// A job that mails the figures of the business once a week, to the confirmed addresses of accounts that asked for it. The
// operator's account gets the figures of all accounts.
// Invariant: an account is mailed once a week, because the week is saved in the transaction that queues the mail.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { bigint } from '../../platform/database/row-values.ts';
import type { MailPart } from '../../platform/mail/mail-content.ts';
import type { MailOutbox, MailToQueue } from '../../platform/mail/mail-outbox.ts';
import type { Translator } from '../../platform/text/translator.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import { monthlyCents } from '../business/business-figures.ts';
import type { AccountBusiness, BusinessReads } from '../business/business-reads.ts';
import { readWeek, type WeekFigures } from '../business/business-week.ts';
import type { PlanSums } from '../business/plan-sums.ts';
import { languageAt } from '../identity/reading-language.ts';
import { confirmedAddresses } from './alert-addresses.ts';

export interface WeeklySummaryDependencies {
  readonly database: Database;
  readonly business: BusinessReads;
  readonly planSums: Pick<PlanSums, 'bringUpToDate' | 'bringAllUpToDate'>;
  readonly mails: Pick<MailOutbox, 'isOn' | 'queueMail'>;
  readonly publicUrl: () => string;
  readonly now: () => EpochSeconds;
  readonly currency: string;
}

const accountsAtOnce = 50;
const shownAccountsMax = 5;
const daySeconds = 86_400;
const weekDays = 7;
/** Monday at 06:00 UTC. */
const sendingSeconds = 6 * 3_600;
/** 1970-01-01 was a Thursday. */
const mondaysOffset = 3;

const isDue = `t.weekly_summary and t.emails <> '{}' and coalesce(t.weekly_mailed_on < $2::date, true)`;

const listDue: SqlStatement = {
  name: 'list_weekly_summaries_due',
  text: `select t.account_id from alerts t where t.account_id > $1::int and t.account_id <= ${realAccountIdMax}
      and ${isDue} order by t.account_id limit ${accountsAtOnce}`,
};

const lockDue: SqlStatement = {
  name: 'lock_weekly_summary',
  text: `select t.emails from alerts t where t.account_id = $1::int and ${isDue} for no key update`,
};

const noteMailed: SqlStatement = {
  name: 'note_weekly_summary_mailed',
  text: 'update alerts set weekly_mailed_on = $2::date where account_id = $1::int',
};

const readAccount: SqlStatement = {
  name: 'read_account_of_summary',
  text: 'select is_admin, blocked, balance_cents from accounts where id = $1::int',
};

/** The Monday whose mail is due, "2026-11-23". */
export function mondayOf(now: EpochSeconds): string {
  const days = Math.floor((now - sendingSeconds) / daySeconds);
  return dayOf((days - ((days + mondaysOffset) % weekDays)) * daySeconds);
}

/** @returns whether the signal stopped it before all were queued */
export async function queueWeeklySummaries(
  dependencies: WeeklySummaryDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, mails, now } = dependencies;
  if (!mails.isOn) return false;
  const monday = mondayOf(now());
  let isLeft = false;
  await eachInTurn(accountsDue(database, monday), async (accountId) => {
    if (signal.aborted) isLeft = true;
    else await mailSummary(dependencies, accountId, monday);
  });
  return isLeft;
}

async function* accountsDue(database: Database, monday: string): AsyncGenerator<number> {
  for (let after = 0; ; ) {
    const rows = await database.query(listDue, [after, monday]);
    for (const row of rows) {
      after = Number(row['account_id']);
      yield after;
    }
    if (rows.length < accountsAtOnce) return;
  }
}

async function mailSummary(
  { database, business, planSums, mails, publicUrl, now, currency }: WeeklySummaryDependencies,
  accountId: number,
  monday: string,
): Promise<void> {
  const at = now();
  const [account] = await database.ofAccount(accountId).query(readAccount, [accountId]);
  const isOperator = account?.['is_admin'] === true;
  if (isOperator) await planSums.bringAllUpToDate();
  else await planSums.bringUpToDate(accountId);
  const week = await readWeek(business, isOperator ? null : accountId, { monday, now: at });
  const content = summaryContent({
    week,
    currency,
    balanceCents: isOperator ? null : bigint(account?.['balance_cents']),
    url: `${publicUrl()}/panel/${isOperator ? 'admin' : 'business'}`,
  });
  await database.transaction(
    async (transaction) => {
      const [due] = await transaction.query(lockDue, [accountId, monday]);
      if (due === undefined) return;
      const emails = Array.isArray(due['emails']) ? due['emails'].map(String) : [];
      const isWanted = account?.['blocked'] !== true;
      for (const to of isWanted ? await confirmedAddresses(transaction, accountId, emails) : []) {
        const occasion = `weekly summary ${accountId} ${monday}`;
        const language = await languageAt(transaction, accountId, to);
        const mail: MailToQueue = { accountId, to, kind: 'alert', occasion, language, content };
        await mails.queueMail(transaction, mail, at);
      }
      await transaction.query(noteMailed, [accountId, monday]);
    },
    { rank: 'reads' },
  );
}

interface Summary {
  readonly week: WeekFigures;
  readonly currency: string;
  /** null: of all accounts. */
  readonly balanceCents: bigint | null;
  readonly url: string;
}

function summaryContent({ week, currency, balanceCents, url }: Summary): MailToQueue['content'] {
  return (translator) => {
    const { t, day, count, money, month } = translator;
    const amount = (cents: bigint) => money(formatAmount(cents), currency);
    const plans = (number: number, yearCents: bigint) =>
      t('mail_weekly_plans', { count: number, mrr: amount(monthlyCents(yearCents)) });
    const signed = (cents: bigint) => `${cents > 0n ? '+' : ''}${amount(cents)}`;
    const { figures, now } = week;
    const facts: [string, string][] = [
      [
        t('mail_weekly_mrr'),
        t('mail_weekly_change', {
          value: amount(monthlyCents(now.yearCents)),
          change: signed(monthlyCents(week.changeYearCents)),
        }),
      ],
      [t('mail_weekly_active'), count(now.plans)],
      [t('mail_weekly_new'), plans(figures.newPlans, figures.newCents)],
      [t('mail_weekly_returned'), plans(figures.returnedPlans, figures.returnedCents)],
      [t('mail_weekly_lost'), plans(figures.lostPlans, figures.lostCents)],
      ...(week.churnPercent === null
        ? []
        : [
            [t('mail_weekly_churn', { month: month(week.lastMonth) }), `${week.churnPercent} %`] as [
              string,
              string,
            ],
          ]),
      [
        t('mail_weekly_due'),
        t('mail_weekly_due_plans', { count: week.duePlans, cost: amount(week.dueCents) }),
      ],
      ...(balanceCents === null ? [] : [[t('mail_balance'), amount(balanceCents)] as [string, string]]),
    ];
    const out = week.runningOut.slice(0, shownAccountsMax).map((one) => runsOut(one, translator));
    const parts: MailPart[] = [
      { type: 'text', text: t('mail_weekly_text') },
      { type: 'facts', facts },
      ...(out.length === 0
        ? []
        : [{ type: 'text', text: t('mail_weekly_out') } as const, { type: 'facts', facts: out } as const]),
      { type: 'link', label: t('mail_weekly_label'), url },
    ];
    return { subject: t('mail_weekly_subject', { day: day(Date.parse(week.monday) / 1000) }), parts };
  };
}

function runsOut({ username, runsOutOn }: AccountBusiness, { day }: Translator): [string, string] {
  return [username, runsOutOn === null ? '' : day(Date.parse(runsOutOn) / 1000)];
}
