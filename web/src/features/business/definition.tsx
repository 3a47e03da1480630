// How each figure is defined, one click away. docs/business.md says the same in more words.

import { t } from '@lingui/core/macro';
import { Info } from 'lucide-react';
import { useId } from 'react';
import { placeNearButton } from '../../ui/place-popover.ts';

export type Figure =
  | 'active-plans'
  | 'mrr'
  | 'arr'
  | 'customers'
  | 'new'
  | 'returned'
  | 'lost'
  | 'churn'
  | 'renewed'
  | 'changed'
  | 'expansion'
  | 'cohorts'
  | 'forecast'
  | 'runs-out';

const definitions: Readonly<Record<Figure, { readonly name: string; readonly text: string }>> = {
  'active-plans': {
    name: t`Active plans`,
    text: t`Customers whose last order runs past the end of the month. Today: whose last order does not end before today. Trials are not counted. A plan that was canceled at once counts until the end of its paid time.`,
  },
  mrr: {
    name: t`MRR`,
    text: t`Monthly recurring revenue: for each active plan the price of its last order, divided by its months.`,
  },
  arr: { name: t`ARR`, text: t`Annual recurring revenue: MRR for twelve months.` },
  customers: { name: t`Customers`, text: t`Customers who ever ordered. Trials alone are not counted.` },
  new: { name: t`New`, text: t`Customers whose first order was in the month.` },
  returned: {
    name: t`Won back`,
    text: t`Customers who ordered again after their plan had ended in an earlier month.`,
  },
  lost: {
    name: t`Lost`,
    text: t`Plans that ended in the month, without another order of the customer by the end of that month.`,
  },
  churn: {
    name: t`Churn`,
    text: t`Lost plans as a share of the active plans at the start of the month.`,
  },
  renewed: {
    name: t`Renewal rate`,
    text: t`Of the plans whose paid time ended in the month, the share that was ordered again by the end of the month. Plans that changed before their end are left out.`,
  },
  changed: { name: t`Changed`, text: t`Plans that moved to another package, in the month of the order.` },
  expansion: {
    name: t`Expansion and contraction`,
    text: t`MRR won and lost because a plan continues at another price or on another package.`,
  },
  cohorts: {
    name: t`Cohort`,
    text: t`Customers whose first order was in the same month, and the share of them with an active plan at the end of each later month.`,
  },
  forecast: {
    name: t`Forecast`,
    text: t`Plans that end within 90 days, each renewed once at the price of its last order. Expected: at the renewal rate of the last three months.`,
  },
  'runs-out': {
    name: t`Runs out`,
    text: t`The first day by whose end the renewals at last prices cost more than the account’s balance, without top-ups.`,
  },
};

export function figureName(figure: Figure): string {
  return definitions[figure].name;
}

/** The figure's name with a button that shows its definition. */
export function Defined({ figure, name }: { readonly figure: Figure; readonly name?: string }) {
  return (
    // The padding keeps the button's place beside the last word, and the negative margin moves it there.
    <span className="[&>button]:-ml-5">
      <span className="pr-6 hyphens-auto wrap-anywhere">{name ?? figureName(figure)}</span>
      <Definition figure={figure} />
    </span>
  );
}

export function Definition({ figure }: { readonly figure: Figure }) {
  const id = useId();
  const { name, text } = definitions[figure];
  return (
    <>
      <button
        type="button"
        aria-label={t`Definition of ${name}`}
        title={t`Definition`}
        popoverTarget={id}
        data-print="no"
        className="relative inline-grid size-5 shrink-0 place-items-center rounded align-text-bottom text-soft after:absolute after:-inset-1 hover:text-ink pointer-coarse:after:-inset-3"
      >
        <Info aria-hidden="true" className="size-3.5" />
      </button>
      <span
        id={id}
        popover="auto"
        role="note"
        onToggle={placeNearButton}
        className="inset-auto m-0 max-w-[min(20rem,calc(100vw-2rem))] rounded-card border border-line bg-card p-3.5 text-sm font-normal tracking-normal text-ink shadow-high"
      >
        <strong className="font-semibold">{name}</strong>
        <span className="mt-1 block">{text}</span>
        <a
          className="mt-2 inline-block text-accent underline underline-offset-2"
          href={`/docs/business#${figure}`}
          target="_blank"
          rel="noreferrer"
        >
          {t`How it is computed`}
        </a>
      </span>
    </>
  );
}
