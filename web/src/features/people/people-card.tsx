// The people of an account: who may sign in for it, with which role, and what can be done about it. On the account's own
// page, and in the console on the page of any account.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link2, Pencil, Trash2, UserPlus, UserRound } from 'lucide-react';
import { useState } from 'react';
import type { AccessOwner } from '../../api/commands.ts';
import { usePerson } from '../../api/person.ts';
import { peopleQuery } from '../../api/queries.ts';
import type { Person } from '../../api/shapes.ts';
import { roleWord } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Time } from '../../ui/time.tsx';
import { InviteAgainDialog, RemovePersonDialog } from './person-dialogs.tsx';
import { ChangePersonDialog, InvitePersonDialog } from './person-form-dialogs.tsx';

interface PeopleCardProps {
  readonly owner: AccessOwner;
  /** Of administrators' accounts: their people have other roles. */
  readonly ofAdministrator: boolean;
  /** false: the list alone. */
  readonly canChange: boolean;
  readonly title: string;
  readonly description: string;
}

type Opened =
  | { readonly action: 'invite' }
  | { readonly action: 'change' | 'again' | 'remove'; readonly person: Person }
  | null;

export function PeopleCard({ owner, ofAdministrator, canChange, title, description }: PeopleCardProps) {
  const { data, error, refetch } = useQuery(peopleQuery(owner.path));
  const me = usePerson().person;
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  const columns: readonly Column<Person>[] = [
    {
      title: t`Person`,
      grows: true,
      cell: (person) => (
        <>
          <TwoLines
            first={
              <span className="inline-flex max-w-full items-center gap-2">
                <bdi className="truncate font-medium">{person.username}</bdi>
                {person.id === me.id ? <Badge tone="accent">{t`You`}</Badge> : null}
                {person.status === 'invited' ? <Badge tone="warn">{t`Invited`}</Badge> : null}
              </span>
            }
            second={person.email === undefined ? t`No e-mail address` : <bdi>{person.email}</bdi>}
          />
          <div className="text-xs text-soft whitespace-normal md:hidden">
            <span className="sm:hidden">{roleWord(person.role)} · </span>
            {person.status === 'invited' ? '' : `${person.totp_enabled ? t`codes on` : t`codes off`} · `}
            {person.last_sign_in_at === null ? (
              t`never signed in`
            ) : (
              <Trans>
                signed in <Time at={person.last_sign_in_at} style="relative" />
              </Trans>
            )}
          </div>
        </>
      ),
    },
    { title: t`Role`, from: 'sm', cell: ({ role }) => roleWord(role) },
    {
      title: t`Codes at sign-in`,
      from: 'md',
      cell: ({ status, totp_enabled: isOn }) =>
        status === 'invited' ? (
          <Nothing />
        ) : isOn ? (
          <Badge tone="good">{t`On`}</Badge>
        ) : (
          <Badge>{t`Off`}</Badge>
        ),
    },
    {
      title: t`Last sign-in`,
      from: 'md',
      cell: ({ last_sign_in_at: at }) =>
        at === null ? <span className="text-soft">{t`Never`}</span> : <Time at={at} style="relative" />,
    },
    ...(canChange ? [actions()] : []),
  ];
  return (
    <Card
      title={title}
      description={description}
      lined
      action={
        canChange ? (
          <Button icon={UserPlus} onClick={() => setOpened({ action: 'invite' })}>
            {t`Invite somebody`}
          </Button>
        ) : undefined
      }
    >
      <DataTable
        caption={t`Whoever signs in, and is invited to`}
        columns={columns}
        rows={data?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState icon={UserRound} title={t`Nobody signs in for this account`} />}
      />

      {opened?.action === 'invite' ? (
        <InvitePersonDialog owner={owner} ofAdministrator={ofAdministrator} onClose={close} />
      ) : null}
      {opened?.action === 'change' ? (
        <ChangePersonDialog
          owner={owner}
          person={opened.person}
          ofAdministrator={ofAdministrator}
          onClose={close}
        />
      ) : null}
      {opened?.action === 'again' ? (
        <InviteAgainDialog owner={owner} person={opened.person} onClose={close} />
      ) : null}
      {opened?.action === 'remove' ? (
        <RemovePersonDialog owner={owner} person={opened.person} onClose={close} />
      ) : null}
    </Card>
  );

  function actions(): Column<Person> {
    return {
      title: t`Actions`,
      untitled: true,
      align: 'end',
      cell: (person) => (
        <span className="inline-flex">
          {person.status === 'invited' ? (
            <IconButton
              icon={Link2}
              label={t`New link for ${person.username}`}
              onClick={() => setOpened({ action: 'again', person })}
            />
          ) : null}
          <IconButton
            icon={Pencil}
            label={t`Change ${person.username}`}
            onClick={() => setOpened({ action: 'change', person })}
          />
          <IconButton
            label={t`Remove ${person.username}`}
            onClick={() => setOpened({ action: 'remove', person })}
          >
            <Trash2 aria-hidden="true" className="size-4 text-bad" />
          </IconButton>
        </span>
      ),
    };
  }
}

function Nothing() {
  return <span className="text-soft">–</span>;
}
