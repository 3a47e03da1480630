// One account: what it has, what it may do, what it did. Everything an operator does for a reseller is here.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  Ban,
  Eye,
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
import { beginAccountView, keysOfAccount, peopleOfAccount } from '../../api/commands.ts';
import { startView } from '../../api/panel-view.ts';
import { useMay, useMayManage } from '../../api/person.ts';
import { accountQuery } from '../../api/queries.ts';
import type { Account } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatCount } from '../../text/language.ts';
import { groupWord } from '../../text/words.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { KeysCard } from '../keys/keys-card.tsx';
import { CreditDialog } from '../payments/credit-dialog.tsx';
import { PeopleCard } from '../people/people-card.tsx';
import { TrialDialog } from '../plans/trial-dialog.tsx';
import { AccountLists } from './account-lists.tsx';
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
  const view = useCommand(() => beginAccountView(Number(accountId)), {
    onDone: () => startView(Number(accountId)),
  });
  const back = <BackLink to="/admin/accounts">{t`Accounts`}</BackLink>;
  if (error !== null && data === undefined) {
    return <PageProblem title={t`Account`} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const account = data?.account;
  const canManage = account !== undefined && mayManage(account);
  return (
    <>
      <PageHeader
        title={account?.username ?? t`Account`}
        mark={account && <AccountBadges account={account} />}
        back={back}
        {...(account !== undefined &&
          account.display_name !== account.username && { description: <bdi>{account.display_name}</bdi> })}
        actions={
          account && (
            <>
              <ButtonLink to="/admin/audit" search={{ account: account.username }}>
                {t`History`}
              </ButtonLink>
              {account.is_admin ? null : (
                <Button icon={Eye} onClick={() => view.mutate(undefined)}>
                  {t`View as reseller`}
                </Button>
              )}
              {may('admin:credit') ? (
                <>
                  <Button icon={Minus} onClick={() => setOpened('debit')}>
                    {t`Debit`}
                  </Button>
                  <Button icon={Plus} look="primary" onClick={() => setOpened('credit')}>
                    {t`Credit`}
                  </Button>
                </>
              ) : null}
            </>
          )
        }
      />
      <div className="flex flex-col gap-5">
        {view.error === null ? null : <ErrorNotice error={view.error} />}
        <Card>
          <Facts columns={2} facts={accountFacts(account)} />
          {account === undefined || !may('admin:accounts') ? null : (
            <div className="mt-4 flex flex-wrap gap-2">
              {canManage ? (
                <Button icon={Settings2} onClick={() => setOpened('settings')}>
                  {t`Change settings`}
                </Button>
              ) : null}
              <Button icon={Gift} onClick={() => setOpened('trial')}>
                {t`Give a free trial`}
              </Button>
              {canManage ? (
                <>
                  <Button icon={Mail} onClick={() => setOpened('email')}>
                    {t`E-mail address`}
                  </Button>
                  <Button icon={LockKeyhole} onClick={() => setOpened('password')}>
                    {t`New password`}
                  </Button>
                  {account.totp_enabled ? (
                    <Button icon={Smartphone} onClick={() => setOpened('totp')}>
                      {t`Sign-in codes off`}
                    </Button>
                  ) : null}
                  <Button icon={LogOut} onClick={() => setOpened('sessions')}>
                    {t`End sessions`}
                  </Button>
                  <Button icon={KeyRound} look="danger" onClick={() => setOpened('key')}>
                    {t`Replace key`}
                  </Button>
                  <Button
                    icon={Ban}
                    look={account.blocked ? 'plain' : 'danger'}
                    onClick={() => setOpened('block')}
                  >
                    {account.blocked ? t`Unblock` : t`Block`}
                  </Button>
                </>
              ) : null}
            </div>
          )}
        </Card>
        {account === undefined ? null : (
          <AccountLists
            account={account}
            access={<AccountAccess account={account} canManage={canManage} />}
          />
        )}
      </div>
      {account === undefined ? null : (
        <AccountDialogs account={account} opened={opened} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

function AccountAccess({ account, canManage }: { readonly account: Account; readonly canManage: boolean }) {
  const may = useMay();
  return (
    <>
      <KeysCard
        owner={keysOfAccount(account.id)}
        description={
          canManage
            ? t`What its programs use. “Replace key” above is the first key’s.`
            : t`What its programs use.`
        }
        ofAdministrator={account.is_admin}
        canChange={canManage}
      />
      {may('admin:accounts') ? (
        <PeopleCard
          owner={peopleOfAccount(account.id)}
          title={t`People`}
          description={
            canManage
              ? t`Who signs in for it. The buttons above are for its own login.`
              : t`Who signs in for it.`
          }
          ofAdministrator={account.is_admin}
          canChange={canManage}
        />
      ) : null}
    </>
  );
}

interface AccountDialogsProps {
  readonly account: Account;
  readonly opened: Opened;
  readonly onClose: () => void;
}

function AccountDialogs({ account, opened, onClose }: AccountDialogsProps) {
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
  return email === undefined ? <span className="text-soft">{t`None`}</span> : <bdi>{email}</bdi>;
}

function accountFacts(account: Account | undefined) {
  return [
    {
      name: t`Balance`,
      value: account && (
        <Money amount={account.balance} currency={account.currency} className="font-semibold" />
      ),
    },
    { name: t`Group`, value: account && groupWord(account.group) },
    {
      name: t`Orders`,
      value: account && (
        <TextLink to="." search={{ tab: 'orders' }} resetScroll={false}>
          {formatCount(account.order_count)}
        </TextLink>
      ),
    },
    {
      name: t`Customers`,
      value: account && (
        <TextLink to="." search={{ tab: 'customers' }} resetScroll={false}>
          {formatCount(account.customer_count)}
        </TextLink>
      ),
    },
    { name: t`API`, value: account && (account.api_enabled ? t`On` : t`Off`) },
    { name: t`Rate limit`, value: account && t`${formatCount(account.rate_limit_per_minute)} a minute` },
    {
      name: t`Allow-list`,
      value:
        account &&
        (account.allowed_ips.length === 0 ? (
          <span className="text-soft">{t`Any address`}</span>
        ) : (
          <code className="font-mono text-xs">{account.allowed_ips.join(', ')}</code>
        )),
    },
    { name: t`E-mail`, value: account && <EmailText email={account.email} /> },
    { name: t`Codes at sign-in`, value: account && (account.totp_enabled ? t`On` : t`Off`) },
    { name: t`Created`, value: account && <Time at={account.created_at} /> },
  ];
}
