// A row of `webhooks`: an address that an account, or the operator for all accounts, has its events sent to. What its owner
// decides is written by webhook-store.ts, where it stands by the deliverer (delivery-progress.ts).

import {
  boolean,
  type Column,
  describeTable,
  int,
  int8,
  nullableText,
  nullableTime,
  oneOf,
  orNull,
  type RowOf,
  text,
  texts,
  time,
} from '../../platform/database/table.ts';
import type { EventType } from '../events/event-schemas.ts';
import { eventTypes } from '../events/event-schemas.ts';

/** Instead of an account's id: the operator's endpoints, which hear of all accounts. */
export const operator = 0;

export const disabledReasons = ['gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const webhooks = describeTable('webhooks', {
  id: int('id'),
  accountId: int('account_id'),
  url: text('url'),
  /** Empty: all. */
  types: typesOfEvents('types'),
  description: nullableText('description'),
  enabled: boolean('enabled'),
  sealedSecret: text('sealed_secret'),
  sealedPreviousSecret: nullableText('sealed_previous_secret'),
  previousUntil: nullableTime('previous_until'),
  createdAt: time('created_at'),
  queueVersion: int('queue_version'),
  /** The number of an account's event; of the operator's endpoints its position in the stream. */
  cursor: int8('cursor'),
  attemptCount: int8('attempt_count'),
  headStep: int('head_step'),
  dueAt: nullableTime('due_at'),
  failuresInARow: int('failures_in_a_row'),
  failingSince: nullableTime('failing_since'),
  failedAt: nullableTime('failed_at'),
  disabledAt: nullableTime('disabled_at'),
  disabledReason: orNull(oneOf('disabled_reason', disabledReasons)),
});

export type Webhook = RowOf<typeof webhooks>;

/** What a row sealed for one endpoint's owner opens with. */
export function secretContext(accountId: number): string {
  return accountId === operator ? 'webhook secret of the operator' : `webhook secret of account ${accountId}`;
}

/** A type that this version does not know was written by a later one: it matches nothing here. */
function typesOfEvents(name: string): Column<readonly EventType[]> {
  const column = texts(name);
  return {
    ...column,
    parse: (value) => column.parse(value).flatMap((type) => eventTypes.find((known) => known === type) ?? []),
  };
}
