// Makes a login link for a customer and shows it once.

import { createLoginLink } from '../api/commands.ts';
import type { Customer } from '../api/shapes.ts';
import { useCommand } from '../api/use-command.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { SecretText } from '../ui/secret-text.tsx';
import { ShownOnceDialog } from '../ui/shown-once-dialog.tsx';
import { Time } from '../ui/time.tsx';

interface LoginLinkDialogProps {
  readonly customer: Customer;
  readonly onClose: () => void;
}

export function LoginLinkDialog({ customer, onClose }: LoginLinkDialogProps) {
  const command = useCommand(createLoginLink);
  if (command.data !== undefined) {
    const { login_url: url, expires_at: expiresAt } = command.data;
    return (
      <ShownOnceDialog title="Login link" onClose={onClose}>
        <SecretText label="Login link" text={url} />
        <p className="text-soft">
          Shown only now. It logs <bdi className="text-ink">{customer.name}</bdi> in once, until{' '}
          <Time at={expiresAt} />.
        </p>
      </ShownOnceDialog>
    );
  }
  return (
    <FormDialog
      title="Create a login link?"
      description={
        <>
          Whoever opens it is logged in as <bdi className="text-ink">{customer.name}</bdi>. It works once and
          for a short time; any earlier unused link stops working.
        </>
      }
      action="Create link"
      busy={command.isPending}
      error={command.error}
      onSubmit={() => command.mutate(customer.id)}
      onClose={onClose}
    />
  );
}
