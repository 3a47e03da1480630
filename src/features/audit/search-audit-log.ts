// Searches the audit log, paged by entry number. Called by audit-panel-routes.ts.
// Invariant: a page reads at most `rangesMax` ranges of one index, so a page may be short and still have a next one.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type RecordedAuditEntry, readEntries, recordedColumns, recordedNames } from './read-audit-log.ts';

export interface AuditFilter {
  readonly actor: { readonly type: 'account' | 'key' | 'person'; readonly id: number } | null;
  readonly accountId: number | null;
  /** An action such as "account.update", or "account" for all of its actions. "" matches any. */
  readonly action: string;
  readonly subjects: readonly string[];
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
  readonly before: number;
  readonly limit: number;
}

/** The index that is scanned. All other filters are checked row by row. */
type Driver = 'all' | 'subject' | 'key' | 'person' | 'actor' | 'account';

const rangeRows = 5_000;
const rangesMax = 20;
const clocksApartSeconds = 3_600;

const accountOf = 'account_of_audit(l.action, l.subject, l.before, l.after)';
const range = 'l.number between $1::int and $2::int';
const newestOf = (where: string) =>
  `select l.* from audit_log l where ${where} and ${range} order by l.number desc limit ${rangeRows}`;

const newest: Readonly<Record<Driver, string>> = {
  all: newestOf('true'),
  subject: `select l.* from unnest($9::text[]) wanted (subject) cross join lateral (${newestOf('l.subject = wanted.subject')}) l
      order by l.number desc limit ${rangeRows}`,
  key: newestOf('l.actor_key_id = $10::int'),
  person: newestOf('l.actor_person_id = $10::int'),
  actor: newestOf('l.actor_id = $10::int'),
  account: `select * from ((${newestOf('l.actor_id = $11::int')}) union all
        (${newestOf(`${accountOf} = $11::int and l.actor_id <> $11::int`)})) l
      order by l.number desc limit ${rangeRows}`,
};

/** Returns the matching rows, each with how far the scan went. Without matches, one row holds only that. */
function searching(driver: Driver): SqlStatement {
  return {
    name: `search_audit_by_${driver}`,
    text: `with looked as materialized (${newest[driver]})
    select seen.reached, seen.rows as looked, ${recordedColumns('l')}, ${recordedNames}
    from (select min(number) as reached, count(*) as rows from looked) seen
    left join (select l.* from looked l
      where l.at >= to_timestamp($4::bigint) and l.at < to_timestamp($5::bigint)
        and ($6::text = '' or l.action = $6::text or starts_with(l.action, $6::text || '.'))
        and (cardinality($9::text[]) = 0 or l.subject = any($9::text[]))
        and case $7::text when 'key' then l.actor_key_id = $10::int when 'person' then l.actor_person_id = $10::int
          when 'account' then l.actor_id = $10::int else true end
        and (not $8::boolean or l.actor_id = $11::int or ${accountOf} = $11::int)
      order by l.number desc limit $3::int) l on true
    left join people p on p.id = l.actor_person_id left join api_keys k on k.id = l.actor_key_id
    order by l.number desc`,
  };
}

const searches: Readonly<Record<Driver, SqlStatement>> = {
  all: searching('all'),
  subject: searching('subject'),
  key: searching('key'),
  person: searching('person'),
  actor: searching('actor'),
  account: searching('account'),
};

const findSpan: SqlStatement = {
  name: 'find_audit_span',
  text: `select
      (select l.number from audit_log l where l.at < to_timestamp($1::bigint) order by l.at desc, l.number desc limit 1) as earlier,
      (select l.number from audit_log l where l.at >= to_timestamp($2::bigint) order by l.at, l.number limit 1) as later`,
};

/** `nextBefore` is the cursor, exclusive, or null if there are no older entries. */
export async function searchAudit(
  database: Queryable,
  filter: AuditFilter,
): Promise<{ entries: RecordedAuditEntry[]; nextBefore: number | null }> {
  const { actor, accountId, action, subjects, since, until, before, limit } = filter;
  const [span] = await database.query(findSpan, [since - clocksApartSeconds, until + clocksApartSeconds]);
  const oldest = nullable(Number, span?.['earlier']) ?? 1;
  let upTo = Math.min(before - 1, nullable(Number, span?.['later']) ?? before);
  const driver = driverOf(filter);
  const found: Row[] = [];
  for (let turn = 0; upTo >= oldest && found.length <= limit; turn += 1) {
    if (turn === rangesMax) return page(upTo + 1);
    const rows = await database.query(searches[driver], [
      oldest,
      upTo,
      limit + 1 - found.length,
      since,
      until,
      action,
      actor?.type ?? '',
      accountId !== null,
      textArray(subjects),
      actor?.id ?? 0,
      accountId ?? 0,
    ]);
    found.push(...rows.filter((row) => row['number'] !== null));
    const looked = Number(rows[0]?.['looked'] ?? 0);
    if (looked < rangeRows) break;
    upTo = Number(rows[0]?.['reached']) - 1;
  }
  return page(null);

  async function page(goesOnAt: number | null) {
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const nextBefore = found.length > limit && last !== undefined ? Number(last['number']) : goesOnAt;
    return { entries: await readEntries(database, shown), nextBefore };
  }
}

function driverOf({ subjects, actor, accountId }: AuditFilter): Driver {
  if (subjects.length > 0) return 'subject';
  if (actor !== null) return actor.type === 'account' ? 'actor' : actor.type;
  return accountId === null ? 'all' : 'account';
}
