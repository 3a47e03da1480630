import { t } from '@lingui/core/macro';
import type { LedgerTotals } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { Money } from '../../ui/money.tsx';
import { TextLink } from '../../ui/text-link.tsx';

interface LedgerTotalsProps {
  /** null if totals are not available for this time span. */
  readonly totals: LedgerTotals | null;
  readonly currency: string;
}

export function LedgerTotalsLine({ totals, currency }: LedgerTotalsProps) {
  if (totals === null) return null;
  const kinds = [
    { kind: 'credit', name: t`Credits`, amount: totals.credits, sign: '' },
    { kind: 'debit', name: t`Debits`, amount: totals.debits, sign: '-' },
    { kind: 'charge', name: t`Charges`, amount: totals.charges, sign: '-' },
    { kind: 'refund', name: t`Refunds`, amount: totals.refunds, sign: '' },
  ] as const;
  return (
    <dl
      aria-label={t`Totals`}
      className="flex flex-wrap gap-x-8 gap-y-2 border-b border-line px-4 py-3 md:px-5"
    >
      {kinds.map(({ kind, name, amount, sign }) => (
        <div key={kind}>
          <dt className="text-xs text-soft">
            <TextLink to="." search={({ cursor: _c, open: _o, ...now }) => ({ ...now, kind })}>
              {name}
            </TextLink>
          </dt>
          <dd className="figures font-medium">
            <Money amount={Number(amount) === 0 ? amount : `${sign}${amount}`} currency={currency} signed />
          </dd>
        </div>
      ))}
      <div>
        <dt className="text-xs text-soft">{t`Entries`}</dt>
        <dd className="figures font-medium">{formatCount(totals.entries)}</dd>
      </div>
    </dl>
  );
}
