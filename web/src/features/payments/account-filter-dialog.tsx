import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { AccountSearch } from './account-search.tsx';

interface AccountFilterDialogProps {
  readonly title: string;
  readonly onChosen: (accountId: number) => void;
  readonly onClose: () => void;
}

export function AccountFilterDialog({ title, onChosen, onClose }: AccountFilterDialogProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const onSend = () => {
    if (chosen !== null) onChosen(chosen);
  };
  return (
    <FormDialog
      form={{ isPending: false, error: null, onClose, onSend }}
      title={title}
      action={t`Show`}
      ready={chosen !== null}
    >
      <AccountSearch chosen={chosen} onChoose={setChosen} />
    </FormDialog>
  );
}
