// Filters a list of all accounts by one. Chosen in a dialog, because there may be thousands.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { Suspense, useState } from 'react';
import { accountQuery } from '../../api/queries.ts';
import { classNames } from '../../ui/class-names.ts';
import { inputClasses } from '../../ui/field.tsx';
import { OnlyOne } from '../../ui/list-card.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import type { List } from '../../ui/use-list.ts';

const AccountFilterDialog = lazyEarly(async () => ({
  default: (await import('./account-filter-dialog.tsx')).AccountFilterDialog,
}));

interface AccountFilterProps {
  readonly list: Pick<List<'account_id'>, 'search' | 'change'>;
  /** The title of the dialog. */
  readonly title: string;
}

export function AccountFilter({ list, title }: AccountFilterProps) {
  const { account_id: id } = list.search;
  const [isChoosing, setIsChoosing] = useState(false);
  const { data } = useQuery({ ...accountQuery(id ?? ''), enabled: id !== undefined });
  return (
    <>
      {id === undefined ? (
        <button
          type="button"
          aria-haspopup="dialog"
          className={classNames(
            inputClasses,
            'inline-flex !w-auto items-center justify-between gap-1.5 !pr-2 whitespace-nowrap max-sm:flex-1 max-sm:basis-32',
          )}
          onClick={() => setIsChoosing(true)}
        >
          {t`All accounts`}
          <ChevronDown aria-hidden="true" className="size-4" />
        </button>
      ) : (
        <OnlyOne label={t`Show all accounts`} onClear={() => list.change({ account_id: '' })}>
          {data === undefined ? t`Account ${id}` : <bdi>{data.account.username}</bdi>}
        </OnlyOne>
      )}
      {isChoosing ? (
        <Suspense>
          <AccountFilterDialog
            title={title}
            onChosen={(chosen) => {
              setIsChoosing(false);
              list.change({ account_id: String(chosen) });
            }}
            onClose={() => setIsChoosing(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
