// The first line of the health page: whether all is well, and otherwise everything that is not.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { skipSetupStep } from '../../api/commands.ts';
import { useMay } from '../../api/person.ts';
import { attentionCountQuery } from '../../api/queries.ts';
import type { Health } from '../../api/shapes.ts';
import { useCommand } from '../../api/use-command.ts';
import { Anchor } from '../../ui/anchor.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { failingText } from '../fulfillment/product-words.ts';
import {
  type BackupState,
  backupStateOf,
  isDatabaseAnswering,
  isFailing,
  isOverdue,
  nightlyGuide,
} from './health-state.ts';
import { jobKindWord } from './job-words.ts';

export function Verdict({ health }: { readonly health: Health | undefined }) {
  const { data: calls } = useQuery(attentionCountQuery);
  if (health === undefined) return <Skeleton className="h-22 w-full sm:h-11" />;
  const isAnswering = isDatabaseAnswering(health);
  // Without the database, the service shows what it last read.
  const jobs = isAnswering ? health.jobs : [];
  const failing = jobs.filter(isFailing);
  const overdue = jobs.filter((job) => !isFailing(job) && isOverdue(job, health));
  const limits = health.shared_limits;
  const areCallsFailing = (calls?.failing.count ?? 0) > 0;
  const problems = health.verifications?.[0]?.problems ?? 0;
  // Orders are refused, or money may be wrong.
  const isSevere = !isAnswering || problems > 0 || Boolean(health.frozen_accounts);
  const isWell =
    !isSevere &&
    failing.length === 0 &&
    overdue.length === 0 &&
    (limits?.reachable ?? true) &&
    !areCallsFailing;
  return (
    <div className="flex flex-col gap-2.5">
      {isWell ? null : (
        <Notice tone={isSevere ? 'bad' : 'warn'}>
          {isAnswering ? null : (
            <p>{t`The database doesn’t respond, so orders are refused. “sellthrough doctor” looks for the cause.`}</p>
          )}
          {failing.length === 0 ? null : (
            <p>{t`Failing: ${jobNames(failing)}. See the error below; it’s retried automatically.`}</p>
          )}
          {overdue.length === 0 ? null : (
            <p>{t`Overdue: ${jobNames(overdue)}. Due over 15 minutes ago, but no process is running it.`}</p>
          )}
          {problems === 0 ? null : (
            <p>
              {plural(problems, {
                one: 'The last verification found # problem.',
                other: 'The last verification found # problems.',
              })}
            </p>
          )}
          {health.frozen_accounts ? (
            <p>
              <TextLink to="/admin/accounts" search={{ state: 'halted' }}>
                {plural(health.frozen_accounts, {
                  one: '# account is frozen',
                  other: '# accounts are frozen',
                })}
              </TextLink>
              {'.'}
            </p>
          ) : null}
          {limits === undefined || limits.reachable ? null : (
            <p>{t`${limits.server} is unavailable: request limits are counted per process.`}</p>
          )}
          {areCallsFailing && calls !== undefined ? (
            <p>
              <TextLink to="/admin/attention">{failingText(calls.failing)}</TextLink>
              {'.'}
            </p>
          ) : null}
        </Notice>
      )}
      <BackupNotice health={health} state={backupStateOf(health)} isWell={isWell} />
    </div>
  );
}

const jobNames = (jobs: Health['jobs']) => jobs.map(({ kind }) => jobKindWord(kind)).join(', ');

interface BackupNoticeProps {
  readonly health: Health;
  readonly state: BackupState;
  /** Everything but the backup. */
  readonly isWell: boolean;
}

function BackupNotice({ health, state, isWell }: BackupNoticeProps) {
  const choice = <BackupChoice isElsewhere={state === 'elsewhere'} />;
  if (state === 'none')
    return (
      <Notice tone="warn" action={choice}>
        <Headline>{isWell ? t`Running, but there is no backup yet.` : t`There is no backup yet.`}</Headline>{' '}
        <Anchor href={nightlyGuide(health)}>{t`Set up nightly backups`}</Anchor>
        {health.database.kind === 'embedded' ? '.' : `. ${t`Backups of PostgreSQL itself aren’t counted.`}`}
      </Notice>
    );
  if (state === 'old')
    return (
      <Notice tone="warn" action={choice}>
        <Headline>{isWell ? t`Running, but the last backup is old.` : t`The last backup is old.`}</Headline>{' '}
        <Trans>
          It was made <Time at={health.backups?.made_at ?? ''} style="relative" />.
        </Trans>{' '}
        <Anchor href="/docs/operations#backups">{t`Make a backup`}</Anchor>
        {'.'}
      </Notice>
    );
  if (state === 'elsewhere')
    return (
      <Notice tone={isWell ? 'good' : 'info'} action={choice}>
        {isWell ? <Headline>{t`All systems normal.`}</Headline> : null}{' '}
        {t`You back up elsewhere, so backups aren’t checked here.`}
      </Notice>
    );
  return isWell ? (
    <Notice tone="good">
      <Headline>{t`All systems normal.`}</Headline>
    </Notice>
  ) : null;
}

function Headline({ children }: { readonly children: ReactNode }) {
  return <strong className="font-medium">{children}</strong>;
}

/** Whether backups count is the step "Backup" of "Open your channel". */
function BackupChoice({ isElsewhere }: { readonly isElsewhere: boolean }) {
  const mayChange = useMay()('admin:packages');
  const command = useCommand(skipSetupStep);
  if (!mayChange) return null;
  return (
    <>
      <Button
        busy={command.isPending}
        onClick={() => command.mutate({ step: 'backup', skipped: !isElsewhere })}
      >
        {isElsewhere ? t`Monitor backups here` : t`We back up elsewhere`}
      </Button>
      {command.error === null ? null : <ErrorNotice error={command.error} />}
    </>
  );
}
