import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { disableTotp } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { usePerson } from '../../api/person.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { OwnPasswordField, useOwnPassword } from '../../ui/own-password-field.tsx';
import { useText } from '../../ui/use-text.ts';
import { TotpSetup } from './totp-setup.tsx';

export function TotpCard() {
  const { totp_enabled: isOn } = useMe();
  const { second_factor_required: isRequired } = usePerson();
  const [opened, setOpened] = useState<'setup' | 'disable' | null>(null);
  const close = () => setOpened(null);
  return (
    <>
      <Card
        title={t`Two-factor authentication`}
        description={t`Requires a code from an authenticator app after your password.`}
        action={
          <div className="flex items-center gap-3">
            {isOn ? <Badge tone="good">{t`On`}</Badge> : <Badge>{t`Off`}</Badge>}
            {isOn && !isRequired ? (
              <Button look="danger" onClick={() => setOpened('disable')}>
                {t`Turn off`}
              </Button>
            ) : null}
            {isOn ? null : (
              <Button look="primary" onClick={() => setOpened('setup')}>
                {t`Set up`}
              </Button>
            )}
          </div>
        }
      >
        {isOn && isRequired ? (
          <p className="text-soft">{t`The operator requires it for your role.`}</p>
        ) : null}
      </Card>
      {opened === 'setup' ? <TotpSetup onClose={close} /> : null}
      {opened === 'disable' ? <DisableDialog onClose={close} /> : null}
    </>
  );
}

function DisableDialog({ onClose }: { readonly onClose: () => void }) {
  const own = useOwnPassword({ isAskedAlways: true });
  const [code, codeField] = useText();
  const form = useDialogForm({
    onClose,
    send: () => disableTotp({ password: own.sent, code: code.replaceAll(' ', '') }),
    says: () => t`Two-factor authentication is off.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Turn off two-factor authentication?`}
      description={t`Anyone who knows the password will be able to sign in. Your recovery codes stop working.`}
      action={t`Turn off`}
      danger
      ready={own.isReady && code.trim() !== ''}
    >
      <OwnPasswordField own={own} autoFocus />
      <TextField
        label={t`Code`}
        hint={t`From your app, or a recovery code.`}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        mono
        {...codeField}
      />
    </FormDialog>
  );
}
