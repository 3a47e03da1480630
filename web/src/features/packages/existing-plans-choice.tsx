// Asks what running plans pay once a scheduled price begins, and what each answer means for them.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { AdminPackage, RunningPlans, ScheduledPrices } from '../../api/shapes.ts';
import { runningPlansQuery } from '../../api/support-queries.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { Choice } from '../../ui/choice.tsx';

export type ExistingPlans = 'new' | 'held';

const existingPlansWords: Readonly<Record<ExistingPlans, string>> = {
  new: t`They pay the new price when they renew`,
  held: t`They keep their price`,
};

interface ExistingPlansChoiceProps {
  readonly one: AdminPackage;
  /** null while no price is typed. */
  readonly named: ScheduledPrices['prices'] | null;
  readonly value: ExistingPlans;
  readonly onChoose: (value: ExistingPlans) => void;
}

export function ExistingPlansChoice({ one, named, value, onChoose }: ExistingPlansChoiceProps) {
  const { data } = useQuery(runningPlansQuery(one.id));
  const meant = named === null || data === undefined ? null : meaningOf(data.data, named);
  const notes = meant === null ? null : notesOf(meant, one.currency);
  const options = (['new', 'held'] as const).map((each) => ({
    value: each,
    title: (
      <>
        <span className="block font-medium">{existingPlansWords[each]}</span>
        {notes === null ? null : <span className="block text-soft">{notes[each]}</span>}
      </>
    ),
  }));
  return (
    <div className="flex flex-col gap-1">
      <Choice
        label={t`Plans that run when the price begins`}
        labelShown
        look="cards"
        {...{ value, options, onChoose }}
      />
      {meant === null || meant.plans === 0 ? null : (
        <p className="text-xs text-soft">
          {t`Counts the plans that run now for these groups and periods. The new amount takes the group’s price for all of them, also where an account has its own.`}
        </p>
      )}
    </div>
  );
}

interface Meaning {
  readonly plans: number;
  /** What the plans bring in a month, in cents. */
  readonly now: bigint;
  readonly next: bigint;
}

function meaningOf(running: readonly RunningPlans[], named: ScheduledPrices['prices']): Meaning {
  const met = running.flatMap(({ group, period, months, plans, monthly_revenue: revenue }) => {
    const price = named[group]?.[period];
    return price === undefined
      ? []
      : [{ plans, now: toCents(revenue), nextYear: (BigInt(plans) * toCents(price) * 12n) / BigInt(months) }];
  });
  return {
    plans: met.reduce((sum, { plans }) => sum + plans, 0),
    now: met.reduce((sum, { now }) => sum + now, 0n),
    next: met.reduce((sum, { nextYear }) => sum + nextYear, 0n) / 12n,
  };
}

function notesOf({ plans, now, next }: Meaning, currency: string): Readonly<Record<ExistingPlans, string>> {
  if (plans === 0) {
    const none = t`No plan runs for these groups and periods now.`;
    return { new: none, held: none };
  }
  const [present, then] = [now, next].map((cents) => formatMoney(fromCents(cents), currency));
  return {
    new: plural(plans, {
      one: `# plan, ${then} a month instead of ${present}`,
      other: `# plans, ${then} a month instead of ${present}`,
    }),
    held: plural(plans, {
      one: `# plan, ${present} a month as now`,
      other: `# plans, ${present} a month as now`,
    }),
  };
}
