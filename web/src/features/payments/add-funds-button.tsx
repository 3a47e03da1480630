// Opens the dialog for adding funds. Shown only where a method is on and the role allows it.

import { t } from '@lingui/core/macro';
import { Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { withTexts } from '../../text/texts.ts';
import { Button, type ButtonLook } from '../../ui/button.tsx';
import { lazyEarly } from '../../ui/preload.ts';

export const AddFundsDialog = lazyEarly(withTexts(() => import('./add-funds-dialog.tsx')));

export function useMayAddFunds(): boolean {
  const may = useMay();
  return useMe().topups.methods.length > 0 && may('topups:write');
}

export function AddFundsButton({ look = 'plain' }: { readonly look?: ButtonLook }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!useMayAddFunds()) return null;
  return (
    <>
      <Button icon={Plus} look={look} onClick={() => setIsOpen(true)}>
        {t`Add funds`}
      </Button>
      {isOpen ? (
        <Suspense>
          <AddFundsDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
