// What a session of the database would do next for the statements that are prepared in it. Where accounts are in groups a
// statement is prepared once for each that it was sent to, and planned for the tables which that one sees.

import type { Queryable, Row, Transaction } from '../../src/platform/database/database.ts';

export interface SessionPlan {
  /** As the program calls it. */
  readonly name: string;
  readonly genericPlans: number;
  /** Plans that were made for the values of one execution. */
  readonly customPlans: number;
  /** What would be done next, and what a plan for any values does. */
  readonly lines: readonly string[];
}

/** Of the transaction's session. `names` null: of all statements. `anyValue`: a value of a type, as SQL quotes it. */
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
