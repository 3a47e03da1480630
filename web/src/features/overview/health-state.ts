// States of backups and jobs that the parts of the health page share.

import type { Health } from '../../api/shapes.ts';

export type Job = Health['jobs'][number];

/** undefined: not read yet. null: it could not be read. */
export type ShownHealth = Health | null | undefined;

/** Without the database the service knows neither backups nor jobs nor verifications. */
export function isDatabaseAnswering({ database, backups }: Health): boolean {
  return database.reachable && backups !== null;
}

export function isFailing({ failures_in_a_row: failures }: Job): boolean {
  return failures > 0;
}

/** Due jobs run within seconds, unless no process runs jobs. After a start, the first ones are still waiting. */
const lateMilliseconds = 15 * 60_000;
const startSeconds = 60;

export function isOverdue({ next_run_at: due, running_on: process }: Job, health: Health): boolean {
  return (
    health.uptime_seconds >= startSeconds &&
    process === null &&
    due !== null &&
    Date.now() - Date.parse(due) > lateMilliseconds
  );
}

/** Backups and verifications run every night; one may be missed. */
const missedMilliseconds = 48 * 3_600_000;

export function isOlderThanTwoNights(at: string): boolean {
  return Date.now() - Date.parse(at) > missedMilliseconds;
}

export function nightlyGuide({ database }: Health): string {
  return database.kind === 'embedded' ? '/docs/nightly#with-the-embedded-database' : '/docs/nightly';
}

export type BackupState = 'unknown' | 'elsewhere' | 'none' | 'old' | 'recent';

export function backupStateOf(health: Health): BackupState {
  if (!isDatabaseAnswering(health) || health.backups === null) return 'unknown';
  const { made_at: madeAt, elsewhere } = health.backups;
  if (elsewhere) return 'elsewhere';
  if (madeAt === null) return 'none';
  return isOlderThanTwoNights(madeAt) ? 'old' : 'recent';
}
