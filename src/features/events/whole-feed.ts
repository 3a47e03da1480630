import type { Database, SqlStatement } from '../../platform/database/database.ts';
import type { OwnedId } from '../../shared/identifiers.ts';
import { type AccountEvent, listenToEverybody } from './event-log.ts';
import type { EventType } from './event-schemas.ts';
import { extendStreamWholly, lastOfStream, positionOf, readStream } from './event-stream.ts';

export interface WholeFeedQuestion {
  readonly after: OwnedId | null;
  readonly type: EventType | null;
  readonly limit: number;
}

export type WholeFeedOutcome =
  | {
      readonly type: 'found';
      readonly events: readonly AccountEvent[];
      readonly lookedTo: OwnedId | null;
      readonly hasMore: boolean;
      readonly last: OwnedId | null;
    }
  | { readonly type: 'unknown' }
  | { readonly type: 'gone' };

/** How many events of any type are read for one answer. */
const lookedAtMax = 1_000;

const isListening: SqlStatement = {
  name: 'is_listening_to_all',
  text: `select s.listens_to_all, s.incarnation, a.id, a.event_count from service_state s
    left join accounts a on a.id = $1::int`,
};

export async function readWholeFeed(
  database: Database,
  { after, type, limit }: WholeFeedQuestion,
): Promise<WholeFeedOutcome> {
  const accountId = after?.accountId ?? 0;
  const [state] = await database.ofAccount(accountId).query(isListening, [accountId]);
  if (state?.['listens_to_all'] !== true) await listenToEverybody(database, 'live');
  await extendStreamWholly(database);
  const position = after === null ? 0n : await positionOf(database, after.accountId, after.number);
  if (position === null) {
    const hasReached = after !== null && after.number <= Number(state?.['event_count'] ?? 0);
    // The account existed only in the lost database; its id is never used again.
    const isLost = state?.['incarnation'] !== null && state?.['id'] === null;
    return { type: hasReached || isLost ? 'gone' : 'unknown' };
  }
  const read = type === null ? limit : lookedAtMax;
  const rows = await readStream(database, { after: position, accountId: null, limit: read, mode: 'live' });
  const fitting = rows.filter((row) => type === null || row.type === type);
  const found = fitting.slice(0, limit);
  const isCut = fitting.length > found.length;
  const last = isCut ? found.at(-1) : rows.at(-1);
  return {
    type: 'found',
    events: found,
    lookedTo: last === undefined ? after : { accountId: last.accountId, number: last.number },
    hasMore: isCut || rows.length === read,
    last: await lastOfStream(database),
  };
}
