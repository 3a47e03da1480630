import { t } from '@lingui/core/macro';
import { PageHeader } from '../../ui/page-header.tsx';
import { EmailCard } from '../people/email-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { SecurityEventsCard } from './security-events-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TotpCard } from './totp-card.tsx';

export function SecurityPage() {
  return (
    <>
      <PageHeader title={t`Security`} description={t`Manage how you sign in to this panel.`} />
      <div className="page-stack gap-5">
        <TotpCard />
        <PasswordCard />
        <EmailCard />
        <SessionsCard />
        <SecurityEventsCard />
      </div>
    </>
  );
}
