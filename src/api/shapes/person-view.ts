// A person as administrators and owners see them.

import type { Account } from '../../accounts/account-table.ts';
import { mailAddressOf, type Person } from '../../accounts/people-table.ts';
import type { PersonView } from '../../contract/people-schemas.ts';
import { formatTime } from '../../contract/times.ts';

export function personView(
  person: Person,
  account: Account,
  isTotpEnabled: boolean,
  status: PersonView['status'],
): PersonView {
  const email = mailAddressOf(person, account);
  return {
    id: person.id,
    username: person.username,
    ...(email === null ? {} : { email }),
    role: person.role,
    status,
    totp_enabled: isTotpEnabled,
    last_sign_in_at: person.lastSignInAt === null ? null : formatTime(person.lastSignInAt),
    created_at: formatTime(person.createdAt),
  };
}
