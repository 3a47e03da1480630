// Checks the audit log: no gaps in its numbers, credits and debits as in the ledger, accounts, packages and prices as in its
// last entries, an entry for every key. Findings halt no account, because either side may be wrong.

import { isDeepStrictEqual } from 'node:util';
import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { parseOwnedId } from '../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { readPriceLists } from '../packages/account-prices.ts';
import { loadCatalog, type Package } from '../packages/package-catalog.ts';
import { scheduledPrices } from '../packages/package-table.ts';
import { pricesAt } from '../packages/price-lines.ts';
import { parsePrices, writtenPriceList, writtenPrices } from '../packages/written-prices.ts';
import { fieldsOf } from './past-packages.ts';
import { recheckInDoubt } from './recheck-in-doubt.ts';
import type { Findings } from './verification-findings.ts';

const entriesPerRange = 2_000;
const accountsPerRange = 500;
const keysPerRange = 2_000;
const noAccount = 0;

const readRange: SqlStatement = {
  name: 'verify_log',
  text: `with log as materialized (
      select number, at, actor_id, action, subject, before, after, packages_version from audit_log
      where number > $1::int and number <= $1::int + ${entriesPerRange})
    select null::int as number, count(*) as count, null as at, null as actor_id, null as action, null as subject,
        null::jsonb as before, null::jsonb as after, null as packages_version from log
    union all
    select number, null, extract(epoch from at)::bigint, actor_id, action, subject, before, after, packages_version from log
    where action in ('account.credit', 'account.debit', 'account.create', 'account.update', 'account.set_prices',
      'account.delete_prices', 'package.create',
      'package.update', 'package.schedule_prices', 'package.unschedule_prices', 'account.create_key',
      'account.rotate_key', 'account.reset_api_key')
    order by 1`,
};

const countLog: SqlStatement = {
  name: 'verify_log_count',
  text: `select s.audit_count, coalesce((select number from audit_log order by number desc limit 1), 0) as last,
      (select count(*) from audit_log where number < 1) as below_one from service_state s`,
};

const listMissing: SqlStatement = {
  name: 'verify_log_gaps',
  text: `select n from generate_series($1::int + 1, $2::int) n where not exists (select 1 from audit_log where number = n)
    order by n limit 20`,
};

const findEntries: SqlStatement = {
  name: 'verify_logged_entries',
  text: `select w.account_id, w.number, e.kind, e.amount_cents, e.balance_after_cents, e.memo, e.actor_id,
      extract(epoch from e.created_at)::bigint as created_at, e.idempotency_key is not null and e.fingerprint is not null as has_key,
      (select extract(epoch from b.created_at)::bigint from ledger_entries b
        where b.account_id = w.account_id and b.number = w.number - 1) as earlier_at
    from unnest($1::int[], $2::int[]) w (account_id, number)
    left join ledger_entries e on e.account_id = w.account_id and e.number = w.number`,
};

const readAccounts: SqlStatement = {
  name: 'verify_logged_accounts',
  text: 'select a.id, a.group_name, a.is_admin from accounts a where a.id = any($1::int[])',
};

const readVersion: SqlStatement = {
  name: 'verify_packages_version',
  text: 'select packages_version from service_state',
};

const readKeys: SqlStatement = {
  name: 'verify_logged_keys',
  text: `select id, key_id, account_id, is_first, last_four, extract(epoch from created_at)::bigint as created_at
    from api_keys where id > $1::int order by id limit ${keysPerRange}`,
};

const readScheduled: SqlStatement = {
  name: 'verify_scheduled_prices',
  text: `select ${scheduledPrices.list('r')} from scheduled_prices r`,
};

export interface LogCheck {
  /** Reports credits and debits of the ledger that the log does not name. */
  checkCredits(accountId: number, numbers: readonly number[], signal: AbortSignal): Promise<void>;
  checkPresent(signal: AbortSignal): Promise<void>;
}

type Noted = ReturnType<typeof fieldsOf>;

interface LoggedCredit {
  readonly accountId: number;
  readonly number: number;
  readonly at: EpochSeconds;
  readonly actorId: number;
  readonly kind: string;
  readonly before: Noted;
  readonly after: Noted;
}

export function createLogCheck(database: Database, findings: Findings): LogCheck {
  const credits = new Map<number, Set<number>>();
  const accountStates = new Map<number, { group: unknown; isAdmin: unknown }>();
  const packageStates = new Map<number, { at: EpochSeconds; after: Noted; isOvertaken: boolean }>();
  const schedules = new Map<string, string>();
  /** Accounts' own price lists, keyed by list id. */
  const priceLists = new Map<number, Noted>();
  /** Entries of the first edition do not name ledger entries, so credits before this time may be missing. */
  let unnamedUntil: EpochSeconds = 0;
  const secrets = new Map<string, Set<string>>();
  let unnamedSecretsUntil: EpochSeconds = 0;
  let packagesVersion = 0;
  let readTo = 0;

  const report = (accountId: number, subject: string, problem: string) =>
    findings.add('log', accountId, subject, problem);

  async function readOn(signal: AbortSignal): Promise<void> {
    const [counted = {}] = await database.query(countLog);
    const total = Number(counted['audit_count']);
    if (Number(counted['last']) !== total)
      await report(
        noAccount,
        'audit log',
        `the last entry is number ${counted['last']}, the counter says ${total}`,
      );
    if (Number(counted['below_one']) > 0)
      await report(noAccount, 'audit log', `${counted['below_one']} entries are numbered below 1`);
    while (readTo < total) {
      signal.throwIfAborted();
      const upto = Math.min(readTo + entriesPerRange, total);
      const rows = await database.query(readRange, [readTo]);
      const inRange = rows.filter((row) => row['number'] === null || Number(row['number']) <= upto);
      const count = Number(rows.find((row) => row['number'] === null)?.['count'] ?? 0);
      if (count < upto - readTo) {
        for (const { n } of await database.query(listMissing, [readTo, upto]))
          await report(noAccount, `audit log entry ${n}`, 'it is missing');
      }
      readTo = upto;
      await note(inRange.filter((row) => row['number'] !== null));
    }
  }

  async function note(rows: readonly Row[]): Promise<void> {
    const logged: LoggedCredit[] = [];
    for (const row of rows) {
      const [kind = '', noun = ''] = String(row['action']).split('.').reverse();
      const id = Number(String(row['subject']).split(' ')[1]);
      const at = Number(row['at']);
      const [before, after] = [fieldsOf(row['before']), fieldsOf(row['after'])];
      packagesVersion = Math.max(packagesVersion, nullable(Number, row['packages_version']) ?? 0);
      if (kind === 'credit' || kind === 'debit') {
        const entry = parseOwnedId(String(after['entry_id']));
        if (entry === null) unnamedUntil = Math.max(unnamedUntil, at);
        else
          logged.push({
            accountId: id,
            number: entry.number,
            at,
            actorId: Number(row['actor_id']),
            kind,
            before,
            after,
          });
      } else if (kind === 'create_key' || kind === 'rotate_key' || kind === 'reset_api_key') {
        noteSecret(String(row['subject']), after['last_four'], at);
      } else if (kind === 'set_prices') {
        priceLists.set(Number(after['id']), after);
      } else if (kind === 'delete_prices') {
        priceLists.delete(Number(before['id']));
      } else if (noun === 'account') {
        if (!Number.isInteger(id)) continue;
        const earlier = accountStates.get(id);
        accountStates.set(id, {
          group: after['group'] ?? earlier?.group,
          isAdmin: after['is_admin'] ?? earlier?.isAdmin,
        });
      } else if (kind === 'schedule_prices') {
        schedules.set(`${id} ${after['from']}`, written(after['prices'], after['existing_plans']));
        forgetOvertaken(id, String(after['from']));
      } else if (kind === 'unschedule_prices') {
        schedules.delete(`${id} ${before['from']}`);
        forgetOvertaken(id, String(before['from']));
      } else if (typeof after['duration_days'] === 'number') {
        packageStates.set(id, { at, after, isOvertaken: false });
      }
    }
    await compareCredits(logged);
  }

  /** `subject` is for example "key 7 of account 3", or "account 3" for its first key. */
  function noteSecret(subject: string, lastFour: unknown, at: EpochSeconds): void {
    if (typeof lastFour !== 'string') unnamedSecretsUntil = Math.max(unnamedSecretsUntil, at);
    else {
      const key = subject.split(' of ')[0] ?? '';
      secrets.set(key, (secrets.get(key) ?? new Set()).add(lastFour));
    }
  }

  /** After a clock was set back, scheduled prices may begin before the logged entry. Then the prices are unknown. */
  function forgetOvertaken(packageId: number, from: string): void {
    const state = packageStates.get(packageId);
    if (state !== undefined && from <= formatTime(state.at))
      packageStates.set(packageId, { ...state, isOvertaken: true });
  }

  async function compareCredits(logged: readonly LoggedCredit[]): Promise<void> {
    if (logged.length === 0) return;
    const rows = await queryShards(database, findEntries, [], {
      of: logged,
      accountOf: ({ accountId }) => accountId,
      columns: (some) => [
        numberArray(some.map(({ accountId }) => accountId)),
        numberArray(some.map(({ number }) => number)),
      ],
    });
    const found = new Map(rows.map((row) => [`${row['account_id']} ${row['number']}`, row]));
    for (const one of logged) {
      const known = credits.get(one.accountId) ?? new Set();
      known.add(one.number);
      credits.set(one.accountId, known);
      const problem = differenceOf(one, found.get(`${one.accountId} ${one.number}`));
      if (problem !== null) await report(one.accountId, `ledger entry ${one.number}`, problem);
    }
  }

  return {
    async checkCredits(accountId, numbers, signal) {
      const isUnknown = (number: number) => credits.get(accountId)?.has(number) !== true;
      if (!numbers.some(isUnknown)) return;
      await readOn(signal);
      const unknown = numbers.filter(isUnknown).map((number) => ({ accountId, number }));
      if (unknown.length === 0) return;
      const values = [
        numberArray(unknown.map(() => accountId)),
        numberArray(unknown.map(({ number }) => number)),
      ];
      for (const row of await database.ofAccount(accountId).query(findEntries, values)) {
        if (Number(row['created_at']) <= unnamedUntil) continue;
        await report(accountId, `ledger entry ${row['number']}`, 'the audit log does not have it');
      }
    },

    async checkPresent(signal) {
      const look = async () => {
        await readOn(signal);
        return [
          ...(await differingAccounts()),
          ...(await differingPriceLists()),
          ...(await differingPackages()),
          ...(await differingKeys()),
        ];
      };
      for (const found of await recheckInDoubt(database, look, signal)) {
        const [subject = '', problem = ''] = found.split(': ', 2);
        await report(Number(/\baccount (\d+)$/.exec(subject)?.[1] ?? noAccount), subject, problem);
      }
    },
  };

  async function differingAccounts(): Promise<string[]> {
    const ids = [...accountStates.keys()];
    const found: string[] = [];
    for (let from = 0; from < ids.length; from += accountsPerRange) {
      const accounts = ids.slice(from, from + accountsPerRange);
      for (const row of await queryShards(database, readAccounts, [], { accounts })) {
        const { group, isAdmin } = accountStates.get(Number(row['id'])) ?? {};
        if (group !== undefined && group !== row['group_name'])
          found.push(
            `account ${row['id']}: its price group is ${row['group_name']}, the audit log says ${group}`,
          );
        if (isAdmin !== undefined && isAdmin !== row['is_admin'])
          found.push(
            `account ${row['id']}: it is ${row['is_admin'] === true ? 'an' : 'no'} administrator, the audit log says otherwise`,
          );
      }
    }
    return found;
  }

  async function differingPriceLists(): Promise<string[]> {
    const present = new Map((await readPriceLists(database)).map((list) => [list.id, list]));
    const found: string[] = [];
    for (const id of new Set([...present.keys(), ...priceLists.keys()])) {
      const list = present.get(id);
      const is = list === undefined ? undefined : writtenPriceList(list);
      if (!isDeepStrictEqual(is, priceLists.get(id)))
        found.push(`price list ${id}: it is not as the audit log has it`);
    }
    return found;
  }

  /** An account's first key may have one secret without a name in the log, from its creation. */
  async function differingKeys(): Promise<string[]> {
    const found: string[] = [];
    const begun = new Set<number>();
    for (let after: number | null = 0; after !== null; ) {
      const rows: readonly Row[] = await database.query(readKeys, [after]);
      for (const row of rows) {
        const [accountId, lastFour] = [Number(row['account_id']), String(row['last_four'])];
        const key = `key ${row['key_id'] ?? row['id']}`;
        const isFirst = row['is_first'] === true;
        const named = [secrets.get(key), isFirst ? secrets.get(`account ${accountId}`) : undefined];
        if (named.some((some) => some?.has(lastFour) === true)) continue;
        if (isFirst && !begun.has(accountId)) begun.add(accountId);
        else if (Number(row['created_at']) > unnamedSecretsUntil)
          found.push(`${key} of account ${accountId}: the audit log does not have its secret …${lastFour}`);
      }
      after = rows.length < keysPerRange ? null : Number(rows.at(-1)?.['id']);
    }
    return found;
  }

  async function differingPackages(): Promise<string[]> {
    const found: string[] = [];
    const [state = {}] = await database.query(readVersion);
    const version = Number(state['packages_version']);
    if (version < packagesVersion)
      found.push(`packages: their version is ${version}, the audit log has version ${packagesVersion}`);
    const { byId } = await loadCatalog(database);
    for (const [id, { at, after, isOvertaken }] of packageStates) {
      const one = byId.get(id);
      if (one === undefined) found.push(`package ${id}: it does not exist, but is in the audit log`);
      else if (!isOvertaken && written(writtenPrices(pricesAt(one, at))) !== written(after['prices']))
        found.push(`package ${id}: its prices are not those that the audit log has`);
      else if (
        one.retired !== (after['retired'] === true) ||
        one.durationDays !== after['duration_days'] ||
        !isAsLogged(one, after)
      )
        found.push(`package ${id}: it is not as the audit log left it`);
    }
    const present = new Map<string, Record<string, Record<number, bigint>>>();
    const ofPlans = new Map<string, string>();
    for (const row of await database.query(readScheduled)) {
      const { packageId, from, group, months, priceCents, existingPlans } = scheduledPrices.parse(row);
      const key = `${packageId} ${formatTime(from)}`;
      ofPlans.set(key, existingPlans);
      const prices = present.get(key) ?? {};
      prices[group] = { ...prices[group], [months]: priceCents };
      present.set(key, prices);
    }
    for (const key of new Set([...present.keys(), ...schedules.keys()])) {
      const prices = present.get(key);
      const is = prices === undefined ? null : written(writtenPrices(prices), ofPlans.get(key));
      if (is === (schedules.get(key) ?? null)) continue;
      const [id, from] = key.split(' ');
      found.push(`package ${id}: its prices scheduled for ${from} are not those that the audit log has`);
    }
    return found;
  }
}

/** A field that an earlier version did not log may have any value. */
function isAsLogged({ description, periods }: Package, after: Noted): boolean {
  return (
    (after['description'] === undefined || after['description'] === description) &&
    (after['periods'] === undefined || JSON.stringify(after['periods']) === JSON.stringify(periods))
  );
}

/** Entries of earlier versions do not say what happens to running plans. Then running plans followed the change. */
function written(prices: unknown, existingPlans: unknown = 'new'): string {
  return JSON.stringify([writtenPrices(parsePrices(prices)), existingPlans ?? 'new']);
}

function differenceOf(logged: LoggedCredit, row: Row | undefined): string | null {
  const { kind, before, after, actorId, at } = logged;
  const amount = nullable(bigint, row?.['amount_cents']);
  if (row === undefined || amount === null) return `the audit log has it as a ${kind}, but it does not exist`;
  const balance = bigint(row['balance_after_cents']);
  const createdAt = Number(row['created_at']);
  const earlier = nullable(Number, row['earlier_at']) ?? 0;
  const isMonthStart = formatTime(createdAt).endsWith('-01T00:00:00Z');
  if (row['kind'] !== kind) return `it is a ${row['kind']}, the audit log has a ${kind}`;
  if (formatAmount(balance) !== after['balance'] || formatAmount(balance - amount) !== before['balance'])
    return 'its amount is not the one that the audit log has';
  if ((row['memo'] ?? null) !== (after['memo'] ?? null))
    return 'its memo is not the one that the audit log has';
  if (Number(row['actor_id']) !== actorId)
    return `it was made by account ${row['actor_id']}, the audit log says ${actorId}`;
  if (createdAt !== at && !(createdAt > at && (isMonthStart || createdAt === earlier)))
    return `it is dated ${formatTime(createdAt)}, its entry in the audit log ${formatTime(at)}`;
  return row['has_key'] === true ? null : 'its idempotency key is missing';
}
