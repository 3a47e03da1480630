import { plural, t } from '@lingui/core/macro';
import { FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Statement } from '../../api/shapes.ts';
import { language } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { Card } from '../../ui/card.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Money } from '../../ui/money.tsx';

interface StatementCardProps {
  readonly statement: Statement;
  readonly currency: string;
}

export function StatementCard({ statement, currency }: StatementCardProps) {
  const { month, opening, credits, debits, charges, refunds, closing, entry_count: entries } = statement;
  return (
    <Card
      title={t`Statement for ${formatSeriesDate(month, 'long')}`}
      action={
        <DownloadButton
          icon={FileText}
          path={`/v1/statements/${month}`}
          query={{ format: 'pdf', language }}
          file={`statement-${month}.pdf`}
        >
          {t`Statement as PDF`}
        </DownloadButton>
      }
      description={t`${plural(entries, { one: '# entry', other: '# entries' })}. Days are in UTC.`}
    >
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
        <Line name={t`Opening balance`}>
          <Money amount={opening} currency={currency} />
        </Line>
        <Line name={t`Credits`}>
          <Money amount={movement(credits, '')} currency={currency} signed />
        </Line>
        <Line name={t`Debits`}>
          <Money amount={movement(debits, '-')} currency={currency} signed />
        </Line>
        <Line name={t`Charges`}>
          <Money amount={movement(charges, '-')} currency={currency} signed />
        </Line>
        <Line name={t`Refunds`}>
          <Money amount={movement(refunds, '')} currency={currency} signed />
        </Line>
        <Line name={t`Closing balance`}>
          <Money amount={closing} currency={currency} className="font-semibold" />
        </Line>
      </dl>
    </Card>
  );
}

/** Puts `sign` before the sum, even if the sum already has one. */
export function movement(sum: string, sign: '' | '-'): string {
  const size = sum.replace(/^-/, '');
  return /^0+\.0+$/.test(size) ? size : sign + size;
}

function Line({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-soft">{name}</dt>
      <dd className="text-base">{children}</dd>
    </div>
  );
}
