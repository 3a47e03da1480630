import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { AccountSearch } from './account-search.tsx';

interface AccountFilterDialogProps {
  readonly onChosen: (accountId: number) => void;
  readonly onClose: () => void;
}

export function AccountFilterDialog({ onChosen, onClose }: AccountFilterDialogProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const onSend = () => {
    if (chosen !== null) onChosen(chosen);
  };
  return (
    <FormDialog
      form={{ isPending: false, error: null, onClose, onSend }}
      title={t`Top-ups of one account`}
      action={t`Show`}
      ready={chosen !== null}
    >
      <AccountSearch chosen={chosen} onChoose={setChosen} />
    </FormDialog>
  );
}
