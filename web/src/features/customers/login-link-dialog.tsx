import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { createLoginLink } from '../../api/commands.ts';
import type { Customer } from '../../api/shapes.ts';
import { createLoginLinkOfCustomer } from '../../api/support-commands.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx';
import { Time } from '../../ui/time.tsx';

interface LoginLinkDialogProps {
  readonly customer: Pick<Customer, 'id' | 'name'>;
  /** For customers of any account; then the operator's password is required. */
  readonly isOperator?: boolean;
  readonly onClose: () => void;
}

export function LoginLinkDialog({ customer, isOperator = false, onClose }: LoginLinkDialogProps) {
  const form = useDialogForm({
    onClose,
    password: isOperator && 'asked',
    send: ({ password }) =>
      isOperator
        ? createLoginLinkOfCustomer(customer.id, { current_password: password })
        : createLoginLink(customer.id),
  });
  if (form.answer !== undefined) {
    const { login_url: url, expires_at: expiresAt } = form.answer;
    return (
      <ShownOnceDialog
        title={t`Login link`}
        onClose={onClose}
        primary={<CopyButton labeled look="primary" text={url} label={t`Copy`} />}
      >
        <SecretText label={t`Login link`} text={url} bare />
        <p className="text-soft">
          <Trans>
            Logs <bdi className="text-ink">{customer.name}</bdi> in once, until <Time at={expiresAt} />. It
            won’t be shown again.
          </Trans>
        </p>
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title={t`Create a login link?`}
      description={
        <Trans>
          Anyone who opens the link is logged in as <bdi className="text-ink">{customer.name}</bdi>. It works
          once, for a short time. Earlier unused links stop working.
        </Trans>
      }
      action={t`Create link`}
    />
  );
}
