// Asks the user to set up a second factor if their role needs one. Until then the service refuses everything else.

import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toasts.tsx';
import { EntryCard } from './entry-card.tsx';
import { leave } from './leave.ts';
import { TotpSetup } from './totp-setup.tsx';

export default function SecondFactorScreen({
  onReadingCodes,
}: {
  /** True while recovery codes are shown; the panel stays hidden until then. */
  readonly onReadingCodes: (isReading: boolean) => void;
}) {
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const [isOn, setIsOn] = useState(false);
  return (
    <EntryCard
      title={t`Set up two-factor authentication`}
      heading={t`Set up two-factor authentication`}
      isSignedIn
      below={
        <div className="mt-4 flex justify-center">
          <Button onClick={() => leave(client)}>{t`Sign out`}</Button>
        </div>
      }
    >
      <p className="mb-5 text-soft">
        {t`The operator requires two-factor authentication for your role. Set it up now to continue.`}
      </p>
      <div className="grid">
        <Button look="primary" onClick={() => setIsOpen(true)}>
          {t`Set up`}
        </Button>
      </div>
      {isOpen ? (
        <TotpSetup
          onOn={() => {
            setIsOn(true);
            onReadingCodes(true);
          }}
          onClose={() => {
            setIsOpen(false);
            onReadingCodes(false);
            if (isOn) say(t`Signing in now requires a code.`);
          }}
        />
      ) : null}
    </EntryCard>
  );
}
