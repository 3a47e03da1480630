// Blocks or unblocks an account.

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
    says: () => (blocked ? t`${username} is no longer blocked.` : t`${username} is blocked.`),
  });
  return (
    <FormDialog
      form={form}
      title={blocked ? t`Unblock ${username}?` : t`Block ${username}?`}
      description={
        blocked
          ? t`Its API works again at once. Whoever was signed in to its panel signs in again.`
          : t`Its API and panel stop with the next request, and its sessions end. Its balance stays, and its customers’ plans run on.`
      }
      action={blocked ? t`Unblock` : t`Block account`}
      danger={!blocked}
    />
  );
}
