// The link for adding funds, and what the account owes. Small, because the overview loads it: the dialog opens on the page of
// top-ups.

import { t } from '@lingui/core/macro';
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { withTexts } from '../../text/texts.ts';
import type { ButtonLook } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';

export function useMayAddFunds(): boolean {
  const may = useMay();
  return useMe().topups.methods.length > 0 && may('topups:write');
}

interface AddFundsLinkProps {
  readonly look?: ButtonLook;
  readonly className?: string;
}

export function AddFundsLink(props: AddFundsLinkProps) {
  return useMayAddFunds() ? (
    <ButtonLink to="/top-ups" search={{ open: 'add-funds' }} icon={Plus} {...props}>
      {t`Add funds`}
    </ButtonLink>
  ) : null;
}

const Receivable = lazy(withTexts(() => import('./receivable-notice.tsx')));

/** Shown only while the account owes something. Few accounts do, so it is loaded then. */
export function ReceivableNotice() {
  if (useMe().receivable === '0.00') return null;
  return (
    <Suspense fallback={<div className="h-24 sm:h-11" />}>
      <Receivable />
    </Suspense>
  );
}
