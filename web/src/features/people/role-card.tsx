import { t } from '@lingui/core/macro';
import { accountRoleWords, operatorRoleWords, roleWord } from '../../text/words.ts';
import { Card } from '../../ui/card.tsx';

export function RoleCard({ ofAdministrator }: { readonly ofAdministrator: boolean }) {
  return (
    <Card title={t`Roles`}>
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
        {(ofAdministrator ? operatorRoleWords : accountRoleWords).map(({ role, sentence }) => (
          <div key={role} className="sm:contents">
            <dt className="font-medium">{roleWord(role)}</dt>
            <dd className="text-soft">{sentence}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
