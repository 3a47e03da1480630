// The marker of a demo in service_state. Only demo-reseller.ts sets it, in an empty database.

import type { Database, SqlStatement } from '../platform/database/database.ts';
import { nullable } from '../platform/database/row-values.ts';
import type { EpochSeconds } from '../shared/times.ts';

export interface DemoState {
  readonly isStarted: boolean;
  readonly accountId: number | null;
  /** null: no year is made, because the database is a server or an earlier version made the demo. */
  readonly yearUntil: EpochSeconds | null;
  readonly isFilled: boolean;
  readonly operatorId: number | null;
  readonly resellerId: number | null;
}

const findDemo: SqlStatement = {
  name: 'find_demo',
  text: `select demo_started, demo_account_id, extract(epoch from demo_year_until)::bigint as year_until,
      demo_year_filled, demo_operator_id, demo_reseller_id from service_state`,
};

export async function findDemoState(database: Database): Promise<DemoState> {
  const [row = {}] = await database.query(findDemo);
  return {
    isStarted: row['demo_started'] === true,
    accountId: nullable(Number, row['demo_account_id']),
    yearUntil: nullable(Number, row['year_until']),
    isFilled: row['demo_year_filled'] === true,
    operatorId: nullable(Number, row['demo_operator_id']),
    resellerId: nullable(Number, row['demo_reseller_id']),
  };
}

export const yearDays = 365;

export function demoYearStart(until: EpochSeconds): EpochSeconds {
  return (Math.floor(until / 86_400) - yearDays) * 86_400;
}
