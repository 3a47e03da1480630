// What a page can follow. A hint names a topic and holds nothing else: pages read the data with their own requests.

import Type from 'typebox';
import { oneOf } from '../../shared/schema-parts.ts';
import type { Scope } from '../../shared/scopes.ts';

/** The scope that a person needs to follow the topic; null: none. */
const scopeOfTopic = {
  /** Balance, rights and test clock of the account. */
  account: null,
  person: null,
  orders: 'orders:read',
  requests: 'keys:read',
  deliveries: 'events:read',
  topups: 'topups:read',
  calls: 'admin:read',
  payment_problems: 'admin:read',
} as const satisfies Readonly<Record<string, Scope | null>>;

export type StreamTopic = keyof typeof scopeOfTopic;

const streamTopics = Object.keys(scopeOfTopic) as readonly StreamTopic[];

export function topicsOf(scopes: ReadonlySet<Scope>): readonly StreamTopic[] {
  return streamTopics.filter((topic) => {
    const scope = scopeOfTopic[topic];
    return scope === null || scopes.has(scope);
  });
}

export const streamTopicsSchema = Type.Object({
  topics: Type.Array(oneOf(streamTopics, 'What a stream of this session names when it changes.')),
});
