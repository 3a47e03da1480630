// The person's security e-mail. It receives password reset links, so changing it requires the current password.

import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { setEmail } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay, usePerson } from '../../api/person.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';

export function EmailCard() {
  const { account, mail } = useMe();
  const { person } = usePerson();
  const may = useMay();
  const [isOpen, setIsOpen] = useState(false);
  // The account's own login uses the account's address.
  const isFixed = person.id === account.id && !may('people:write');
  const saved = person.email ?? '';
  const mayChange = !isFixed && (mail || saved !== '');
  return (
    <>
      <Card
        title={t`Email address`}
        description={
          mail
            ? t`Used to reset your password and to alert you to sign-ins from new addresses.`
            : t`Email isn’t set up on this service.`
        }
        action={
          mayChange ? (
            <Button onClick={() => setIsOpen(true)}>
              {saved === '' ? t`Add address` : t`Change address`}
            </Button>
          ) : undefined
        }
      >
        {saved === '' ? null : <p className="wrap-anywhere">{saved}</p>}
      </Card>
      {isOpen ? <EmailDialog saved={saved} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function EmailDialog({ saved, onClose }: { readonly saved: string; readonly onClose: () => void }) {
  const [email, emailField] = useText(saved);
  const sent = email.trim();
  const form = useDialogForm({
    onClose,
    password: 'always',
    send: ({ password }) => setEmail({ email: sent, password }),
    says: () => (sent === '' ? t`Address removed.` : t`Address saved.`),
  });
  return (
    <FormDialog
      form={form}
      title={saved === '' ? t`Add address` : t`Change address`}
      description={t`Anyone with access to this mailbox can reset your password.`}
      action={sent === '' && saved !== '' ? t`Remove address` : t`Save address`}
      ready={sent !== saved && (sent === '' || /^\S+@\S+\.\S+$/.test(sent))}
    >
      <TextField
        label={t`Address`}
        type="email"
        autoComplete="email"
        spellCheck={false}
        autoCapitalize="none"
        autoFocus
        maxLength={254}
        {...emailField}
      />
    </FormDialog>
  );
}
