import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useMay, usePerson } from '../../api/person.ts';
import { reading } from '../../api/queries.ts';
import type { Listed, SecurityEvent } from '../../api/shapes.ts';
import { wordOf } from '../../text/words.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Time } from '../../ui/time.tsx';

const securityEventsQuery = reading<Listed<SecurityEvent>>('/security-events');

const actionWord = wordOf({
  'sign_in.accept': t`Signed in`,
  'sign_in.refuse': t`Sign-in refused`,
  'person.wrong_password': t`Wrong password refused`,
  'person.password': t`Password changed`,
  'person.email': t`Email address changed`,
  'person.enable_totp': t`Two-factor authentication on`,
  'person.disable_totp': t`Two-factor authentication off`,
  'person.end_sessions': t`Sessions ended`,
  'person.mail_password_link': t`Password reset link sent`,
});

const byWords: Readonly<Record<SecurityEvent['by'], string>> = {
  self: t`You`,
  account: t`Your team`,
  operator: t`The operator`,
  unknown: t`Unknown`,
};

const columns: readonly Column<SecurityEvent>[] = [
  { title: t`Event`, grows: true, cell: ({ action }) => actionWord(action) },
  { title: t`Who`, from: 'sm', cell: ({ by }) => <span className="whitespace-nowrap">{byWords[by]}</span> },
  {
    title: t`From`,
    from: 'md',
    cell: ({ address }) => <code className="font-mono text-xs">{address ?? '–'}</code>,
  },
  { title: t`When`, from: 'sm', align: 'end', cell: ({ at }) => <Time at={at} /> },
];

export function SecurityEventsCard() {
  const { username } = usePerson().person;
  const seesAll = useMay()('admin:read');
  const { data, error, refetch } = useQuery(securityEventsQuery);
  return (
    <Card
      title={t`Recent activity`}
      description={t`Your last ten sign-ins and changes to how you sign in.`}
      lined
      action={
        seesAll ? (
          <ButtonLink to="/admin/audit" search={{ actor: username }}>
            {t`Open audit log`}
          </ButtonLink>
        ) : undefined
      }
    >
      <DataTable
        caption={t`Sign-ins and changes`}
        columns={columns}
        rows={data?.data}
        rowKey={({ number }) => number}
        phone={({ at, by, address }) => (
          <>
            <Time at={at} /> · {byWords[by]}
            {address === null ? '' : ` · ${address}`}
          </>
        )}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState icon={ShieldCheck} title={t`No activity yet`} />}
      />
    </Card>
  );
}
