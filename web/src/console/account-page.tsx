// One account: what it has, what it may do, what it did. Everything an operator does for a reseller is here.

import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  Ban,
  Gift,
  KeyRound,
  LockKeyhole,
  LogOut,
  Mail,
  Minus,
  Plus,
  Settings2,
  Smartphone,
} from 'lucide-react';
import { useState } from 'react';
import { keysOfAccount, peopleOfAccount } from '../api/commands.ts';
import { useMay, useMayManage } from '../api/person.ts';
import { accountQuery } from '../api/queries.ts';
import type { Account } from '../api/shapes.ts';
import { KeysCard } from '../keys/keys-card.tsx';
import { PeopleCard } from '../people/people-card.tsx';
import { groupWord } from '../text/words.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { Money } from '../ui/money.tsx';
import { BackLink, PageHeader } from '../ui/page-header.tsx';
import { PageProblem } from '../ui/page-problem.tsx';
import { Time } from '../ui/time.tsx';
import { AccountHistory } from './account-history.tsx';
import { AccountSettingsDialog } from './account-settings-dialog.tsx';
import { AccountBadges } from './accounts-page.tsx';
import { BlockDialog } from './block-dialog.tsx';
import {
  DisableTotpDialog,
  EmailDialog,
  EndSessionsDialog,
  NewPasswordDialog,
  ResetKeyDialog,
} from './credential-dialogs.tsx';
import { CreditDialog } from './credit-dialog.tsx';
import { TrialDialog } from './trial-dialog.tsx';

const route = getRouteApi('/panel/admin/accounts/$accountId');

type Opened =
  | 'credit'
  | 'debit'
  | 'settings'
  | 'block'
  | 'key'
  | 'password'
  | 'totp'
  | 'sessions'
  | 'email'
  | 'trial'
  | null;

export function AccountPage() {
  const { accountId } = route.useParams();
  const [opened, setOpened] = useState<Opened>(null);
  const may = useMay();
  const mayManage = useMayManage();
  const { data, error, refetch } = useQuery(accountQuery(accountId));
  const back = <BackLink to="/admin/accounts">Accounts</BackLink>;
  if (error !== null && data === undefined) {
    return <PageProblem title="Account" back={back} error={error} onRetry={() => void refetch()} />;
  }
  const account = data?.account;
  const canManage = account !== undefined && mayManage(account);
  return (
    <>
      <PageHeader
        title={account?.username ?? 'Account'}
        mark={account && <AccountBadges account={account} />}
        back={back}
        {...(account !== undefined &&
          account.display_name !== account.username && { description: <bdi>{account.display_name}</bdi> })}
        actions={
          account &&
          may('admin:credit') && (
            <>
              <Button onClick={() => setOpened('debit')}>
                <Minus aria-hidden="true" className="size-4" />
                Debit
              </Button>
              <Button look="primary" onClick={() => setOpened('credit')}>
                <Plus aria-hidden="true" className="size-4" />
                Credit
              </Button>
            </>
          )
        }
      />
      <div className="flex flex-col gap-5">
        <Card>
          <Facts columns={2} facts={accountFacts(account)} />
          {account === undefined || !may('admin:accounts') ? null : (
            <div className="mt-4 flex flex-wrap gap-2">
              {canManage ? (
                <Button onClick={() => setOpened('settings')}>
                  <Settings2 aria-hidden="true" className="size-4" />
                  Change settings
                </Button>
              ) : null}
              <Button onClick={() => setOpened('trial')}>
                <Gift aria-hidden="true" className="size-4" />
                Give a free trial
              </Button>
              {canManage ? (
                <>
                  <Button onClick={() => setOpened('email')}>
                    <Mail aria-hidden="true" className="size-4" />
                    E-mail address
                  </Button>
                  <Button onClick={() => setOpened('password')}>
                    <LockKeyhole aria-hidden="true" className="size-4" />
                    New password
                  </Button>
                  {account.totp_enabled ? (
                    <Button onClick={() => setOpened('totp')}>
                      <Smartphone aria-hidden="true" className="size-4" />
                      Sign-in codes off
                    </Button>
                  ) : null}
                  <Button onClick={() => setOpened('sessions')}>
                    <LogOut aria-hidden="true" className="size-4" />
                    End sessions
                  </Button>
                  <Button look="danger" onClick={() => setOpened('key')}>
                    <KeyRound aria-hidden="true" className="size-4" />
                    Replace key
                  </Button>
                  <Button look={account.blocked ? 'plain' : 'danger'} onClick={() => setOpened('block')}>
                    <Ban aria-hidden="true" className="size-4" />
                    {account.blocked ? 'Unblock' : 'Block'}
                  </Button>
                </>
              ) : null}
            </div>
          )}
        </Card>
        {account === undefined ? null : (
          <KeysCard
            owner={keysOfAccount(account.id)}
            description={
              canManage
                ? 'What its programs use. “Replace key” above is the first key’s.'
                : 'What its programs use.'
            }
            ofAdministrator={account.is_admin}
            canChange={canManage}
          />
        )}
        {account === undefined || !may('admin:accounts') ? null : (
          <PeopleCard
            owner={peopleOfAccount(account.id)}
            title="People"
            description={
              canManage
                ? 'Who signs in for it. The buttons above are for its own login.'
                : 'Who signs in for it.'
            }
            ofAdministrator={account.is_admin}
            canChange={canManage}
          />
        )}
        <AccountHistory accountId={Number(accountId)} />
      </div>
      {account === undefined ? null : (
        <AccountDialogs account={account} opened={opened} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

function AccountDialogs({
  account,
  opened,
  onClose,
}: {
  readonly account: Account;
  readonly opened: Opened;
  readonly onClose: () => void;
}) {
  switch (opened) {
    case 'credit':
    case 'debit':
      return <CreditDialog account={account} direction={opened} onClose={onClose} />;
    case 'settings':
      return <AccountSettingsDialog account={account} onClose={onClose} />;
    case 'block':
      return <BlockDialog account={account} onClose={onClose} />;
    case 'key':
      return <ResetKeyDialog account={account} onClose={onClose} />;
    case 'password':
      return <NewPasswordDialog account={account} onClose={onClose} />;
    case 'totp':
      return <DisableTotpDialog account={account} onClose={onClose} />;
    case 'email':
      return <EmailDialog account={account} onClose={onClose} />;
    case 'sessions':
      return <EndSessionsDialog account={account} onClose={onClose} />;
    case 'trial':
      return <TrialDialog account={account} onClose={onClose} />;
    case null:
      return null;
    default:
      return opened satisfies never;
  }
}

function EmailText({ email }: { readonly email: string | undefined }) {
  return email === undefined ? <span className="text-soft">None</span> : <bdi>{email}</bdi>;
}

function accountFacts(account: Account | undefined) {
  const figures = (value: number | undefined) => value?.toLocaleString('en');
  return [
    {
      name: 'Balance',
      value: account && (
        <Money amount={account.balance} currency={account.currency} className="font-semibold" />
      ),
    },
    { name: 'Group', value: account && groupWord(account.group) },
    { name: 'Orders', value: figures(account?.order_count) },
    { name: 'Customers', value: figures(account?.customer_count) },
    { name: 'API', value: account && (account.api_enabled ? 'On' : 'Off') },
    { name: 'Rate limit', value: account && `${figures(account.rate_limit_per_minute)} a minute` },
    {
      name: 'Allow-list',
      value:
        account &&
        (account.allowed_ips.length === 0 ? (
          <span className="text-soft">Any address</span>
        ) : (
          <code className="font-mono text-xs">{account.allowed_ips.join(', ')}</code>
        )),
    },
    { name: 'E-mail', value: account && <EmailText email={account.email} /> },
    { name: 'Codes at sign-in', value: account && (account.totp_enabled ? 'On' : 'Off') },
    { name: 'Created', value: account && <Time at={account.created_at} /> },
  ];
}
