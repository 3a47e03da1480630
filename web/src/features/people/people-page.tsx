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
      <PageHeader title={t`Team`} description={t`People who can sign in to this account.`} />
      <div className="page-stack gap-5">
        <PeopleCard
          owner={ownPeople}
          ofAdministrator={account.is_admin}
          canChange={may('people:write')}
          title={t`Team members`}
          description={t`Actions are recorded in the audit log.`}
        />
        <RoleCard ofAdministrator={account.is_admin} />
      </div>
    </>
  );
}
