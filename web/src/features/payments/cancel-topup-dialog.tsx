import { t } from '@lingui/core/macro';
import { cancelTopup } from '../../api/commands.ts';
import type { Topup } from '../../api/shapes.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface CancelTopupDialogProps {
  readonly topup: Topup;
  readonly onClose: () => void;
}

export function CancelTopupDialog({ topup, onClose }: CancelTopupDialogProps) {
  const form = useDialogForm({
    onClose,
    send: () => cancelTopup(topup.id),
    says: () => t`Top-up canceled.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Cancel this top-up?`}
      description={t`It can no longer be paid by card. A transfer that is already on its way is still added to the balance.`}
      action={t`Cancel top-up`}
      cancel={t`Keep it`}
      danger
    />
  );
}
