import Type, { type Static } from 'typebox';
import { cursorParameter, pageQuerySchema } from '../../shared/list-schemas.ts';
import {
  count,
  example,
  id,
  keyInBody,
  oneOf,
  orNothing,
  text,
  time,
  word,
} from '../../shared/schema-parts.ts';
import { type EventType, eventTypes } from '../events/event-schemas.ts';

export const webhooksPerAccountMax = 10;
const urlLengthMax = 2_048;
export const overlapHoursDefault = 24;

/** `given_up` means that the last scheduled attempt failed. */
export const deliveryStatuses = ['delivered', 'failed', 'given_up'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** A closed list, so that a misspelled type is refused. */
const types = Type.Array(Type.Unsafe<EventType>({ type: 'string', enum: [...eventTypes] }), {
  description: 'The types that are sent; empty: all, those to come included.',
  maxItems: 100,
});
const url = Type.String({
  description: 'Where events are sent by POST: an https address that is open to the internet.',
  format: 'uri',
  minLength: 1,
  maxLength: urlLengthMax,
});
const description = orNothing(
  Type.String({ minLength: 1, maxLength: 200 }),
  'A note for yourself; null: none.',
);
const enabled = Type.Boolean({
  description: 'false: nothing is sent; what happens meanwhile is sent when it is true again.',
});

export const newWebhookBodySchema = Type.Object(
  {
    url,
    types: Type.Optional(types),
    description: Type.Optional(description),
    enabled: Type.Optional(enabled),
    idempotency_key: keyInBody,
  },
  example({
    url: 'https://shop.example.com/sellthrough',
    types: ['order.completed', 'plan.expired'],
    description: 'The shop',
    idempotency_key: 'webhook-1',
  }),
);

export const changeWebhookBodySchema = Type.Object(
  {
    url: Type.Optional(url),
    types: Type.Optional(types),
    description: Type.Optional(description),
    enabled: Type.Optional(enabled),
    idempotency_key: keyInBody,
  },
  example({ types: [], idempotency_key: 'webhook-1-all-types' }),
);

export const webhookSchema = Type.Object(
  {
    id: id('The endpoint.'),
    url: Type.String({ description: 'Where events are sent.', format: 'uri', maxLength: urlLengthMax }),
    types: Type.Array(word('A type of event. Tolerate new values.', 'order.completed'), {
      description: 'Empty: all.',
      maxItems: 100,
    }),
    description: orNothing(text('A note for yourself.', 200), 'null: none.'),
    enabled: Type.Boolean({ description: 'Whether events are sent.' }),
    created_at: time('When it was made.'),
    failing_since: orNothing(
      time('Since when every attempt has failed.'),
      'null: the last one succeeded, or there was none.',
    ),
    disabled_at: orNothing(time('When the service switched it off.'), 'null: it did not.'),
    disabled_reason: orNothing(
      word(
        'gone: it answered 410. failing: every attempt failed for five days. Tolerate new values.',
        'failing',
      ),
      'null: it was not switched off by the service.',
    ),
    previous_secret_until: orNothing(
      time('Until when the previous secret also signs.'),
      'null: it does not.',
    ),
  },
  { $id: 'Webhook' },
);

export const webhookListSchema = Type.Object({
  data: Type.Array(Type.Ref('Webhook'), { maxItems: webhooksPerAccountMax }),
});

export const webhookAnswerSchema = Type.Object({ webhook: Type.Ref('Webhook') });

export const webhookWithSecretSchema = Type.Object({
  webhook: Type.Ref('Webhook'),
  secret: orNothing(
    Type.String({ description: 'whsec_… : what deliveries are signed with.', maxLength: 100 }),
    'Shown only in this answer; null: this repeats the first answer.',
  ),
});

export const deletedWebhookSchema = Type.Object({
  deleted: Type.Boolean({ description: 'true.' }),
});

export const rotateSecretBodySchema = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        description: 'How long the secret before this one signs as well; 24 if it is not sent.',
        minimum: 0,
        maximum: 168,
      }),
    ),
    idempotency_key: keyInBody,
  },
  example({ overlap_hours: 48, idempotency_key: 'webhook-1-secret-2' }),
);

const httpStatus = orNothing(
  Type.Integer({ description: 'The HTTP status that was answered.', minimum: 100, maximum: 999 }),
  'null: there was no answer.',
);
const reason = orNothing(
  word(
    'Why there was no answer: address_refused, name_not_found, connection_refused, connection_lost, tls, timeout, malformed_answer. Tolerate new values.',
    'timeout',
  ),
  'null: there was one.',
);
const milliseconds = count('How long it took.');
const answer = text('The first KiB of the answer’s body.', 1_024);

export const testedWebhookSchema = Type.Object({
  delivered: Type.Boolean({ description: 'Whether the answer was 2xx.' }),
  status: httpStatus,
  reason,
  milliseconds,
  answer,
});

export const deliverySchema = Type.Object(
  {
    event_id: id('The event.'),
    event_type: word('Its type. Tolerate new values.', 'order.completed'),
    attempt: count('Which attempt of its schedule this was.', 1),
    at: time('When it was made.'),
    status: word(
      'delivered, failed (it is tried again), given_up (this was the last attempt). Tolerate new values.',
      'delivered',
    ),
    http_status: httpStatus,
    reason,
    milliseconds,
    answer,
  },
  { $id: 'Delivery' },
);

export const deliveryQuerySchema = Type.Object({
  status: Type.Optional(oneOf(deliveryStatuses, 'Only attempts with this outcome.')),
  cursor: cursorParameter,
  limit: { ...pageQuerySchema.properties.limit, examples: [25] },
});

export const deliveryListSchema = Type.Object({
  data: Type.Array(Type.Ref('Delivery'), { maxItems: 100 }),
  next_cursor: orNothing(
    Type.String({ description: 'Send it as cursor for the next page.', maxLength: 200 }),
    'null: there is nothing older.',
  ),
});

export const redeliverSinceBodySchema = Type.Object(
  {
    from: Type.Union([id('The first event.'), time('The first second.')], {
      description: 'The id of the first event to send again, or the second it begins with.',
    }),
    idempotency_key: keyInBody,
  },
  example({ from: '2026-01-31T12:00:00Z', idempotency_key: 'webhook-1-again' }),
);

export const webhookSchemas = [webhookSchema, deliverySchema];

export type WebhookView = Static<typeof webhookSchema>;
export type DeliveryView = Static<typeof deliverySchema>;
