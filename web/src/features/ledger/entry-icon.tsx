import { ArrowDownLeft, ArrowUpRight, type LucideIcon, ShoppingBag, Undo2 } from 'lucide-react';
import { classNames } from '../../ui/class-names.ts';

const kindIcons: Readonly<Record<string, LucideIcon>> = {
  charge: ShoppingBag,
  refund: Undo2,
  credit: ArrowDownLeft,
  reinstatement: ArrowDownLeft,
};

/** Beside the word, so that refunds and credits stand out among charges. */
export function EntryIcon({ kind }: { readonly kind: string }) {
  const Icon = kindIcons[kind] ?? ArrowUpRight;
  const isIncome = kind === 'refund' || Icon === ArrowDownLeft;
  return (
    <span
      aria-hidden="true"
      className={classNames(
        'grid size-7 shrink-0 place-items-center rounded-full max-sm:hidden',
        isIncome ? 'bg-good-fill text-good' : 'bg-fill text-soft',
      )}
    >
      <Icon className="size-3.5" />
    </span>
  );
}
