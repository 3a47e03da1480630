import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { changeAccount } from '../../api/commands.ts';
import { accountOutlookQuery } from '../../api/console-queries.ts';
import type { Account } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';

interface BlockDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

export function BlockDialog({ account, onClose }: BlockDialogProps) {
  const { username, blocked } = account;
  const { data } = useQuery(accountOutlookQuery(account.id));
  const [reason, reasonField] = useText();
  const form = useDialogForm({
    onClose,
    send: () =>
      changeAccount(account.id, {
        blocked: !blocked,
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      }),
    says: () => (blocked ? t`${username} unblocked.` : t`${username} blocked.`),
  });
  return (
    <FormDialog
      form={form}
      title={blocked ? t`Unblock ${username}?` : t`Block ${username}?`}
      description={
        blocked
          ? t`The API works again immediately. Team members have to sign in again.`
          : t`API and panel access stop immediately and all sessions end. The balance is kept.`
      }
      action={blocked ? t`Unblock` : t`Block account`}
      danger={!blocked}
    >
      {blocked ? undefined : (
        <>
          <Facts
            facts={[
              { name: t`Customers`, value: formatCount(account.customer_count) },
              {
                name: t`Active plans, until they end`,
                value: data && formatCount(data.outlook?.active_plans ?? 0),
              },
              { name: t`Auto-renewals`, value: t`Paused` },
            ]}
          />
          <TextField
            label={t`Reason`}
            hint={t`Optional. Recorded in the audit log; the account doesn’t see it.`}
            autoFocus
            autoComplete="off"
            maxLength={200}
            {...reasonField}
          />
        </>
      )}
    </FormDialog>
  );
}
