import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ownKeys } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { apiKeyQuery } from '../../api/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AddressNotice } from './address-notice.tsx';
import { AllowListCard } from './allow-list-card.tsx';
import { ApiKeyCard } from './api-key-card.tsx';
import { FirstRequestCard } from './first-request-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { UsageCard } from './usage-card.tsx';

export function ApiAccessPage() {
  const { account } = useMe();
  const may = useMay();
  const keyFacts = useQuery(apiKeyQuery);
  // The key is kept in memory only, so leaving the page hides it.
  const [shownKey, setShownKey] = useState<string | null>(null);
  return (
    <>
      <PageHeader title={t`API access`} description={t`Order from your own shop or system.`} />
      <div className="page-stack gap-5">
        {account.api_enabled ? null : (
          <Notice tone="warn">
            {t`API access is turned off for this account. Ask the operator to turn it on.`}
          </Notice>
        )}
        <AddressNotice />
        <ApiKeyCard
          facts={keyFacts.data}
          error={keyFacts.error}
          onRetry={() => void keyFacts.refetch()}
          shownKey={shownKey}
          onKey={setShownKey}
        />
        <KeysCard
          owner={ownKeys}
          description={t`Create one key per program with only the scopes it needs, so you can replace each one separately.`}
          ofAdministrator={account.is_admin}
          canChange={may('keys:write')}
        />
        <div className="grid gap-5 lg:grid-cols-2 [&>*]:min-w-0">
          <UsageCard />
          <AllowListCard />
        </div>
        <FirstRequestCard shownKey={shownKey} />
      </div>
    </>
  );
}
