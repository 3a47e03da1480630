// The bar with actions on the selected customers and their cost.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { RefreshCw, Repeat } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { Query } from '../../api/client.ts';
import { findAllCustomers, renewalsQuery, selectedAtOnceMax } from '../../api/renewal-queries.ts';
import type { PanelCustomer } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { withTexts } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import type { RowSelection } from '../../ui/row-selection.ts';
import { say } from '../../ui/toasts.tsx';

const BulkRenewDialog = lazyEarly(withTexts(() => import('../plans/bulk-renew-dialog.tsx')));
const BulkAutoRenewDialog = lazyEarly(withTexts(() => import('../plans/bulk-auto-renew-dialog.tsx')));

interface CustomerSelectionBarProps {
  readonly selection: RowSelection<PanelCustomer>;
  readonly wanted: Query;
  /** `total` is null if unknown. `hasMore` is true if rows beyond this page match. */
  readonly total: number | null;
  readonly hasMore: boolean;
}

export function CustomerSelectionBar({ selection, wanted, total, hasMore }: CustomerSelectionBarProps) {
  const [isRenewing, setIsRenewing] = useState(false);
  const [isSettingRenewal, setIsSettingRenewal] = useState(false);
  const [isSelecting, setIsSelecting] = useState(false);
  const { rows } = selection;
  const { data, error, isPlaceholderData, refetch } = useQuery(renewalsQuery(rows.map(({ id }) => id)));
  if (rows.length === 0) return null;
  const preview = isPlaceholderData ? undefined : data;
  const price = preview === undefined ? '' : formatMoney(preview.total, preview.currency);
  const leftOut = preview === undefined ? 0 : rows.length - preview.count;
  const leave = (ids: ReadonlySet<number>) => selection.chooseAll(rows.filter(({ id }) => !ids.has(id)));
  const selectAll = async () => {
    setIsSelecting(true);
    try {
      const { data: all, next_cursor: next } = await findAllCustomers(wanted);
      selection.chooseAll(all);
      if (next !== null)
        say(t`Only the first ${all.length} are selected, the most that can be renewed at once.`);
    } catch {
      say(t`Couldn’t load the results. Try again.`);
    }
    setIsSelecting(false);
  };
  return (
    <section
      aria-label={t`Selected customers`}
      className="sticky top-(--list-top) z-20 button-row items-center justify-end border-b border-line bg-accent-fill px-4 py-2 md:px-5"
    >
      <p className="figures mr-auto max-sm:w-full">
        {plural(rows.length, { one: '# selected', other: '# selected' })}
        {leftOut === 0
          ? null
          : ` · ${plural(leftOut, { one: '# cannot be renewed', other: '# cannot be renewed' })}`}
      </p>
      {hasMore && rows.length < selectedAtOnceMax ? (
        <Button look="plain" busy={isSelecting} onClick={() => void selectAll()}>
          {total === null
            ? t`Select all matches`
            : total > selectedAtOnceMax
              ? t`Select the first ${selectedAtOnceMax} of ${formatCount(total)}`
              : plural(total, { one: 'Select # match', other: 'Select all # matches' })}
        </Button>
      ) : null}
      <Button look="plain" onClick={selection.clear}>
        {t`Select none`}
      </Button>
      <Button icon={Repeat} disabled={preview === undefined} onClick={() => setIsSettingRenewal(true)}>
        {t`Auto-renew`}
      </Button>
      {error === null ? (
        <Button
          icon={RefreshCw}
          look="primary"
          busy={preview === undefined}
          disabled={preview?.count === 0}
          onClick={() => setIsRenewing(true)}
        >
          {preview === undefined
            ? t`Renew`
            : plural(preview.count, { one: `Renew # for ${price}`, other: `Renew # for ${price}` })}
        </Button>
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
      {isSettingRenewal && data !== undefined ? (
        <Suspense>
          <BulkAutoRenewDialog
            customers={rows}
            preview={data}
            onClose={() => setIsSettingRenewal(false)}
            onChanged={leave}
          />
        </Suspense>
      ) : null}
      {isRenewing && data !== undefined ? (
        <Suspense>
          <BulkRenewDialog
            customers={rows}
            preview={data}
            onClose={() => setIsRenewing(false)}
            onRenewed={leave}
          />
        </Suspense>
      ) : null}
    </section>
  );
}
