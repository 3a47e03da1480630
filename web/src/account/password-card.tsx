// A new password. It ends the other sessions.

import { usePerson } from '../api/person.ts';
import { PasswordForm } from '../shell/password-form.tsx';
import { Card } from '../ui/card.tsx';
import { say } from '../ui/toasts.tsx';

export function PasswordCard() {
  const { username } = usePerson().person;
  return (
    <Card title="Password" description="Changing it signs out every other browser.">
      <PasswordForm
        username={username}
        currentLabel="Current password"
        action="Change password"
        onDone={() => say('The password is changed; other sessions have ended.')}
      />
    </Card>
  );
}
