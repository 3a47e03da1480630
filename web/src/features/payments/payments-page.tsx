// Payments of all accounts: top-ups, bank statements, what is owed, and the settings.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { paymentParams } from '../../api/list-params.ts';
import { paymentProblemsQuery } from '../../api/payment-queries.ts';
import { formatCount } from '../../text/language.ts';
import { Badge } from '../../ui/badge.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { TabLinks, useTab } from '../../ui/tab-links.tsx';
import { useList } from '../../ui/use-list.ts';
import { AccountFilter } from './account-filter.tsx';
import { AllTopups } from './all-topups.tsx';
import { PaymentProblems } from './payment-problems.tsx';
import { ReceivablesTab } from './receivables-tab.tsx';

const BankTab = lazyEarly(async () => ({ default: (await import('./bank-tab.tsx')).BankTab }));
const SettingsTab = lazyEarly(async () => ({ default: (await import('./settings-tab.tsx')).SettingsTab }));

export function PaymentsPage() {
  const list = useList(paymentParams);
  const { data } = useQuery(paymentProblemsQuery);
  const problems = data?.data.length ?? 0;
  const tabs = [
    { tab: 'topups', title: t`Top-ups` },
    {
      tab: 'attention',
      title: (
        <>
          {t`Needs attention`}
          {problems === 0 ? null : <Badge tone="warn">{formatCount(problems)}</Badge>}
        </>
      ),
    },
    { tab: 'bank', title: t`Bank statements` },
    { tab: 'receivables', title: t`Receivables` },
    { tab: 'settings', title: t`Settings` },
  ] as const;
  const chosen = useTab<(typeof tabs)[number]['tab']>(tabs);
  return (
    <>
      <PageHeader
        title={t`Payments`}
        description={t`Top-ups, bank statements and receivables of all accounts.`}
        actions={
          chosen === 'topups' ? <AccountFilter list={list} title={t`Top-ups of one account`} /> : undefined
        }
      />
      <div className="page-stack gap-5">
        <TabLinks label={t`Parts of payments`} tabs={tabs} chosen={chosen} />
        {chosen === 'topups' ? <AllTopups /> : null}
        {chosen === 'attention' ? <PaymentProblems /> : null}
        {chosen === 'bank' ? <BankTab /> : null}
        {chosen === 'receivables' ? <ReceivablesTab /> : null}
        {chosen === 'settings' ? <SettingsTab /> : null}
      </div>
    </>
  );
}
