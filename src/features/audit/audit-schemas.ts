import Type, { type Static } from 'typebox';
import { cursorParameters } from '../../shared/list-schemas.ts';
import { count, id, oneOf, orNothing, text, time, word } from '../../shared/schema-parts.ts';

export const auditEntrySchema = Type.Object(
  {
    number: count('Position in the log: 1, 2, 3 …', 1),
    at: time('When it was done.'),
    actor: Type.Object({
      id: count('The account that acted; 0 if unknown, as for a refused sign-in.'),
      username: text('Its username; empty if unknown.', 64),
    }),
    action: word('What was done.', 'account.update'),
    subject: text('What it was done to: "account 12".', 500),
    before: Type.Unsafe<unknown>({
      description:
        'What changed, as it was before, in the names and formats of this API. Entries stay as they were written: older ones have balance_cents, times in seconds, and limits as postsPerDay and aiImagesPerMonth.',
    }),
    after: Type.Unsafe<unknown>({ description: 'What changed, as it was afterwards.' }),
    by: orNothing(
      Type.Object({
        type: oneOf(['key', 'person'] as const, 'What acted for the account.'),
        id: id('The key, or the person.'),
        name: text('The name of the key, or the username of the person; empty where it has none.', 200),
      }),
      'Which key or person of the account it was; null: the service itself, its command line, or an unknown caller.',
    ),
  },
  { $id: 'AuditEntry' },
);

export type AuditEntryView = Static<typeof auditEntrySchema>;

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const auditFilterSchema = Type.Object({
  actor: Type.Optional(
    Type.String({
      description: 'Who did it: the username of a person, or account:12, key:5 or person:7.',
    }),
  ),
  account: Type.Optional(
    Type.String({
      description: 'A username or an id: what the account did, and what was done to it and what is its own.',
    }),
  ),
  action: Type.Optional(
    Type.String({ description: 'account.update, or account for all that begin with it.' }),
  ),
  target: Type.Optional(
    Type.String({
      description:
        'What it was done to: account:12, package:3, customer:12000000034, order:12000000056, person:7, webhook:8 or product.',
    }),
  ),
  from: Type.Optional(Type.String({ description: 'A time, or a whole UTC day.' })),
  to: Type.Optional(Type.String({ description: 'A time, or a whole UTC day; included.' })),
  format: Type.Optional(Type.String({ description: 'json (the default) or csv: all that match.' })),
  ...cursorParameters,
});

const auditTargetSchema = Type.Object({
  type: Type.String({
    description: 'account, sign_in, key, person, customer, order, package, webhook, product or other.',
  }),
  id: nullable(Type.Integer({ description: 'null where it has none, or is not known.' })),
  name: Type.String({ description: 'As people know it; empty where it has no name.' }),
  account: nullable(
    Type.Object(
      { id: Type.Integer(), username: Type.String() },
      { description: 'Whose it is, where that is an account and is known.' },
    ),
  ),
});

export const securityEventsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      number: count('Position in the audit log.', 1),
      at: time('When it was done.'),
      action: word(
        'sign_in.accept or refuse; person.password, email or wrong_password; or as in the audit log, of the person.',
        'sign_in.accept',
      ),
      address: nullable(Type.String({ description: 'Where it came from, for sign-ins.' })),
      by: oneOf(
        ['self', 'account', 'operator', 'unknown'] as const,
        'The person, another of the account, the operator, or an unknown caller.',
      ),
    }),
  ),
});

export const foundAuditEntrySchema = Type.Object({
  entry: Type.Ref('AuditEntry'),
  target: auditTargetSchema,
});

export type AuditTargetView = Static<typeof auditTargetSchema>;
