// What accounts bring a month and when their balance runs out, for the console's pages of accounts.

import type { EpochSeconds } from '../../shared/times.ts';
import { businessSpan } from '../business/business-figures.ts';
import type { BusinessReads } from '../business/business-reads.ts';
import { accountView } from '../business/business-view.ts';
import { type PlanSums, piecesOfRequestMax } from '../business/plan-sums.ts';
import type { OutlookView } from './account-panel-schemas.ts';

export interface OutlookDependencies {
  readonly business: BusinessReads;
  readonly now: () => EpochSeconds;
  readonly planSums: PlanSums;
}

/** Leaves out accounts whose orders are still being summed up. */
export async function findOutlooks(
  { business, now, planSums }: OutlookDependencies,
  ids: readonly number[],
): Promise<ReadonlyMap<number, OutlookView>> {
  const [only, ...others] = ids;
  if (only === undefined) return new Map();
  const isReady =
    others.length === 0
      ? await planSums.bringUpToDate(only, piecesOfRequestMax)
      : await planSums.bringAllNearly();
  if (!isReady) return new Map();
  const found = await business.accountsOf(ids, businessSpan(1, now()));
  return new Map(
    found.map((one) => {
      const { active_plans, mrr, due, runs_out_on } = accountView(one);
      return [one.id, { active_plans, mrr, due, runs_out_on }];
    }),
  );
}
