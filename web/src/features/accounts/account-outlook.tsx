// The day on which an account's balance no longer covers its renewals. A near day is marked.

import { t } from '@lingui/core/macro';
import type { FoundAccount } from '../../api/shapes.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { Badge } from '../../ui/badge.tsx';
import { isSoon } from '../business/soon.ts';

export type Outlook = NonNullable<FoundAccount['outlook']>;

export function RunsOut({
  outlook: { runs_out_on: day, active_plans: plans },
}: {
  readonly outlook: Outlook;
}) {
  if (day === null) return plans === 0 ? <Nothing /> : <span className="text-soft">{t`Covered`}</span>;
  return isSoon(day) ? (
    <Badge tone="warn">{formatSeriesDate(day, 'short')}</Badge>
  ) : (
    <span className="figures whitespace-nowrap">{formatSeriesDate(day, 'short')}</span>
  );
}

export function Nothing() {
  return <span className="text-soft">–</span>;
}
