import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { usePerson } from '../../api/person.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { say } from '../../ui/toasts.tsx';
import { PasswordForm } from './password-form.tsx';

export function PasswordCard() {
  const { username } = usePerson().person;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Card
        title={t`Password`}
        description={t`Changing your password signs out all other browsers.`}
        action={<Button onClick={() => setIsOpen(true)}>{t`Change password`}</Button>}
      />
      {isOpen ? (
        <Dialog title={t`Change password`} onClose={() => setIsOpen(false)}>
          <DialogBody>
            <PasswordForm
              username={username}
              currentLabel={t`Current password`}
              action={t`Change password`}
              onDone={() => {
                setIsOpen(false);
                say(t`Password changed. Other sessions have ended.`);
              }}
            />
          </DialogBody>
        </Dialog>
      ) : null}
    </>
  );
}
