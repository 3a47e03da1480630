// The table `webhooks`. webhook-store.ts writes the owner's settings, delivery-progress.ts the progress.

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

/** Stands for an account id: the owner of endpoints for all accounts. */
export const operator = 0;

export const disabledReasons = ['gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const webhooks = describeTable('webhooks', {
  id: int('id'),
  accountId: int('account_id'),
  url: text('url'),
  types: typesOfEvents('types'),
  description: nullableText('description'),
  enabled: boolean('enabled'),
  sealedSecret: text('sealed_secret'),
  sealedPreviousSecret: nullableText('sealed_previous_secret'),
  previousUntil: nullableTime('previous_until'),
  createdAt: time('created_at'),
  queueVersion: int('queue_version'),
  /** An event number or, for the operator's endpoints, a stream position. */
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

export function secretContext(accountId: number): string {
  return accountId === operator ? 'webhook secret of the operator' : `webhook secret of account ${accountId}`;
}

function typesOfEvents(name: string): Column<readonly EventType[]> {
  const column = texts(name);
  return {
    ...column,
    parse: (value) => column.parse(value).flatMap((type) => eventTypes.find((known) => known === type) ?? []),
  };
}
