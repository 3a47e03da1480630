import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { ownKeys } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AddressNotice } from './address-notice.tsx';
import { AllowListCard } from './allow-list-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { ShowKeyDialog } from './show-key-dialog.tsx';
import { UsageCard } from './usage-card.tsx';

export function ApiAccessPage() {
  const { account } = useMe();
  const may = useMay();
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
        <AddressCard />
        <KeysCard
          owner={ownKeys}
          description={t`One per program, with only the scopes it needs. Anyone who has a key can spend your balance.`}
          ofAdministrator={account.is_admin}
          canChange={may('keys:write')}
          accountId={null}
          first={{
            shown: shownKey,
            onKey: setShownKey,
            dialog: (onClose) => <ShowKeyDialog onKey={setShownKey} onClose={onClose} />,
          }}
        />
        <div className="grid gap-5 lg:grid-cols-2 [&>*]:min-w-0">
          <UsageCard />
          <AllowListCard />
        </div>
      </div>
    </>
  );
}

function AddressCard() {
  const { api_url: apiUrl, account } = useMe();
  return (
    <Card
      title={t`Address`}
      description={
        <Trans>
          All requests are in the{' '}
          <a className="text-accent underline underline-offset-2" href="/docs/reference/reseller-api">
            API reference
          </a>{' '}
          and in{' '}
          <a className="text-accent underline underline-offset-2" href={`${apiUrl}/openapi.json`}>
            openapi.json
          </a>
          .
        </Trans>
      }
      action={<ButtonLink to="/connect">{t`Your first request`}</ButtonLink>}
    >
      <Facts
        columns={2}
        facts={[
          { name: t`Base address`, value: <Copied label={t`Copy address`} text={apiUrl} /> },
          { name: t`Username`, value: <Copied label={t`Copy username`} text={account.username} /> },
        ]}
      />
    </Card>
  );
}
