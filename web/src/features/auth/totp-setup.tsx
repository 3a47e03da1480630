// Sets up TOTP: password, QR code with a first code, recovery codes.

import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { confirmTotp, startTotp } from '../../api/commands.ts';
import type { TotpEnrolment } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions, DialogBody } from '../../ui/dialog.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PasswordDialog } from '../../ui/password-dialog.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { useText } from '../../ui/use-text.ts';

type Step = 'password' | TotpEnrolment | { readonly recoveryCodes: readonly string[] };

/** `onOn` is called after the user has seen the recovery codes. */
export function TotpSetup({ onClose, onOn }: { readonly onClose: () => void; readonly onOn?: () => void }) {
  const [step, setStep] = useState<Step>('password');
  const start = useCommand((password: string | undefined) => startTotp({ password }), { onDone: setStep });
  if (step === 'password') {
    return (
      <PasswordDialog
        title={t`Set up two-factor authentication`}
        description={t`Enter your password to start. You’ll need your authenticator app.`}
        action={t`Continue`}
        isAskedAlways
        command={start}
        onClose={onClose}
      />
    );
  }
  if ('recoveryCodes' in step) return <RecoveryCodes codes={step.recoveryCodes} onClose={onClose} />;
  return (
    <EnrolDialog
      enrolment={step}
      onCodes={(recoveryCodes) => {
        onOn?.();
        setStep({ recoveryCodes });
      }}
      onClose={onClose}
    />
  );
}

interface EnrolDialogProps {
  readonly enrolment: TotpEnrolment;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}

function EnrolDialog({ enrolment: { secret, uri }, onCodes, onClose }: EnrolDialogProps) {
  const [code, codeField] = useText();
  const plain = code.replaceAll(' ', '');
  const form = useDialogForm({
    onClose,
    send: () => confirmTotp({ code: plain }),
    onDone: ({ recovery_codes: codes }) => onCodes(codes),
  });
  return (
    <FormDialog
      form={form}
      title={t`Scan this with your app`}
      description={t`Then enter the code from the app. Nothing changes until you do.`}
      action={t`Turn on`}
      ready={/^\d{6}$/.test(plain)}
    >
      <div className="mx-auto">
        <QrCode text={uri} label={t`QR code for the authenticator app`} />
      </div>
      <SecretText label={t`Or enter this key in the app`} text={secret} />
      <TextField
        label={t`Code`}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        maxLength={7}
        mono
        {...codeField}
      />
    </FormDialog>
  );
}

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  return (
    <Dialog
      title={t`Two-factor authentication is on`}
      description={t`Store these recovery codes with your passwords. Each works once if you lose the app. They won’t be shown again.`}
      dismissible={false}
      onClose={onClose}
    >
      <DialogBody>
        <ul className="grid gap-y-1 rounded-control border border-line bg-fill px-4 py-3 font-mono text-[0.8125rem]">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton text={codes.join('\n')} label={t`Copy all`} labeled />
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {t`I’ve saved them`}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
