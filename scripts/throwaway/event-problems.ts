// Checks that every order, customer, credit and plan change has exactly one event, when a test service closes.

import { readFileSync } from 'node:fs';
import { Compile } from 'typebox/compile';
import { type EventType, eventSchemaName, eventTypes } from '../../src/features/events/event-schemas.ts';
import { automaticFingerprint } from '../../src/features/order-engine/records/order-table.ts';
import type { Database, Row } from '../../src/platform/database/database.ts';

const counted = (type: EventType | EventType[]) =>
  `(select count(*) from events e where e.account_id = a.id and e.type = any('{${[type].flat().join(',')}}'))`;
const changes = (kind: string) =>
  `(select count(*) from plan_changes p where p.account_id = a.id and not p.is_empty and p.kind = '${kind}')`;
const entries = (...kinds: string[]) =>
  `(select count(*) from ledger_entries l where l.account_id = a.id and l.kind = any('{${kinds.join(',')}}'))`;

const pairs: Readonly<Record<string, readonly [emitted: string, written: string]>> = {
  numbers: [
    `a.event_count - (select coalesce(sum(g.last_number - g.first_number + 2), 0)
      from event_gaps g where g.account_id = a.id)`,
    '(select count(*) from events e where e.account_id = a.id)',
  ],
  'the last number': [
    'a.event_count',
    '(select coalesce(max(number), 0) from events e where e.account_id = a.id)',
  ],
  orders: [
    counted(['order.completed', 'order.failed']),
    "a.order_count - (select count(*) from order_handoffs h where h.account_id = a.id and h.status = 'pending')",
  ],
  'orders that failed': [
    counted('order.failed'),
    "(select count(*) from order_handoffs h where h.account_id = a.id and h.status = 'failed')",
  ],
  'plans that orders made': [
    counted(['plan.activated', 'plan.renewed', 'plan.changed']),
    `${counted('order.completed')} + ${changes('trial')}`,
  ],
  customers: [counted('customer.created'), 'a.customer_count'],
  credits: [counted('balance.credited'), entries('credit', 'reinstatement')],
  debits: [counted('balance.debited'), entries('debit', 'reversal', 'settlement')],
  'paid top-ups': [counted('topup.paid'), '(select count(*) from payments p where p.account_id = a.id)'],
  'reversed top-ups': [
    counted(['topup.refunded', 'topup.disputed']),
    '(select count(*) from reversals r where r.account_id = a.id)',
  ],
  'reinstated top-ups': [
    counted('topup.reinstated'),
    '(select count(*) from reversals r where r.account_id = a.id and r.reinstated_at is not null)',
  ],
  suspensions: [counted('plan.suspended'), changes('suspend')],
  resumptions: [counted('plan.resumed'), changes('resume')],
  cancels: [counted('plan.cancelled'), changes('cancel')],
  'failed renewals': [
    counted('renewal.failed'),
    // The product may refuse a renewal that waited for it, which also emits this event.
    `${changes('renewal_failed')} + (select count(*) from order_handoffs h
      join orders o on o.account_id = h.account_id and o.number = h.order_number
      where h.account_id = a.id and h.status = 'failed' and o.fingerprint = '${automaticFingerprint}')`,
  ],
};

// An account has had a listener from the beginning if its first event is about its first key.
const compare = `select a.id, ${Object.entries(pairs)
  .map(([what, [emitted, written]]) => `(${emitted})::text || ' of ' || (${written})::text as "${what}"`)
  .join(', ')} from accounts a
  where exists (select from events e where e.account_id = a.id and e.number = 1 and e.type = 'key.created'
    and e.data::json->'key'->>'last_four' =
      (select k.last_four from api_keys k where k.account_id = a.id and k.is_first order by k.id limit 1))`;

const eventsPerAccount = 200;
const list = `select account_id, number, type, data from events where number <= ${eventsPerAccount}`;

const inOrder = `select count(*)::int as wrong from event_stream s
  join event_stream earlier on earlier.account_id = s.account_id and earlier.position < s.position
  where earlier.last_number >= s.first_number`;

export async function eventProblems(database: Database): Promise<string[]> {
  const query = (text: string) => database.query({ name: '', text });
  const problems: string[] = [];
  for (const row of await query(compare)) {
    for (const what of Object.keys(pairs)) {
      const [emitted, written] = String(row[what]).split(' of ');
      if (emitted !== written)
        problems.push(`account ${row['id']}, ${what}: ${emitted} emitted, ${written} written`);
    }
  }
  for (const row of await query(list)) problems.push(...shapeProblems(row));
  if ((await query(inOrder))[0]?.['wrong'] !== 0)
    problems.push('the stream is not in the order of the numbers');
  return problems.slice(0, 20);
}

type Problem = (data: unknown) => string | null;

let checks: ReadonlyMap<string, Problem> | null = null;

function shapeProblems(row: Row): string[] {
  checks ??= readChecks();
  const problem = checks.get(String(row['type']))?.(JSON.parse(String(row['data'])));
  if (problem === null) return [];
  return [`event ${row['number']} of account ${row['account_id']}, ${row['type']}: ${problem ?? 'unknown'}`];
}

function readChecks(): ReadonlyMap<string, Problem> {
  const { components } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
    components: { schemas: Record<string, { properties: { data: object } }> };
  };
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const ref = '$ref' in value ? String(value.$ref).replace('#/components/schemas/', '') : null;
    if (ref !== null) return resolve(components.schemas[ref]);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  return new Map(
    eventTypes.map((type) => {
      const schema = resolve(components.schemas[eventSchemaName(type)]?.properties.data) as object;
      const validator = Compile({ ...schema, additionalProperties: false });
      const problem: Problem = (data) => {
        if (validator.Check(data)) return null;
        const [first] = validator.Errors(data);
        return `${first?.instancePath} ${first?.message}`;
      };
      return [type, problem];
    }),
  );
}
