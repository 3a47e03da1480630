// Verification of the ledgers: a button that starts one, its findings, and the newest ones of all processes and commands.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { verifyLedgers } from '../../api/commands.ts';
import type { Health, VerifyReport } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatCount, formatSeconds } from '../../text/language.ts';
import { Anchor } from '../../ui/anchor.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { isOlderThanTwoNights, nightlyGuide, type ShownHealth } from './health-state.ts';

type Verification = NonNullable<Health['verifications']>[number];
type Problem = VerifyReport['problems'][number];

const problemColumns: readonly Column<Problem & { readonly key: number }>[] = [
  {
    title: t`Account`,
    cell: ({ account_id: id }) => (
      <TextLink to="/admin/accounts/$accountId" params={{ accountId: String(id) }}>
        {id}
      </TextLink>
    ),
  },
  { title: t`Subject`, cell: ({ subject }) => subject },
  { title: t`Problem`, grows: true, cell: ({ problem }) => <span className="wrap-anywhere">{problem}</span> },
];

export function LedgersCard({ health }: { readonly health: ShownHealth }) {
  const command = useCommand((_newest: number) => verifyLedgers());
  const verifications = health === null ? null : health?.verifications;
  // The first one since the click is its own. A second one is newer than the report.
  const { variables: newestAtClick = 0 } = command;
  const isOutdated = (verifications ?? []).filter(({ id }) => id > newestAtClick).length > 1;
  const report = isOutdated ? undefined : command.data;
  return (
    <Card
      title={t`Ledgers`}
      description={t`Recalculates every ledger. Accounts that don’t balance are frozen.`}
      action={
        <Button
          icon={ListChecks}
          busy={command.isPending}
          onClick={() => command.mutate(verifications?.[0]?.id ?? 0)}
        >
          {t`Verify now`}
        </Button>
      }
      flush
    >
      <div aria-live="polite" className="flex flex-col gap-4 px-4 pb-5 md:px-5">
        {command.error === null ? null : <ErrorNotice error={command.error} />}
        {report === undefined ? (
          <LastVerification health={health} />
        ) : (
          <Notice tone={report.ok ? 'good' : 'warn'}>
            <Counts {...report} problems={report.problems.length} />
          </Notice>
        )}
        {report === undefined || report.ok ? null : (
          <DataTable
            caption={t`Problems`}
            columns={problemColumns}
            rows={report.problems.map((problem, key) => ({ ...problem, key }))}
            rowKey={({ key }) => key}
            empty={null}
          />
        )}
      </div>
      {verifications ? <Verifications rows={verifications} /> : null}
    </Card>
  );
}

const accountsWords = (count: number) => plural(count, { one: '# account', other: '# accounts' });
const entriesWords = (count: number) => plural(count, { one: '# ledger entry', other: '# ledger entries' });
const problemsWords = (count: number) => plural(count, { one: '# problem', other: '# problems' });

function Counts({ accounts, entries, problems }: Pick<Verification, 'accounts' | 'entries' | 'problems'>) {
  return problems === 0
    ? t`Everything balances: ${accountsWords(accounts)}, ${entriesWords(entries)}.`
    : t`${problemsWords(problems)} in ${accountsWords(accounts)}, ${entriesWords(entries)}.`;
}

function LastVerification({ health }: { readonly health: ShownHealth }) {
  if (health === undefined) return <Skeleton className="h-5 w-72 max-w-full" />;
  if (health === null || health.verifications === null) return <p className="text-soft">{t`Unknown`}</p>;
  const [last] = health.verifications;
  const nightly = <Anchor href={nightlyGuide(health)}>{t`Verify every night`}</Anchor>;
  if (last === undefined)
    return (
      <p className="text-soft">
        {t`Not verified yet.`} {nightly}.
      </p>
    );
  const words = (
    <>
      <Counts {...last} />{' '}
      <Trans>
        Last verified <Time at={last.at} style="relative" />.
      </Trans>
      {last.problems === 0 ? null : ` ${t`“Verify now” lists them.`}`}
      {isOlderThanTwoNights(last.at) ? <> {nightly}.</> : null}
    </>
  );
  return last.problems === 0 ? <p className="text-soft">{words}</p> : <Notice tone="warn">{words}</Notice>;
}

const starterWords: Readonly<Record<Verification['started_by'], string>> = {
  console: t`Console`,
  api: t`API`,
  verify: 'sellthrough verify',
  restore: 'sellthrough restore',
};

function Result({ problems }: Verification) {
  return problems === 0 ? (
    <Badge tone="good">{t`Balanced`}</Badge>
  ) : (
    <Badge tone="bad">{problemsWords(problems)}</Badge>
  );
}

const took = ({ milliseconds }: Verification) => formatSeconds(milliseconds / 1_000);

const verificationColumns: readonly Column<Verification>[] = [
  { title: t`Finished`, cell: ({ at }) => <Time at={at} /> },
  { title: t`Result`, cell: (one) => <Result {...one} /> },
  { title: t`Started by`, from: 'sm', grows: true, cell: (one) => starterWords[one.started_by] },
  { title: t`Accounts`, from: 'sm', align: 'end', cell: ({ accounts }) => formatCount(accounts) },
  { title: t`Ledger entries`, from: 'sm', align: 'end', cell: ({ entries }) => formatCount(entries) },
  {
    title: t`Took`,
    from: 'sm',
    align: 'end',
    cell: took,
  },
];

const shownAtFirst = 5;

function Verifications({ rows }: { readonly rows: readonly Verification[] }) {
  const [areAllShown, setAreAllShown] = useState(false);
  if (rows.length === 0) return null;
  return (
    <div className="border-t border-line">
      <DataTable
        caption={t`Verifications`}
        columns={verificationColumns}
        rows={areAllShown ? rows : rows.slice(0, shownAtFirst)}
        rowKey={({ id }) => id}
        phone={(one) =>
          `${starterWords[one.started_by]}, ${accountsWords(one.accounts)}, ${entriesWords(one.entries)}, ${took(one)}`
        }
        empty={null}
        footer={
          rows.length <= shownAtFirst ? null : (
            <div className="border-t border-line px-4 py-2 text-center">
              <Button look="quiet" aria-expanded={areAllShown} onClick={() => setAreAllShown(!areAllShown)}>
                {areAllShown ? t`Show fewer` : t`Show all ${formatCount(rows.length)}`}
              </Button>
            </div>
          )
        }
      />
    </div>
  );
}
