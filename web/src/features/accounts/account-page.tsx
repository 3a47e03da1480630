import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  Archive,
  Ban,
  Eye,
  Gift,
  LockKeyhole,
  LogOut,
  type LucideIcon,
  Mail,
  Minus,
  Plus,
  Settings2,
  Smartphone,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { beginAccountView, keysOfAccount, peopleOfAccount } from '../../api/commands.ts';
import { startView } from '../../api/panel-view.ts';
import { useMay, useMayManage } from '../../api/person.ts';
import { accountQuery } from '../../api/queries.ts';
import type { Account } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatCount } from '../../text/language.ts';
import { groupWord } from '../../text/words.ts';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { type Action, Actions, MenuBar } from '../../ui/actions.tsx';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { KeysCard } from '../keys/keys-card.tsx';
import { CreditDialog } from '../payments/credit-dialog.tsx';
import { PeopleCard } from '../people/people-card.tsx';
import { TrialDialog } from '../plans/trial-dialog.tsx';
import { AccountLists } from './account-lists.tsx';
import { AccountSettingsDialog } from './account-settings-dialog.tsx';
import { AccountStats } from './account-stats.tsx';
import { AccountBadges } from './accounts-page.tsx';
import { BlockDialog } from './block-dialog.tsx';
import { BlockedNotice } from './blocked-notice.tsx';
import { CloseAccountDialog } from './close-account-dialog.tsx';
import {
  DisableTotpDialog,
  EmailDialog,
  EndSessionsDialog,
  NewPasswordDialog,
  ResetKeyDialog,
} from './credential-dialogs.tsx';

const route = getRouteApi('/panel/admin/accounts/$accountId');

export function AccountPage() {
  const { accountId } = route.useParams();
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
  const isClosed = account?.closed_at !== undefined;
  const canManage = account !== undefined && mayManage(account) && !isClosed;
  return (
    <>
      <PageHeader
        title={account?.username ?? t`Account`}
        mark={account && <AccountBadges account={account} />}
        back={back}
        description={account === undefined ? <Skeleton className="w-40" /> : <Described account={account} />}
        actions={
          account && (
            <>
              <ButtonLink to="/admin/audit" search={{ account: account.username }}>
                {t`Audit log`}
              </ButtonLink>
              {account.is_admin || isClosed ? null : (
                <Button icon={Eye} onClick={() => view.mutate(undefined)}>
                  {t`View as reseller`}
                </Button>
              )}
              <Actions actions={moneyActions(account, may)} />
            </>
          )
        }
      />
      {/* The header of a loaded account is higher, so its facts replace the loading ones. */}
      <div key={account?.id} className="page-stack gap-5">
        {view.error === null ? null : <ErrorNotice error={view.error} />}
        {account?.blocked === true && !isClosed ? (
          <BlockedNotice account={account} canManage={canManage && may('admin:accounts')} />
        ) : null}
        <div>
          <AccountStats account={account} />
          {account === undefined || isClosed || !may('admin:accounts') ? null : (
            <SettingActions account={account} canManage={canManage} />
          )}
        </div>
        {account === undefined ? null : (
          <AccountLists
            account={account}
            access={<AccountAccess account={account} canManage={canManage} />}
          />
        )}
      </div>
    </>
  );
}

function AccountAccess({ account, canManage }: { readonly account: Account; readonly canManage: boolean }) {
  const may = useMay();
  return (
    <>
      <Card title={t`Sign-in and API`}>
        <Facts columns={2} facts={accessFacts(account)} />
      </Card>
      <KeysCard
        owner={keysOfAccount(account.id)}
        description={t`Used by this account’s programs.`}
        ofAdministrator={account.is_admin}
        canChange={canManage}
        accountId={account.id}
        replace={(onClose) => <ResetKeyDialog account={account} onClose={onClose} />}
      />
      {may('admin:accounts') ? (
        <PeopleCard
          owner={peopleOfAccount(account.id)}
          title={t`Team`}
          description={
            canManage
              ? t`People who can sign in. The More menu has the actions for the account’s own login.`
              : t`People who can sign in.`
          }
          ofAdministrator={account.is_admin}
          canChange={canManage}
        />
      ) : null}
    </>
  );
}

function moneyActions(account: Account, may: ReturnType<typeof useMay>): readonly Action[] {
  const isOffered = may('admin:credit');
  const dialog = (direction: 'debit' | 'credit') => (onClose: () => void) => (
    <CreditDialog account={account} direction={direction} onClose={onClose} />
  );
  return [
    { id: 'debit', title: t`Debit`, icon: Minus, isOffered, dialog: dialog('debit') },
    {
      id: 'credit',
      asked: 'credit',
      title: t`Credit`,
      icon: Plus,
      look: 'primary',
      isOffered: isOffered && account.closed_at === undefined,
      dialog: dialog('credit'),
    },
  ];
}

interface SettingActionsProps {
  readonly account: Account;
  readonly canManage: boolean;
}

function SettingActions({ account, canManage }: SettingActionsProps) {
  const may = useMay();
  const { blocked } = account;
  const action = (
    id: string,
    title: string,
    icon: LucideIcon,
    Dialog: ComponentType<{ readonly account: Account; readonly onClose: () => void }>,
    more: Partial<Action> = {},
  ): Action => ({
    id,
    title,
    icon,
    isOffered: canManage,
    dialog: (onClose) => <Dialog account={account} onClose={onClose} />,
    ...more,
  });
  const common = [
    action('settings', t`Change settings`, Settings2, AccountSettingsDialog),
    action('trial', t`Give free trial`, Gift, TrialDialog, { isOffered: true }),
  ];
  const more = [
    action('email', t`Email address`, Mail, EmailDialog),
    action('password', t`New password`, LockKeyhole, NewPasswordDialog),
    action('totp', t`Turn off 2FA`, Smartphone, DisableTotpDialog, {
      isOffered: canManage && account.totp_enabled,
    }),
    action('sessions', t`End sessions`, LogOut, EndSessionsDialog),
    action('block', blocked ? t`Unblock` : t`Block`, Ban, BlockDialog, {
      look: blocked ? 'plain' : 'danger',
    }),
    action('close', t`Close account`, Archive, CloseAccountDialog, {
      isOffered: canManage && !account.is_admin && may('admin:credit'),
      look: 'danger',
    }),
  ];
  return <MenuBar actions={common} more={more} menu={ActionMenu} />;
}

function Described({ account }: { readonly account: Account }) {
  return (
    <>
      {account.display_name === account.username ? null : (
        <>
          <bdi>{account.display_name}</bdi>
          {' · '}
        </>
      )}
      {groupWord(account.group)}
      {' · '}
      {account.closed_at === undefined ? (
        <Trans>
          since <Time at={account.created_at} style="day" />
        </Trans>
      ) : (
        <Trans>
          closed <Time at={account.closed_at} style="day" />
        </Trans>
      )}
    </>
  );
}

function accessFacts(account: Account): readonly Fact[] {
  return [
    { name: t`API`, value: account.blocked ? t`Blocked` : account.api_enabled ? t`On` : t`Off` },
    { name: t`Rate limit`, value: t`${formatCount(account.rate_limit_per_minute)} per minute` },
    {
      name: t`Allow-list`,
      value:
        account.allowed_ips.length === 0 ? (
          <span className="text-soft">{t`Any address`}</span>
        ) : (
          <code className="font-mono text-xs">{account.allowed_ips.join(', ')}</code>
        ),
    },
    {
      name: t`Email`,
      value:
        account.email === undefined ? (
          <span className="text-soft">{t`None`}</span>
        ) : (
          <bdi>{account.email}</bdi>
        ),
    },
    { name: t`Two-factor authentication`, value: account.totp_enabled ? t`On` : t`Off` },
    { name: t`Created`, value: <Time at={account.created_at} /> },
  ];
}
