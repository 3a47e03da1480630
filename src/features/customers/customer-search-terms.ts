// The search terms of customers: the beginnings of reference, name and external id. A job writes them, so that orders do not
// pay for it; customers beyond its mark are searched one by one (list-customers.ts). The only writer of customer_terms and
// customer_term_marks.
// Invariant: up to the mark, terms match the customer's row, because changes of a name or id lock the mark.

import type { Database, Queryable, SqlStatement, Transaction } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { holdTestInUse, isInUse } from '../identity/account-in-use.ts';

export interface CustomerNames {
  readonly reference: string;
  readonly name: string;
  readonly externalRef: string | null;
}

/** Customers per transaction. On the embedded database, orders wait for each transaction. */
const customersAtOnce = 500;

export function folded(text: string): string {
  return text.toLowerCase().normalize('NFC');
}

export function searchTerms({ reference, name, externalRef }: CustomerNames): string[] {
  return [...new Set([reference, name, externalRef ?? ''].map(folded).filter((term) => term !== ''))].map(
    searchTerm,
  );
}

export function searchTerm(start: string): string {
  return `q${start}`;
}

export function externalRefTerm(externalRef: string): string {
  return `x${externalRef}`;
}

function termsOf(names: CustomerNames): string[] {
  const { externalRef } = names;
  return [...searchTerms(names), ...(externalRef === null ? [] : [externalRefTerm(externalRef)])];
}

const findMark: SqlStatement = {
  name: 'find_customer_term_mark',
  text: 'select customer_number from customer_term_marks where account_id = $1::int',
};

export async function indexedCustomers(database: Queryable, accountId: number): Promise<number> {
  const [row] = await database.ofAccount(accountId).query(findMark, [accountId]);
  return Number(row?.['customer_number'] ?? 0);
}

const ensureMark: SqlStatement = {
  name: 'ensure_customer_term_mark',
  text: 'insert into customer_term_marks (account_id, customer_number) values ($1::int, 0) on conflict do nothing',
};

const lockMark: SqlStatement = {
  name: 'lock_customer_term_mark',
  text: 'select customer_number from customer_term_marks where account_id = $1::int for update',
};

const moveMark: SqlStatement = {
  name: 'move_customer_term_mark',
  text: 'update customer_term_marks set customer_number = $2::int where account_id = $1::int',
};

const insertTerms: SqlStatement = {
  name: 'insert_customer_terms',
  text: `insert into customer_terms (account_id, term, customer_number)
    select $1::int, term, number from unnest($2::text[], $3::int[]) row (term, number) on conflict do nothing`,
};

const deleteTerms: SqlStatement = {
  name: 'delete_customer_terms',
  text: `delete from customer_terms t using unnest($2::text[]) row (term)
    where t.account_id = $1::int and t.term = row.term and t.customer_number = $3::int`,
};

const listUnindexed: SqlStatement = {
  name: 'list_customers_without_terms',
  text: `select number, reference, name, external_ref from customers
    where account_id = $1::int and number > $2::int order by number limit ${customersAtOnce}`,
};

const findBehind: SqlStatement = {
  name: 'find_accounts_without_customer_terms',
  text: `select a.id, a.customer_count - coalesce(m.customer_number, 0) as behind
    from accounts a left join customer_term_marks m on m.account_id = a.id
    where a.customer_count > coalesce(m.customer_number, 0) and ${isInUse('a')} order by a.id`,
};

async function holdMark(ofAccount: Queryable, accountId: number): Promise<number> {
  await ofAccount.query(ensureMark, [accountId]);
  const [locked] = await ofAccount.query(lockMark, [accountId]);
  return Number(locked?.['customer_number']);
}

/** Locks the mark. Call when changing a name or id, in the same transaction and before reading the row. */
export async function holdTerms(
  transaction: Transaction,
  accountId: number,
): Promise<(number: number, before: CustomerNames, after: CustomerNames) => Promise<void>> {
  const ofAccount = transaction.ofAccount(accountId);
  const mark = await holdMark(ofAccount, accountId);
  return async (number, before, after) => {
    // The job has not reached this customer yet and will read the new values.
    if (number > mark) return;
    const [old, fresh] = [termsOf(before), termsOf(after)];
    const gone = old.filter((term) => !fresh.includes(term));
    await ofAccount.query(deleteTerms, [accountId, textArray(gone), number]);
    await ofAccount.query(insertTerms, [accountId, textArray(fresh), numberArray(fresh.map(() => number))]);
  };
}

const neverAborted = new AbortController().signal;

/** Adds missing terms. Returns how many customers were left when the signal stopped it. */
export async function indexCustomerTerms(database: Database, signal = neverAborted): Promise<number> {
  let left = 0;
  await eachInTurn(await queryShards(database, findBehind, [], 'every'), async (row) => {
    let behind = Number(row['behind']);
    while (behind > 0 && !signal.aborted) {
      const indexed = await indexMore(database, Number(row['id']));
      behind = indexed < customersAtOnce ? 0 : behind - indexed;
    }
    left += behind;
  });
  return left;
}

function indexMore(database: Database, accountId: number): Promise<number> {
  return database.ofAccount(accountId).transaction(
    async (transaction) => {
      if (!(await holdTestInUse(transaction, accountId))) return 0;
      const mark = await holdMark(transaction, accountId);
      const rows = await transaction.query(listUnindexed, [accountId, mark]);
      const last = rows.at(-1);
      if (last === undefined) return 0;
      const terms = rows.flatMap((row) =>
        termsOf({
          reference: String(row['reference']),
          name: String(row['name']),
          externalRef: nullable(String, row['external_ref']),
        }).map((term) => ({ term, number: Number(row['number']) })),
      );
      await transaction.query(insertTerms, [
        accountId,
        textArray(terms.map(({ term }) => term)),
        numberArray(terms.map(({ number }) => number)),
      ]);
      await transaction.query(moveMark, [accountId, Number(last['number'])]);
      return rows.length;
    },
    { rank: 'reads' },
  );
}
