// Asks for a new password after sign-in with a generated one. Until then the service refuses everything else.

import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { EntryCard } from './entry-card.tsx';
import { leave } from './leave.ts';
import { PasswordForm } from './password-form.tsx';

interface FirstPasswordScreenProps {
  readonly username: string;
  /** The temporary password, where it was typed just before. */
  readonly typed?: string | null;
  readonly onDone: () => void;
}

export default function FirstPasswordScreen({ username, typed = null, onDone }: FirstPasswordScreenProps) {
  const client = useQueryClient();
  return (
    <EntryCard
      title={t`Choose your password`}
      isSignedIn
      below={
        <div className="mt-4 flex justify-center">
          <Button onClick={() => leave(client)}>{t`Sign out`}</Button>
        </div>
      }
    >
      <h1 className="mb-2 text-lg">{t`Choose your password`}</h1>
      <p className="mb-5 text-soft">{t`Your temporary password has to be replaced. Choose a new one.`}</p>
      <PasswordForm
        username={username}
        currentLabel={t`Temporary password`}
        typedCurrent={typed}
        action={t`Set password`}
        onDone={onDone}
      />
    </EntryCard>
  );
}
