// The addresses that receive alerts. Each must first be confirmed through a mailed link. The only writer of mail_addresses.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import type { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { plainMailAddress } from '../../shared/mail-addresses.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { languageAt } from '../identity/reading-language.ts';

export const confirmAddressPath = '/panel/confirm-address/';

const daySeconds = 86_400;
/** Links per day, to prevent flooding: to one address from all accounts, and from one account. */
const linksToAddressMax = 3;
const linksOfAccountMax = 20;
const linkValidSeconds = 7 * daySeconds;
const addressesAtOnce = 50;

const insertAddresses: SqlStatement = {
  name: 'insert_mail_addresses',
  text: `insert into mail_addresses (account_id, address) select $1::int, a from unnest($2::text[]) a on conflict do nothing`,
};

const askAgain: SqlStatement = {
  name: 'ask_mail_addresses_again',
  text: `update mail_addresses set asked_at = null
    where account_id = $1::int and address = any($2::text[]) and confirmed_at is null
      and asked_at <= to_timestamp($3::bigint)`,
};

// An address asked within a day stays: otherwise removing and adding it would send it a second mail.
const forgetAddresses: SqlStatement = {
  name: 'forget_mail_addresses',
  text: `delete from mail_addresses where account_id = $1::int and address <> all($2::text[])
    and confirmed_at is null and (asked_at is null or asked_at <= to_timestamp($3::bigint))`,
};

const forgetAll: SqlStatement = {
  name: 'forget_mail_addresses_of_account',
  text: 'delete from mail_addresses where account_id = $1::int',
};

const listConfirmed: SqlStatement = {
  name: 'list_confirmed_mail_addresses',
  text: `select address from mail_addresses
    where account_id = $1::int and address = any($2::text[]) and confirmed_at is not null`,
};

// Processes of an older version set alerts without writing their addresses.
const insertMissing: SqlStatement = {
  name: 'insert_missing_mail_addresses',
  text: `insert into mail_addresses (account_id, address)
    select distinct t.account_id, lower(e) from alerts t cross join unnest(t.emails) e
    where t.account_id <= ${realAccountIdMax}
      and not exists (select 1 from mail_addresses m where m.account_id = t.account_id and m.address = lower(e))
    on conflict do nothing`,
};

const listToAsk: SqlStatement = {
  name: 'list_mail_addresses_to_ask',
  text: `select m.account_id, m.address from mail_addresses m
    where m.confirmed_at is null and m.asked_at is null and m.account_id <= ${realAccountIdMax}
      and (m.account_id, m.address) > ($1::int, $2::text)
      and exists (select 1 from alerts t cross join unnest(t.emails) e
        where t.account_id = m.account_id and lower(e) = m.address)
    order by m.account_id, m.address limit ${addressesAtOnce}`,
};

const countAsked: SqlStatement = {
  name: 'count_asked_mail_addresses',
  text: `select (select count(*) from mail_addresses where address = $2 and asked_at > to_timestamp($3::bigint)) as to_address,
      (select count(*) from mail_addresses where account_id = $1::int and asked_at > to_timestamp($3::bigint)) as of_account`,
};

const noteAsked: SqlStatement = {
  name: 'note_mail_address_asked',
  text: `update mail_addresses set asked_at = to_timestamp($3::bigint)
    where account_id = $1::int and address = $2 and confirmed_at is null and asked_at is null returning 1`,
};

const findAccountName: SqlStatement = {
  name: 'find_account_name_to_mail',
  text: 'select display_name from accounts where id = $1::int',
};

const confirmOne: SqlStatement = {
  name: 'confirm_mail_address',
  text: `insert into mail_addresses (account_id, address, confirmed_at) values ($1::int, $2, to_timestamp($3::bigint))
    on conflict (account_id, address) do update
      set confirmed_at = coalesce(mail_addresses.confirmed_at, excluded.confirmed_at)`,
};

const plain = (emails: readonly string[]) => textArray([...new Set(emails.map(plainMailAddress))]);

/** Call in the transaction that sets the alerts. Mails unconfirmed addresses again, at most daily. */
export async function noteAlertAddresses(
  transaction: Queryable,
  accountId: number,
  emails: readonly string[],
  now: EpochSeconds,
): Promise<void> {
  const dayAgo = now - daySeconds;
  await transaction.query(forgetAddresses, [accountId, plain(emails), dayAgo]);
  if (emails.length === 0) return;
  await transaction.query(insertAddresses, [accountId, plain(emails)]);
  await transaction.query(askAgain, [accountId, plain(emails), dayAgo]);
}

/** For a closed account. */
export async function forgetAlertAddresses(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.query(forgetAll, [accountId]);
}

export async function confirmedAddresses(
  database: Queryable,
  accountId: number,
  emails: readonly string[],
): Promise<readonly string[]> {
  if (emails.length === 0) return [];
  const rows = await database.query(listConfirmed, [accountId, plain(emails)]);
  const known = new Set(rows.map((row) => String(row['address'])));
  return emails.filter((email) => known.has(plainMailAddress(email)));
}

export async function confirmAddress(
  database: Queryable,
  { accountId, address }: AlertAddress,
  now: EpochSeconds,
): Promise<void> {
  await database.query(confirmOne, [accountId, plainMailAddress(address), now]);
}

export interface AskAddressesDependencies {
  readonly database: Database;
  readonly mails: Pick<MailOutbox, 'isOn' | 'queueMail'>;
  readonly seal: Seal;
  readonly publicUrl: () => string;
  readonly now: () => EpochSeconds;
}

export async function askAlertAddresses(
  dependencies: AskAddressesDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, mails } = dependencies;
  if (!mails.isOn) return false;
  await database.query(insertMissing);
  for (let last: AlertAddress = { accountId: 0, address: '' }; ; ) {
    const rows = await database.query(listToAsk, [last.accountId, last.address]);
    for (const row of rows) {
      if (signal.aborted) return true;
      last = { accountId: Number(row['account_id']), address: String(row['address']) };
      await askAddress(dependencies, last);
    }
    if (rows.length < addressesAtOnce) return false;
  }
}

async function askAddress(
  { database, mails, seal, publicUrl, now: clock }: AskAddressesDependencies,
  { accountId, address }: AlertAddress,
): Promise<void> {
  const now = clock();
  await database.transaction(
    async (transaction) => {
      const [asked] = await transaction.query(countAsked, [accountId, address, now - daySeconds]);
      if (Number(asked?.['to_address']) >= linksToAddressMax) return;
      if (Number(asked?.['of_account']) >= linksOfAccountMax) return;
      if ((await transaction.query(noteAsked, [accountId, address, now])).length === 0) return;
      const [account] = await transaction.query(findAccountName, [accountId]);
      const expiresAt = now + linkValidSeconds;
      const url =
        publicUrl() + confirmAddressPath + confirmAddressToken(seal, { accountId, address, expiresAt });
      const name = String(account?.['display_name'] ?? '');
      await mails.queueMail(
        transaction,
        {
          accountId,
          to: address,
          kind: 'alert_address',
          occasion: `address ${now}`,
          language: await languageAt(transaction, accountId, address),
          content: ({ t, moment }) => ({
            subject: t('mail_address_subject'),
            parts: [
              { type: 'text', text: t('mail_address_text', { account: name }) },
              { type: 'link', label: t('mail_address_label'), url },
              { type: 'facts', facts: [[t('mail_link_until'), moment(expiresAt)]] },
              { type: 'text', text: t('mail_address_after') },
            ],
          }),
        },
        now,
      );
    },
    { rank: 'reads' },
  );
}

export interface AlertAddress {
  readonly accountId: number;
  readonly address: string;
}

/** The token is signed under SECRET_KEY. It is valid only after it was mailed. */
function confirmAddressToken(
  seal: Seal,
  { accountId, address, expiresAt }: AlertAddress & { readonly expiresAt: EpochSeconds },
): string {
  const written = Buffer.from(plainMailAddress(address)).toString('base64url');
  return `${accountId}.${expiresAt}.${written}.${seal.sign(signedText(accountId, address, expiresAt))}`;
}

export function readConfirmAddressToken(seal: Seal, token: string, now: EpochSeconds): AlertAddress | null {
  const [, id, until = '', written = '', signature = ''] =
    /^([1-9]\d{0,6})\.(\d{1,12})\.([\w-]{1,400})\.([\w-]{22})$/.exec(token) ?? [];
  if (id === undefined || Number(until) <= now) return null;
  const [accountId, address] = [Number(id), Buffer.from(written, 'base64url').toString()];
  return seal.isSigned(signedText(accountId, address, Number(until)), signature)
    ? { accountId, address }
    : null;
}

function signedText(accountId: number, address: string, expiresAt: EpochSeconds): string {
  return `alerts of account ${accountId} to ${plainMailAddress(address)} until ${expiresAt}`;
}
