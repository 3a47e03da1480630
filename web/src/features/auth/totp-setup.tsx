// TOTP setup: password, QR code with a first code, recovery codes. On the security page, and when a role requires it.

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

/** `onOn`: after the recovery codes were shown. */
export function TotpSetup({ onClose, onOn }: { readonly onClose: () => void; readonly onOn?: () => void }) {
  const [step, setStep] = useState<Step>('password');
  const start = useCommand((password: string | undefined) => startTotp({ password }), { onDone: setStep });
  if (step === 'password') {
    return (
      <PasswordDialog
        title={t`Set up codes at sign-in`}
        description={t`Enter your password to begin. Have your authenticator app at hand.`}
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
      description={t`Then enter the code the app shows. Nothing is switched on until then.`}
      action={t`Switch on`}
      ready={/^\d{6}$/.test(plain)}
    >
      <div className="mx-auto">
        <QrCode text={uri} label={t`QR code for the authenticator app`} />
      </div>
      <SecretText label={t`Or type this key into the app`} text={secret} />
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
      title={t`Codes at sign-in are on`}
      description={t`Keep these recovery codes where you keep passwords. Each lets you in once if you lose the app. They are shown only now.`}
      dismissible={false}
      onClose={onClose}
    >
      <DialogBody>
        <ul className="grid gap-y-1 rounded-control border border-line bg-fill px-4 py-3 font-mono text-[0.8125rem]">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton text={codes.join('\n')} label={t`Copy all`} labelled />
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {t`I have saved them`}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
