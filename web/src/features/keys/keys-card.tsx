// An account's API keys with their actions, in the panel and the console.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Eye, EyeOff, KeyRound, Pencil, Plus, RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AccessOwner } from '../../api/commands.ts';
import { keyRequestsQuery } from '../../api/connect-queries.ts';
import { keysQuery } from '../../api/queries.ts';
import type { ApiKey, KeyRequests } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { formatCount } from '../../text/language.ts';
import { Actions, RowActions } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx';
import { KeyFormDialog } from './key-form-dialog.tsx';
import { scopeWord } from './scope-words.ts';

interface KeysCardProps {
  readonly owner: AccessOwner;
  readonly description: string;
  readonly ofAdministrator: boolean;
  readonly canChange: boolean;
  /** null: the signed-in account. */
  readonly accountId: number | null;
  /** Given where the first key can be shown: on the account's own page. */
  readonly first?: ShownKey;
  /** Given where the operator replaces the first key at once, without an overlap. */
  readonly replace?: (onClose: () => void) => ReactNode;
}

interface ShownKey {
  readonly shown: string | null;
  readonly onKey: (key: string | null) => void;
  readonly dialog: (onClose: () => void) => ReactNode;
}

export function KeysCard({
  owner,
  description,
  ofAdministrator,
  canChange,
  accountId,
  first,
  replace,
}: KeysCardProps) {
  const query = useQuery(keysQuery(owner.path));
  const { data: uses } = useQuery(keyRequestsQuery(accountId));
  const form = (apiKey: ApiKey | null) => (onClose: () => void) => (
    <KeyFormDialog owner={owner} apiKey={apiKey} ofAdministrator={ofAdministrator} onClose={onClose} />
  );
  const columns: readonly Column<ApiKey>[] = [
    {
      title: t`Key`,
      grows: true,
      cell: (key) => (
        <>
          <TwoLines
            first={<KeyName apiKey={key} />}
            second={<code className="font-mono">…{key.last_four}</code>}
          />
          {key.first && first !== undefined ? <FirstKey lastFour={key.last_four} {...first} /> : null}
          <div className="text-xs text-soft md:hidden">
            <Scopes apiKey={key} />
          </div>
          {key.ending.map(({ last_four, ends_at, last_used_at }) => (
            <div key={last_four} className="pb-0.5 text-xs text-warn whitespace-normal">
              <Trans>
                <code>…{last_four}</code> works until <Time at={ends_at} />, last used{' '}
                {last_used_at === null ? t`never` : <Time at={last_used_at} style="relative" />}
              </Trans>
            </div>
          ))}
        </>
      ),
    },
    {
      title: t`Scopes`,
      from: 'md',
      cell: (key) => (
        <div className="md:w-52 lg:w-64">
          <Scopes apiKey={key} />
        </div>
      ),
    },
    {
      title: t`Last ${uses?.days ?? 7} days`,
      from: 'lg',
      cell: ({ id }) => <Uses keyId={id} uses={uses} accountId={accountId} />,
    },
    { title: t`Last used`, from: 'sm', cell: ({ last_used_at }) => <LastUsed at={last_used_at} /> },
    {
      title: t`Ends`,
      from: 'lg',
      cell: ({ expires_at }) =>
        expires_at === null ? <span className="text-soft">{t`Never`}</span> : <Time at={expires_at} />,
    },
    ...(canChange ? [actions()] : []),
  ];
  return (
    <Card
      title={t`Keys`}
      description={description}
      lined
      action={
        canChange ? (
          <Actions
            actions={[{ id: 'create', asked: 'key', title: t`New key`, icon: Plus, dialog: form(null) }]}
          />
        ) : undefined
      }
    >
      <DataTable
        caption={t`API keys and their scopes`}
        columns={columns}
        {...tableState(query)}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={KeyRound} title={t`No keys`} />}
      />
    </Card>
  );

  function actions(): Column<ApiKey> {
    return {
      title: t`Actions`,
      untitled: true,
      align: 'end',
      cell: (apiKey) => (
        <RowActions
          actions={[
            {
              id: 'show',
              title: t`Show key`,
              icon: Eye,
              isOffered: apiKey.first && first !== undefined && first.shown === null,
              dialog: (onClose) => first?.dialog(onClose),
            },
            {
              id: 'change',
              title: t`Change ${apiKey.name}`,
              icon: Pencil,
              dialog: form(apiKey),
            },
            {
              id: 'rotate',
              title: t`New secret for ${apiKey.name}`,
              icon: RotateCcw,
              dialog: (onClose) => <RotateKeyDialog owner={owner} apiKey={apiKey} onClose={onClose} />,
            },
            {
              id: 'replace',
              title: t`Replace ${apiKey.name} now`,
              icon: KeyRound,
              look: 'danger',
              isOffered: apiKey.first && replace !== undefined,
              dialog: (onClose) => replace?.(onClose),
            },
            {
              id: 'revoke',
              title: t`Revoke ${apiKey.name}`,
              icon: Trash2,
              look: 'danger',
              isOffered: !apiKey.first,
              dialog: (onClose) => <RevokeKeyDialog owner={owner} apiKey={apiKey} onClose={onClose} />,
            },
          ]}
        />
      ),
    };
  }
}

/** The key in full, while it is shown and still the one in use. */
function FirstKey({ lastFour, shown, onKey }: Omit<ShownKey, 'dialog'> & { readonly lastFour: string }) {
  if (shown === null || !shown.endsWith(lastFour)) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 py-1.5 whitespace-normal">
      <code className="font-mono text-[0.8125rem] wrap-anywhere select-all">{shown}</code>
      <CopyButton text={shown} label={t`Copy key`} labeled />
      <Button icon={EyeOff} onClick={() => onKey(null)}>
        {t`Hide`}
      </Button>
    </div>
  );
}

interface UsesProps {
  readonly keyId: number;
  readonly uses: KeyRequests | undefined;
  readonly accountId: number | null;
}

function Uses({ keyId, uses, accountId }: UsesProps) {
  if (uses === undefined) return <Skeleton className="w-24" />;
  const { requests, refused } = uses.data.find((one) => one.key_id === keyId) ?? { requests: 0, refused: 0 };
  if (requests === 0) return <span className="whitespace-nowrap text-soft">{t`No requests`}</span>;
  const link = (words: string, filter: { readonly status?: string } = {}) => {
    const search = { key: String(keyId), ...filter };
    return accountId === null ? (
      <TextLink to="/requests" search={search}>
        {words}
      </TextLink>
    ) : (
      <TextLink to="." search={{ tab: 'requests', ...search }} resetScroll={false}>
        {words}
      </TextLink>
    );
  };
  return (
    <span className="figures whitespace-nowrap">
      {link(plural(requests, { one: '# request', other: '# requests' }))}
      {refused === 0 ? null : (
        <>
          {' · '}
          {link(t`${formatCount(refused)} refused`, { status: '4xx' })}
        </>
      )}
    </span>
  );
}

function KeyName({ apiKey: { name, first, mode, status } }: { readonly apiKey: ApiKey }) {
  return (
    <span className="inline-flex max-w-full items-center gap-2">
      <bdi className="truncate font-medium">{name}</bdi>
      {mode === 'test' ? <Badge tone="warn">{t`Test`}</Badge> : null}
      {first && name !== 'First key' ? <Badge>{t`First`}</Badge> : null}
      {status === 'expired' ? <Badge tone="bad">{t`Expired`}</Badge> : null}
    </span>
  );
}

const namedScopesMax = 2;

function Scopes({ apiKey: { all_scopes: hasAll, scopes } }: { readonly apiKey: ApiKey }) {
  if (hasAll) return <span>{t`Full access`}</span>;
  const words = scopes.map(scopeWord);
  const rest = words.length - namedScopesMax;
  return (
    <span title={words.join(', ')}>
      {rest > 0 ? t`${words.slice(0, namedScopesMax).join(' · ')} and ${rest} more` : words.join(' · ')}
    </span>
  );
}

function LastUsed({ at }: { readonly at: string | null }) {
  return at === null ? <span className="text-soft">{t`Never`}</span> : <Time at={at} style="relative" />;
}
