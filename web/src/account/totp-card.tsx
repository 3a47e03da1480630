// Codes at sign-in (TOTP): switched on with a QR code and a first code, off with the password and a code.

import { useState } from 'react';
import { confirmTotp, disableTotp, startTotp } from '../api/commands.ts';
import { useMe } from '../api/me.ts';
import type { TotpEnrolment } from '../api/shapes.ts';
import { useCommand } from '../api/use-command.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog, DialogActions, DialogBody } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { PasswordDialog } from '../ui/password-dialog.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { SecretText } from '../ui/secret-text.tsx';
import { say } from '../ui/toasts.tsx';

type Step = 'password' | 'disable' | TotpEnrolment | { readonly recoveryCodes: readonly string[] } | null;

export function TotpCard() {
  const { totp_enabled: isOn } = useMe();
  const [step, setStep] = useState<Step>(null);
  const close = () => setStep(null);
  const start = useCommand((password: string) => startTotp({ password }), { onDone: setStep });
  return (
    <Card
      title="Codes at sign-in"
      description="A second step: a code from an authenticator app after the password."
      action={isOn ? <Badge tone="good">On</Badge> : <Badge tone="warn">Off</Badge>}
    >
      {isOn ? (
        <Button look="danger" onClick={() => setStep('disable')}>
          Switch off
        </Button>
      ) : (
        <Button look="primary" onClick={() => setStep('password')}>
          Set up
        </Button>
      )}
      {step === 'password' ? (
        <PasswordDialog
          title="Set up codes at sign-in"
          description="Enter your password to begin. Have your authenticator app at hand."
          action="Continue"
          command={start}
          onClose={() => {
            start.reset();
            close();
          }}
        />
      ) : null}
      {step !== null && typeof step === 'object' && 'secret' in step ? (
        <EnrolDialog
          enrolment={step}
          onCodes={(recoveryCodes) => setStep({ recoveryCodes })}
          onClose={close}
        />
      ) : null}
      {step !== null && typeof step === 'object' && 'recoveryCodes' in step ? (
        <RecoveryCodes codes={step.recoveryCodes} onClose={close} />
      ) : null}
      {step === 'disable' ? <DisableDialog onClose={close} /> : null}
    </Card>
  );
}

function EnrolDialog({
  enrolment: { secret, uri },
  onCodes,
  onClose,
}: {
  readonly enrolment: TotpEnrolment;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const [code, setCode] = useState('');
  const command = useCommand(confirmTotp, { onDone: ({ recovery_codes: codes }) => onCodes(codes) });
  const plain = code.replaceAll(' ', '');
  return (
    <FormDialog
      title="Scan this with your app"
      description="Then enter the code the app shows. Nothing is switched on until then."
      action="Switch on"
      busy={command.isPending}
      ready={/^\d{6}$/.test(plain)}
      error={command.error}
      onSubmit={() => command.mutate({ code: plain })}
      onClose={onClose}
    >
      <div className="mx-auto">
        <QrCode text={uri} label="QR code for the authenticator app" />
      </div>
      <SecretText label="Or type this key into the app" text={secret} />
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        maxLength={7}
        mono
        value={code}
        onText={setCode}
      />
    </FormDialog>
  );
}

function RecoveryCodes({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title="Codes at sign-in are on"
      description="Keep these recovery codes where you keep passwords. Each lets you in once if you lose the app. They are shown only now."
      dismissible={false}
      onClose={onClose}
    >
      <DialogBody>
        <ul className="grid gap-y-1 rounded-control border border-line bg-fill px-4 py-3 font-mono text-[0.8125rem]">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton text={codes.join('\n')} label="Copy all" labelled />
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have saved them
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function DisableDialog({ onClose }: { readonly onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const command = useCommand(disableTotp, {
    onDone: () => {
      say('Codes at sign-in are off.');
      onClose();
    },
  });
  return (
    <FormDialog
      title="Switch off codes at sign-in?"
      description="The password alone will then let in whoever knows it. The recovery codes stop working."
      action="Switch off"
      danger
      busy={command.isPending}
      ready={password !== '' && code.trim() !== ''}
      error={command.error}
      onSubmit={() => command.mutate({ password, code: code.replaceAll(' ', '') })}
      onClose={onClose}
    >
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        autoFocus
        maxLength={200}
        value={password}
        onText={setPassword}
      />
      <TextField
        label="Code"
        hint="From the app, or a recovery code."
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        mono
        value={code}
        onText={setCode}
      />
    </FormDialog>
  );
}
