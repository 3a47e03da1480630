// A job that queues alert mails for low balances, payments and ending plans, from their events. Ending plans are gathered into one
// mail a day.
// Invariant: each event is mailed once per address, because progress is saved in the transaction that queues the mail.

import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { bigint, oneOf } from '../../platform/database/row-values.ts';
import type { MailPart } from '../../platform/mail/mail-content.ts';
import type { MailOutbox, MailToQueue } from '../../platform/mail/mail-outbox.ts';
import { publicId, realAccountIdMax } from '../../shared/identifiers.ts';
import { type EpochSeconds, parseTime } from '../../shared/times.ts';
import type { EventData } from '../events/event-schemas.ts';
import { languageAt } from '../identity/reading-language.ts';
import { confirmedAddresses } from './alert-addresses.ts';
import { type PaymentMail, paymentEventTypes, paymentMail } from './payment-mails.ts';

export interface AlertMailDependencies {
  readonly database: Database;
  readonly mails: Pick<MailOutbox, 'queueMail'>;
  readonly publicUrl: () => string;
  readonly now: () => EpochSeconds;
}

const accountsAtOnce = 50;
const eventsAtOnce = 200;
const plansListedMax = 50;
/** The minimum time between mails about ending plans. One-day notices use half of it, to arrive before the end. */
const gatherSeconds = 86_400;
const isGathered = `t.ending_mailed_at is null or t.ending_mailed_at <= to_timestamp($2::bigint)
      - make_interval(secs => ${gatherSeconds} / case when t.plans_ending_days = 1 then 2 else 1 end)`;

const listLow: SqlStatement = {
  name: 'list_low_balances_to_mail',
  text: `select t.account_id from alerts t where t.emails <> '{}' and t.account_id > $1::int and t.account_id <= ${realAccountIdMax}
      and exists (select 1 from events e where e.account_id = t.account_id and e.type = 'balance.low'
        and e.number > t.low_mailed_number)
    order by t.account_id limit ${accountsAtOnce}`,
};

const listEnding: SqlStatement = {
  name: 'list_ending_plans_to_mail',
  text: `select t.account_id from alerts t where t.emails <> '{}' and t.account_id > $1::int and t.account_id <= ${realAccountIdMax}
      and t.plans_ending_days is not null
      and (${isGathered})
      and exists (select 1 from events e where e.account_id = t.account_id and e.type = 'plan.ending'
        and e.number > t.ending_mailed_number)
    order by t.account_id limit ${accountsAtOnce}`,
};

const ofPayments = `(${paymentEventTypes.map((type) => `'${type}'`).join(', ')})`;

const listPaid: SqlStatement = {
  name: 'list_payments_to_mail',
  text: `select t.account_id from alerts t where t.emails <> '{}' and t.account_id > $1::int and t.account_id <= ${realAccountIdMax}
      and exists (select 1 from events e where e.account_id = t.account_id and e.type in ${ofPayments}
        and e.number > t.payments_mailed_number)
    order by t.account_id limit ${accountsAtOnce}`,
};

const readPayments: SqlStatement = {
  name: 'read_payments_to_mail',
  text: `select number, type, data from events where account_id = $1::int and type in ${ofPayments} and number > $2::int
    order by number limit ${eventsAtOnce}`,
};

const readMoney: SqlStatement = {
  name: 'read_money_to_mail',
  text: 'select balance_cents, receivable_cents from accounts where id = $1::int',
};

const notePaid: SqlStatement = {
  name: 'note_payments_mailed',
  text: 'update alerts set payments_mailed_number = $2::int where account_id = $1::int',
};

const lockAlerts: SqlStatement = {
  name: 'lock_alerts_to_mail',
  text: `select plans_ending_days, emails, low_mailed_number, ending_mailed_number, payments_mailed_number
    from alerts
    where account_id = $1::int for no key update`,
};

const readEvents: SqlStatement = {
  name: 'read_events_to_mail',
  text: `select number, data from events where account_id = $1::int and type = $2::text and number > $3::int
    order by account_id, type, number limit ${eventsAtOnce}`,
};

const readEnding: SqlStatement = {
  name: 'read_ending_plans_to_mail',
  text: `select number, data, (data::jsonb ->> 'days')::int = $4::int as is_asked
    from events where account_id = $1::int and type = 'plan.ending' and number > $2::int
    order by account_id, type, number limit $3::int`,
};

const noteLow: SqlStatement = {
  name: 'note_low_balance_mailed',
  text: 'update alerts set low_mailed_number = $2::int where account_id = $1::int',
};

const noteEnding: SqlStatement = {
  name: 'note_ending_plans_mailed',
  text: `update alerts set ending_mailed_number = $2::int, ending_mailed_at = coalesce(to_timestamp($3::bigint), ending_mailed_at)
    where account_id = $1::int`,
};

interface Mailing {
  readonly list: SqlStatement;
  mail(transaction: Queryable, accountId: number): Promise<void>;
}

export async function queueAlertMails(
  { database, mails, publicUrl, now }: AlertMailDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const mailings: readonly Mailing[] = [
    { list: listLow, mail: (transaction, id) => mailLowBalances(transaction, mails, id, now()) },
    { list: listPaid, mail: (transaction, id) => mailPayments(transaction, mails, publicUrl(), id, now()) },
    { list: listEnding, mail: (transaction, id) => mailEndingPlans(transaction, mails, id, now()) },
  ];
  let isLeft = false;
  await eachInTurn(mailings, ({ list, mail }) =>
    eachInTurn(accountsToMail(database, list, now), async (accountId) => {
      if (signal.aborted) isLeft = true;
      else await database.transaction((transaction) => mail(transaction, accountId), { rank: 'reads' });
    }),
  );
  return isLeft;
}

async function* accountsToMail(
  database: Database,
  list: SqlStatement,
  now: () => EpochSeconds,
): AsyncGenerator<number> {
  for (let after = 0; ; ) {
    const rows = await database.query(list, list === listEnding ? [after, now()] : [after]);
    for (const row of rows) {
      after = Number(row['account_id']);
      yield after;
    }
    if (rows.length < accountsAtOnce) return;
  }
}

async function mailLowBalances(
  transaction: Queryable,
  mails: AlertMailDependencies['mails'],
  accountId: number,
  now: EpochSeconds,
): Promise<void> {
  const [alerts] = await transaction.query(lockAlerts, [accountId]);
  const events = await eventsBehind(transaction, accountId, 'balance.low', alerts?.['low_mailed_number']);
  const last = events.at(-1);
  if (alerts === undefined || last === undefined) return;
  for (const { number, data } of events) {
    const low = data as EventData<'balance.low'>;
    const content: MailToQueue['content'] = ({ t, money }) => {
      const limit = money(low.balance_below, low.currency);
      return {
        subject: t('mail_low_subject', { limit }),
        parts: [
          { type: 'text', text: t('mail_low_text') },
          {
            type: 'facts',
            facts: [
              [t('mail_balance'), money(low.balance, low.currency)],
              [t('mail_low_limit'), limit],
            ],
          },
        ],
      };
    };
    await queueToAll(transaction, mails, alerts, { accountId, number, content }, now);
  }
  await transaction.query(noteLow, [accountId, last.number]);
}

async function mailPayments(
  transaction: Queryable,
  mails: AlertMailDependencies['mails'],
  publicUrl: string,
  accountId: number,
  now: EpochSeconds,
): Promise<void> {
  const [alerts] = await transaction.query(lockAlerts, [accountId]);
  if (alerts === undefined) return;
  const last = Number(alerts['payments_mailed_number']);
  const events = await transaction.query(readPayments, [accountId, last]);
  const [money] = await transaction.query(readMoney, [accountId]);
  for (const row of events) {
    const content = paymentMail({
      type: oneOf(paymentEventTypes, row['type']),
      data: JSON.parse(String(row['data'])) as PaymentMail['data'],
      balanceCents: bigint(money?.['balance_cents']),
      receivableCents: bigint(money?.['receivable_cents']),
      publicUrl,
    });
    await queueToAll(transaction, mails, alerts, { accountId, number: Number(row['number']), content }, now);
  }
  if (events.length > 0) await transaction.query(notePaid, [accountId, Number(events.at(-1)?.['number'])]);
}

async function mailEndingPlans(
  transaction: Queryable,
  mails: AlertMailDependencies['mails'],
  accountId: number,
  now: EpochSeconds,
): Promise<void> {
  const [alerts] = await transaction.query(lockAlerts, [accountId]);
  if (alerts === undefined) return;
  const days = Number(alerts['plans_ending_days']);
  const firstNumber = Number(alerts['ending_mailed_number']);
  const { listed, total, lastNumber } = await endingPlans(transaction, accountId, { firstNumber, days, now });
  if (lastNumber === firstNumber) return;
  if (total > 0) {
    const more = total - listed.length;
    const content: MailToQueue['content'] = ({ t, moment, count }) => {
      const facts = listed.map(({ reference, plan }) => {
        const time = moment(parseTime(plan.expires_at) ?? now);
        return [reference, t('mail_ending_plan', { package: plan.package, time })] as const;
      });
      const rest: MailPart[] =
        more > 0 ? [{ type: 'text', text: t('mail_ending_more', { count: count(more) }) }] : [];
      return {
        subject: t('mail_ending_subject', { count: total }),
        parts: [{ type: 'facts', facts }, ...rest],
      };
    };
    await queueToAll(transaction, mails, alerts, { accountId, number: lastNumber, content }, now);
  }
  await transaction.query(noteEnding, [accountId, lastNumber, total > 0 ? now : null]);
}

interface EndingCustomer {
  readonly reference: string;
  readonly plan: { readonly package: string; readonly expires_at: string };
}

/** Reads all events up to now in one run: with one mail a day, a remainder would never catch up. */
async function endingPlans(
  transaction: Queryable,
  accountId: number,
  { firstNumber, days, now }: { firstNumber: number; days: number; now: EpochSeconds },
): Promise<{ listed: readonly EndingCustomer[]; total: number; lastNumber: number }> {
  const listed: EndingCustomer[] = [];
  let [total, lastNumber] = [0, firstNumber];
  for (;;) {
    const rows = await transaction.query(readEnding, [accountId, lastNumber, eventsAtOnce, days]);
    for (const row of rows) {
      lastNumber = Number(row['number']);
      if (row['is_asked'] !== true) continue;
      const { customer }: { customer: EndingCustomer } = JSON.parse(String(row['data']));
      if ((parseTime(customer.plan.expires_at) ?? 0) <= now) continue;
      total += 1;
      if (listed.length < plansListedMax) listed.push(customer);
    }
    if (rows.length < eventsAtOnce) return { listed, total, lastNumber };
  }
}

async function eventsBehind(
  transaction: Queryable,
  accountId: number,
  type: string,
  number: unknown,
): Promise<readonly { readonly number: number; readonly data: unknown }[]> {
  const rows = await transaction.query(readEvents, [accountId, type, Number(number ?? 0)]);
  return rows.map((row) => ({ number: Number(row['number']), data: JSON.parse(String(row['data'])) }));
}

/** The event's id serves as the mail's occasion, which is unique, so that no mail is queued twice. */
async function queueToAll(
  transaction: Queryable,
  mails: AlertMailDependencies['mails'],
  alerts: Row,
  { accountId, number, content }: Pick<MailToQueue, 'content'> & { accountId: number; number: number },
  now: EpochSeconds,
): Promise<void> {
  const emails = Array.isArray(alerts['emails']) ? alerts['emails'].map(String) : [];
  for (const to of await confirmedAddresses(transaction, accountId, emails)) {
    const occasion = `event ${publicId(accountId, number)}`;
    const language = await languageAt(transaction, accountId, to);
    const mail: MailToQueue = { accountId, to, kind: 'alert', occasion, language, content };
    await mails.queueMail(transaction, mail, now);
  }
}
