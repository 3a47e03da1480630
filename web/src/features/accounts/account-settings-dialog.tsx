import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { type AccountChange, changeAccount } from '../../api/commands.ts';
import type { Account } from '../../api/shapes.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { Field, inputClasses, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';
import { useText } from '../../ui/use-text.ts';

const groups = [
  { value: 'reseller', title: t`Reseller` },
  { value: 'distributor', title: t`Distributor` },
] as const;

interface AccountSettingsDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

export function AccountSettingsDialog({ account, onClose }: AccountSettingsDialogProps) {
  // Keep the values from when the dialog opened. After a refetch, untouched fields would look changed.
  const [before] = useState(account);
  const [displayName, displayNameField] = useText(account.display_name);
  const [group, setGroup] = useState(account.group);
  const [apiEnabled, setApiEnabled] = useState(account.api_enabled);
  const [rateLimit, rateLimitField] = useText(String(account.rate_limit_per_minute));
  const [allowList, setAllowList] = useState(account.allowed_ips.join('\n'));
  const isRate = /^\d{1,7}$/.test(rateLimit) && Number(rateLimit) >= 1 && Number(rateLimit) <= 1_000_000;
  const allowedIps = allowList.split(/[\s,]+/).filter((entry) => entry !== '');
  const change: AccountChange = {
    ...(displayName.trim() !== before.display_name && { display_name: displayName.trim() }),
    ...(group !== before.group && { group }),
    ...(apiEnabled !== before.api_enabled && { api_enabled: apiEnabled }),
    ...(Number(rateLimit) !== before.rate_limit_per_minute && { rate_limit_per_minute: Number(rateLimit) }),
    ...(allowedIps.join() !== before.allowed_ips.join() && { allowed_ips: allowedIps }),
  };
  const form = useDialogForm({
    onClose,
    isDoneOnceRead: true,
    send: (): ReturnType<typeof changeAccount> =>
      changeAccount(account.id, isLockOut() ? { ...change, confirm: true } : change),
    says: () => t`Saved. Applies from the next request.`,
  });
  const isLockOut = (): boolean => form.error instanceof ApiError && form.error.code === 'address_locked_out';
  return (
    <FormDialog
      form={form}
      title={t`Settings of ${account.username}`}
      width="wide"
      action={isLockOut() ? t`Save anyway` : t`Save`}
      danger={isLockOut()}
      ready={isRate && Object.keys(change).length > 0}
      isChanged={Object.keys(change).length > 0}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t`Name`} autoComplete="off" maxLength={120} {...displayNameField} />
        <TextField
          label={t`Requests per minute`}
          kind="count"
          problem={isRate ? null : t`Enter a whole number from 1 to 1,000,000.`}
          {...rateLimitField}
        />
      </div>
      <Choice
        label={t`Price group for new orders`}
        labelShown
        value={group}
        options={groups}
        onChoose={setGroup}
      />
      <SwitchField
        label={t`API access`}
        hint={t`When off, requests with its keys are refused. The panel keeps working.`}
        checked={apiEnabled}
        onChange={setApiEnabled}
      />
      <Field label={t`IP allow-list`} hint={t`One address or range per line. Leave blank for any address.`}>
        {(wiring) => (
          <textarea
            {...wiring}
            rows={4}
            spellCheck={false}
            value={allowList}
            onChange={(event) => {
              setAllowList(event.target.value);
              form.reset();
            }}
            className={`${inputClasses} py-2 font-mono`}
          />
        )}
      </Field>
    </FormDialog>
  );
}
