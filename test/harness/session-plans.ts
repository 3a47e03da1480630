// Reads the query plans of a session's prepared statements. With account groups, there is one per group.

import type { Queryable, Row, Transaction } from '../../src/platform/database/database.ts';

export interface SessionPlan {
  readonly name: string;
  readonly genericPlans: number;
  readonly customPlans: number;
  /** The lines of the next plan, and of the plan for any values. */
  readonly lines: readonly string[];
}

/** Reads the plans of the transaction's session. `names` null reads all. `anyValue` makes an SQL literal of a type. */
export async function plansOfSession(
  transaction: Transaction,
  names: readonly string[] | null,
  anyValue: (type: string) => string = (type) => (type.endsWith('[]') ? '{1}' : '1'),
): Promise<SessionPlan[]> {
  const prepared = await ask(
    transaction,
    `select name, split_part(name, '~', 1) as statement, split_part(name, '~', 2) as group_number, generic_plans,
       custom_plans, parameter_types::text[] as types
     from pg_prepared_statements
     where not from_sql ${names === null ? '' : `and split_part(name, '~', 1) = any('{${names.join(',')}}')`}`,
  );
  const groups = transaction.accountGroups();
  const found: SessionPlan[] = [];
  for (const row of prepared) {
    const group = row['group_number'] === '' ? transaction : groups[Number(row['group_number'])];
    if (group === undefined) throw new Error(`There is no group for ${String(row['name'])}.`);
    const values = texts(row['types']).map((type) => `'${anyValue(type)}'::${type}`);
    const explain = `explain execute "${String(row['name'])}"${values.length > 0 ? `(${values.join(', ')})` : ''}`;
    const lines: string[] = [];
    for (const mode of ['auto', 'force_generic_plan']) {
      await ask(group, `set local plan_cache_mode = ${mode}`);
      for (const line of await ask(group, explain)) lines.push(String(line['QUERY PLAN']));
    }
    found.push({
      name: String(row['statement']),
      genericPlans: Number(row['generic_plans']),
      customPlans: Number(row['custom_plans']),
      lines,
    });
  }
  return found;
}

function ask(queryable: Queryable, text: string): Promise<readonly Row[]> {
  return queryable.query({ name: '', text });
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
