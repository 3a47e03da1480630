import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link2, LogOut, Pencil, Trash2, UserPlus, UserRound } from 'lucide-react';
import type { AccessOwner } from '../../api/commands.ts';
import { usePerson } from '../../api/person.ts';
import { peopleQuery } from '../../api/queries.ts';
import type { Person } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { roleWord } from '../../text/words.ts';
import { Actions, RowActions } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { InviteAgainDialog, RemovePersonDialog } from './person-dialogs.tsx';
import { ChangePersonDialog, InvitePersonDialog } from './person-form-dialogs.tsx';

interface PeopleCardProps {
  readonly owner: AccessOwner;
  readonly ofAdministrator: boolean;
  readonly canChange: boolean;
  readonly title: string;
  readonly description: string;
}

export function PeopleCard({ owner, ofAdministrator, canChange, title, description }: PeopleCardProps) {
  const query = useQuery(peopleQuery(owner.path));
  const me = usePerson().person;
  // The service refuses to remove the last one.
  const owners = query.data?.data.filter(({ role, status }) => role === 'owner' && status !== 'invited');
  const isOnlyOwner = ({ id }: Person) => owners?.length === 1 && owners[0]?.id === id;
  const columns: readonly Column<Person>[] = [
    {
      title: t`Team member`,
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
            second={<Email person={person} isOwn={person.id === me.id} />}
          />
          <div className="text-xs text-soft whitespace-normal md:hidden">
            <span className="sm:hidden">{roleWord(person.role)} · </span>
            {person.status === 'invited' ? '' : `${person.totp_enabled ? t`2FA on` : t`2FA off`} · `}
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
      title: t`Two-factor authentication`,
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
          <Actions
            actions={[
              {
                id: 'invite',
                asked: 'invite',
                title: t`Invite member`,
                icon: UserPlus,
                dialog: (onClose) => (
                  <InvitePersonDialog owner={owner} ofAdministrator={ofAdministrator} onClose={onClose} />
                ),
              },
            ]}
          />
        ) : undefined
      }
    >
      <DataTable
        caption={t`Team members and invitations`}
        columns={columns}
        {...tableState(query)}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={UserRound} title={t`No team members yet`} />}
      />
    </Card>
  );

  function actions(): Column<Person> {
    return {
      title: t`Actions`,
      untitled: true,
      align: 'end',
      cell: (person) => (
        <RowActions
          actions={[
            {
              id: 'again',
              title: t`New link for ${person.username}`,
              icon: Link2,
              isOffered: person.status === 'invited',
              dialog: (onClose) => <InviteAgainDialog owner={owner} person={person} onClose={onClose} />,
            },
            {
              id: 'change',
              title: t`Change ${person.username}`,
              icon: Pencil,
              dialog: (onClose) => (
                <ChangePersonDialog
                  owner={owner}
                  person={person}
                  ofAdministrator={ofAdministrator}
                  onClose={onClose}
                />
              ),
            },
            {
              id: 'remove',
              title:
                person.id === me.id
                  ? t`Leave this account (${person.username})`
                  : t`Remove ${person.username}`,
              icon: person.id === me.id ? LogOut : Trash2,
              ...(person.id !== me.id && { look: 'danger' as const }),
              isOffered: !isOnlyOwner(person),
              dialog: (onClose) => <RemovePersonDialog owner={owner} person={person} onClose={onClose} />,
            },
          ]}
        />
      ),
    };
  }
}

function Email({ person, isOwn }: { readonly person: Person; readonly isOwn: boolean }) {
  if (person.email !== undefined) return <bdi>{person.email}</bdi>;
  return isOwn ? <TextLink to="/security">{t`No email address`}</TextLink> : t`No email address`;
}

function Nothing() {
  return <span className="text-soft">–</span>;
}
