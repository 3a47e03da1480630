import { formatTime } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import { mailAddressOf, type Person } from '../identity/people-table.ts';
import type { PersonView } from './people-schemas.ts';

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
