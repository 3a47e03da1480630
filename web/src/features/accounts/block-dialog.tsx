import { t } from '@lingui/core/macro';
import { changeAccount } from '../../api/commands.ts';
import type { Account } from '../../api/shapes.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface BlockDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

export function BlockDialog({ account, onClose }: BlockDialogProps) {
  const { username, blocked } = account;
  const form = useDialogForm({
    onClose,
    send: () => changeAccount(account.id, { blocked: !blocked }),
    says: () => (blocked ? t`${username} unblocked.` : t`${username} blocked.`),
  });
  return (
    <FormDialog
      form={form}
      title={blocked ? t`Unblock ${username}?` : t`Block ${username}?`}
      description={
        blocked
          ? t`The API works again immediately. Team members have to sign in again.`
          : t`API and panel access stop immediately and all sessions end. The balance is kept, and customers’ plans keep running.`
      }
      action={blocked ? t`Unblock` : t`Block account`}
      danger={!blocked}
    />
  );
}
