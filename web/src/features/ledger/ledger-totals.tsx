import { t } from '@lingui/core/macro';
import type { LedgerTotals } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { Money } from '../../ui/money.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { TotalsLine } from '../../ui/totals-line.tsx';

interface LedgerTotalsProps {
  /** null if totals are not available for this time span, undefined while they load. */
  readonly totals: LedgerTotals | null | undefined;
  readonly currency: string;
}

export function LedgerTotalsLine({ totals, currency }: LedgerTotalsProps) {
  if (totals === null) return null;
  const total = (kind: string, name: string, amount: string | undefined, sign = '') => ({
    name: (
      <TextLink to="." search={({ cursor: _c, open: _o, ...now }) => ({ ...now, kind })}>
        {name}
      </TextLink>
    ),
    value: amount && (
      <Money amount={Number(amount) === 0 ? amount : `${sign}${amount}`} currency={currency} signed />
    ),
  });
  return (
    <TotalsLine
      totals={{
        credit: total('credit', t`Credits`, totals?.credits),
        debit: total('debit', t`Debits`, totals?.debits, '-'),
        charge: total('charge', t`Charges`, totals?.charges, '-'),
        refund: total('refund', t`Refunds`, totals?.refunds),
        entries: { name: t`Entries`, value: totals && formatCount(totals.entries) },
      }}
    />
  );
}
