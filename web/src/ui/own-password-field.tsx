// The password for sensitive actions. Optional for five minutes after a confirmation, unless the action always asks.

import { t } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import { usePerson } from '../api/person.ts';
import { formatTime } from '../text/times.ts';
import { TextField } from './field.tsx';

export interface OwnPassword {
  readonly sent: string | undefined;
  readonly isReady: boolean;
  readonly typed: string;
  readonly onTyped: (text: string) => void;
  /** Until this time the password is optional; null if it is required. */
  readonly confirmedUntil: string | null;
}

/** Set `isAskedAlways` for actions that decide who owns the account, who may sign in, or where a password is mailed. */
export function useOwnPassword({
  isAskedAlways = false,
}: {
  readonly isAskedAlways?: boolean;
} = {}): OwnPassword {
  const [typed, onTyped] = useState('');
  const until = useReauthenticatedUntil();
  const confirmedUntil = isAskedAlways ? null : until;
  return {
    sent: typed === '' ? undefined : typed,
    isReady: typed !== '' || confirmedUntil !== null,
    typed,
    onTyped,
    confirmedUntil,
  };
}

export function OwnPasswordField({
  own: { typed, onTyped, confirmedUntil },
  hint,
  autoFocus = false,
}: {
  readonly own: OwnPassword;
  /** Explains why the password is needed, if the dialog does not. */
  readonly hint?: string;
  readonly autoFocus?: boolean;
}) {
  const note =
    confirmedUntil === null
      ? hint
      : t`You confirmed recently. You can leave this blank until ${formatTime(confirmedUntil, 'clock', Date.now())}.`;
  return (
    <TextField
      label={t`Your password`}
      type="password"
      name="password"
      autoComplete="current-password"
      autoFocus={autoFocus}
      maxLength={200}
      value={typed}
      onText={onTyped}
      {...(note !== undefined && { hint: note })}
    />
  );
}

/** Becomes null exactly when the time is over, even in an open dialog. */
function useReauthenticatedUntil(): string | null {
  const { reauthenticated_until: until } = usePerson();
  const [, setLooks] = useState(0);
  useEffect(() => {
    if (until === null) return;
    const timer = setTimeout(() => setLooks((looks) => looks + 1), millisecondsUntil(until));
    return () => clearTimeout(timer);
  }, [until]);
  return until !== null && millisecondsUntil(until) > 0 ? until : null;
}

function millisecondsUntil(time: string): number {
  return new Date(time).getTime() - Date.now();
}
