import { t } from '@lingui/core/macro';
import { usePerson } from '../../api/person.ts';
import { Card } from '../../ui/card.tsx';
import { say } from '../../ui/toasts.tsx';
import { PasswordForm } from './password-form.tsx';

export function PasswordCard() {
  const { username } = usePerson().person;
  return (
    <Card title={t`Password`} description={t`Changing your password signs out all other browsers.`}>
      <PasswordForm
        username={username}
        currentLabel={t`Current password`}
        action={t`Change password`}
        onDone={() => say(t`Password changed. Other sessions have ended.`)}
      />
    </Card>
  );
}
