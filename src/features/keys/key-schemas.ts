import Type, { type Static } from 'typebox';
import { passwordField } from '../../shared/password-fields.ts';
import { count, example, id, keyInBody, oneOf, orNothing, text, time } from '../../shared/schema-parts.ts';
import { accountScopes, administratorScopes, keyScopes } from '../../shared/scopes.ts';
import { allowedIps, apiKey, rateLimit } from '../identity/account-schemas.ts';

export const endedSessionsSchema = Type.Object({ ended: count('How many there were.') });

export const newKeySchema = Type.Object({ api_key: apiKey('The new key.') });

export const keysPerAccountMax = 100;
const overlapHoursMax = 168;
/** If a key is rotated more often than this within an overlap, the oldest secret ends at once. */
export const endingSecretsMax = 10;
const nameLengthMax = 80;

const name = Type.String({
  description: 'For people: the program that will use it.',
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: '\\S',
});
const scopes = Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...keyScopes] }), {
  description: `What the key may do. Every account: ${accountScopes.join(', ')}. Administrators also: ${administratorScopes.join(', ')}. Left out: all that the account has, those to come included.`,
  minItems: 1,
  maxItems: 100,
});
const ownAllowedIps = {
  ...allowedIps,
  description: 'Addresses and CIDR ranges, within those of the account; empty: all of those.',
};
const expiresAt = orNothing(
  Type.String({
    description: 'A whole second in UTC, in the future.',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
    maxLength: 20,
    examples: ['2028-01-01T00:00:00Z'],
  }),
  'From then on, requests get revoked_api_key with the reason expired; null: never.',
);
const ownRateLimit = orNothing(
  rateLimit,
  'Requests of this key in any 60 seconds, within the limit of the account; null: only that one.',
);

export const newKeyBodySchema = Type.Object(
  {
    name,
    scopes: Type.Optional(scopes),
    allowed_ips: Type.Optional(ownAllowedIps),
    expires_at: Type.Optional(expiresAt),
    rate_limit_per_minute: Type.Optional(ownRateLimit),
    test: Type.Optional(
      Type.Boolean({
        description: 'true: a key of test mode, which reaches the account’s test account and nothing real.',
      }),
    ),
    idempotency_key: keyInBody,
  },
  example({
    name: 'Shop',
    scopes: ['packages:read', 'orders:write'],
    allowed_ips: ['203.0.113.0/24'],
    idempotency_key: 'key-for-the-shop',
  }),
);

export const changeKeyBodySchema = Type.Object(
  {
    name: Type.Optional(name),
    scopes: Type.Optional(orNothing(scopes, 'null: all scopes of the account.')),
    allowed_ips: Type.Optional(ownAllowedIps),
    expires_at: Type.Optional(expiresAt),
    rate_limit_per_minute: Type.Optional(ownRateLimit),
    idempotency_key: keyInBody,
  },
  example({ name: 'Shop, Frankfurt', rate_limit_per_minute: 30, idempotency_key: 'key-1-frankfurt' }),
);

export const rotateKeyBodySchema = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        description: 'How long the secret before it still works. 0, the default: not at all.',
        minimum: 0,
        maximum: overlapHoursMax,
      }),
    ),
    idempotency_key: keyInBody,
  },
  example({ overlap_hours: 24, idempotency_key: 'rotate-key-1' }),
);

export const newOwnKeyBodySchema = Type.Object({ ...newKeyBodySchema.properties, ...passwordField });
export const changeOwnKeyBodySchema = Type.Object({ ...changeKeyBodySchema.properties, ...passwordField });
export const rotateOwnKeyBodySchema = Type.Object({ ...rotateKeyBodySchema.properties, ...passwordField });

const scopeName = Type.String({ pattern: '^[a-z]+(:[a-z]+)?$', maxLength: 64, examples: ['orders:write'] });
const lastFour = Type.String({
  description: 'The last four characters of its newest secret.',
  pattern: '^[0-9A-Za-z]{4}$',
  maxLength: 4,
});
const lastUsed = orNothing(time('When a request came with it, to the minute.'), 'null: never.');

const keySchema = Type.Object(
  {
    id: id('The key. It stays the same when the key is rotated.'),
    name: text('Which program has it.', nameLengthMax),
    mode: oneOf(
      ['live', 'test'] as const,
      'test: it works only in the account’s test mode. Tolerate new values.',
    ),
    first: Type.Boolean({ description: 'It came with the account, and has all scopes.' }),
    status: oneOf(['active', 'expired'] as const, 'Tolerate new values.'),
    scopes: Type.Array(scopeName, { description: 'What it may do. Tolerate new values.', maxItems: 100 }),
    all_scopes: Type.Boolean({
      description: 'Whether it has every scope of its account, including scopes added later.',
    }),
    allowed_ips: Type.Array(text('An address or CIDR range.', 64), {
      description: 'Within those of the account; empty: all of those.',
      maxItems: 100,
    }),
    rate_limit_per_minute: orNothing(count('Its own limit.', 1), 'null: only that of the account.'),
    last_four: lastFour,
    created_at: time('When the key was made.'),
    secret_created_at: time('When its newest secret was made.'),
    created_by: orNothing(
      Type.Object({
        account: Type.String({
          description: 'The username of the account.',
          pattern: '^[a-z0-9._-]*$',
          maxLength: 64,
        }),
        type: oneOf(['key', 'person'] as const, 'Tolerate new values.'),
        id: Type.Optional(id('That key or person; absent if it belongs to another account.')),
        name: Type.Optional(
          text('The name of the key, or the username of the person; absent where id is.', 200),
        ),
      }),
      'Who made it; null: it came with the account, or is unknown.',
    ),
    last_used_at: lastUsed,
    expires_at: orNothing(time('When it ends.'), 'null: never.'),
    ending: Type.Array(
      Type.Object({ last_four: lastFour, ends_at: time('When it ends.'), last_used_at: lastUsed }),
      { description: 'Secrets before it that still work, the newest first.', maxItems: endingSecretsMax },
    ),
  },
  { $id: 'ApiKey' },
);

export type KeyView = Static<typeof keySchema>;

export const keyListSchema = Type.Object({
  data: Type.Array(Type.Ref('ApiKey'), { maxItems: keysPerAccountMax }),
});
export const keyAnswerSchema = Type.Object({ key: Type.Ref('ApiKey') });
export const keyWithSecretSchema = Type.Object({
  key: Type.Ref('ApiKey'),
  api_key: orNothing(
    apiKey('The secret, shown only in this answer.'),
    'null: the request was sent again with its idempotency key.',
  ),
});
export const revokedKeySchema = Type.Object({ deleted: Type.Boolean({ description: 'true' }) });

export const namedKeySchemas = [keySchema];
