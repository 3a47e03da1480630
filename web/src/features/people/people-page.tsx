// The account's people.

import { t } from '@lingui/core/macro';
import { ownPeople } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { PeopleCard } from './people-card.tsx';
import { RoleCard } from './role-card.tsx';

export function PeoplePage() {
  const { account } = useMe();
  const may = useMay();
  return (
    <>
      <PageHeader
        title={t`People`}
        description={t`Who signs in for this account. Each with a password, codes and sessions of their own.`}
      />
      <div className="flex flex-col gap-5">
        <PeopleCard
          owner={ownPeople}
          ofAdministrator={account.is_admin}
          canChange={may('people:write')}
          title={t`Everybody`}
          description={t`The audit log names whoever did something.`}
        />
        <RoleCard ofAdministrator={account.is_admin} />
      </div>
    </>
  );
}
