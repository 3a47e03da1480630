// Asks for the password, then hands the first key to the page. The page keeps it in memory only, so leaving hides it.

import { t } from '@lingui/core/macro';
import { revealApiKey } from '../../api/commands.ts';
import { useCommand } from '../../api/use-command.ts';
import { PasswordDialog } from '../../ui/password-dialog.tsx';

interface ShowKeyDialogProps {
  readonly onKey: (key: string) => void;
  readonly onClose: () => void;
}

export function ShowKeyDialog({ onKey, onClose }: ShowKeyDialogProps) {
  const reveal = useCommand((password: string | undefined) => revealApiKey({ password }), {
    onDone: ({ api_key: key }) => {
      onKey(key);
      onClose();
    },
  });
  return (
    <PasswordDialog
      title={t`Show key`}
      description={t`Enter your password. Viewing the key is recorded in the audit log.`}
      action={t`Show key`}
      command={reveal}
      onClose={onClose}
    />
  );
}
