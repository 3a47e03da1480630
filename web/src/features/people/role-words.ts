// What each role may do, for the dialogs that choose one.

import { t } from '@lingui/core/macro';
import type { accountRoles, operatorRoles } from '../../../../src/shared/scopes.ts';
import type { Role } from '../../api/shapes.ts';

/** The most powerful role comes first. */
export const accountRoleWords: readonly RoleWords<(typeof accountRoles)[number]>[] = [
  { role: 'owner', sentence: t`Full access, including API keys and team members.` },
  { role: 'staff', sentence: t`Places orders and manages customers and plans. No API keys or team.` },
  { role: 'viewer', sentence: t`Read-only access to orders, customers and money.` },
];
export const operatorRoleWords: readonly RoleWords<(typeof operatorRoles)[number]>[] = [
  { role: 'owner', sentence: t`Full access.` },
  { role: 'finance', sentence: t`Read access to the whole console; can credit and debit accounts.` },
  {
    role: 'support',
    sentence: t`Read access to the whole console; manages accounts, keys and team members. No billing or price changes.`,
  },
  { role: 'viewer', sentence: t`Read-only access to the whole console.` },
];

interface RoleWords<Of extends Role> {
  readonly role: Of;
  readonly sentence: string;
}
