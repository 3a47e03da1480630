// What each role may do, from the service's own table of roles.

import { t } from '@lingui/core/macro';
import { Check } from 'lucide-react';
import { rolesOf, type Scope, scopesOfRole } from '../../../../src/shared/scopes.ts';
import { roleWord } from '../../text/words.ts';
import { Card } from '../../ui/card.tsx';

interface Right {
  readonly scope: Scope;
  readonly words: string;
}

const accountRights: readonly Right[] = [
  { scope: 'orders:read', words: t`View orders, customers and money` },
  { scope: 'orders:write', words: t`Place orders and renewals` },
  { scope: 'customers:write', words: t`Manage customers and plans` },
  { scope: 'topups:write', words: t`Add funds` },
  { scope: 'webhooks:write', words: t`Manage webhooks` },
  { scope: 'keys:write', words: t`Manage API keys` },
  { scope: 'people:write', words: t`Manage team members` },
];

const operatorRights: readonly Right[] = [
  { scope: 'admin:read', words: t`View the whole console` },
  { scope: 'admin:accounts', words: t`Manage accounts, their keys and team members` },
  { scope: 'admin:credit', words: t`Credit and debit accounts` },
  { scope: 'admin:packages', words: t`Change packages, prices and settings` },
  { scope: 'people:write', words: t`Manage the console’s team` },
];

export function RoleCard({ ofAdministrator }: { readonly ofAdministrator: boolean }) {
  const account = { isAdmin: ofAdministrator };
  const shown = rolesOf(account).map((role) => ({ role, scopes: scopesOfRole(account, role) }));
  return (
    <Card title={t`Roles`} lined>
      <table className="w-full border-collapse">
        <caption className="sr-only">{t`What each role may do`}</caption>
        <thead>
          <tr className="border-b border-line bg-fill/60 text-xs text-soft">
            <th scope="col" className="px-4 py-2 text-left font-medium md:px-5">
              {t`Permission`}
            </th>
            {shown.map(({ role }) => (
              <th
                key={role}
                scope="col"
                className="px-1 py-2 text-center font-medium last:pr-4 sm:w-28 sm:px-3"
              >
                {roleWord(role)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(ofAdministrator ? operatorRights : accountRights).map(({ scope, words }) => (
            <tr key={scope} className="border-b border-line last:border-b-0">
              <th scope="row" className="px-4 py-2.5 text-left font-normal md:px-5">
                {words}
              </th>
              {shown.map(({ role, scopes }) => (
                <td key={role} className="px-1 py-2.5 text-center last:pr-4 sm:px-3">
                  {scopes.has(scope) ? (
                    <>
                      <Check aria-hidden="true" className="inline size-4 text-good" />
                      <span className="sr-only">{t`Yes`}</span>
                    </>
                  ) : (
                    <>
                      <span aria-hidden="true" className="text-soft">
                        –
                      </span>
                      <span className="sr-only">{t`No`}</span>
                    </>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
