import Type, { type Static } from 'typebox';
import { cursorPageOf, cursorParameters } from '../../shared/list-schemas.ts';
import { groupSchema, oneOf, orNothing, time } from '../../shared/schema-parts.ts';
import { accountSchema } from '../identity/account-schemas.ts';

export const accountFilterSchema = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Part of a username or display name; or an e-mail address of the account or one of its people, or the last four characters of one of its keys.',
    }),
  ),
  group: Type.Optional(groupSchema),
  state: Type.Optional(Type.String({ description: 'active, blocked, api_off, halted or closed.' })),
  balance_below: Type.Optional(Type.String({ description: 'An amount.', examples: ['25.00'] })),
  sort: Type.Optional(
    Type.String({
      description:
        'newest, name, balance: the lowest first, or customers, last_order or mrr: the highest first.',
    }),
  ),
  format: Type.Optional(Type.String({ description: 'csv: all that match instead of a page.' })),
  ...cursorParameters,
});

export const holderFilterSchema = Type.Object({
  q: Type.String({
    description: 'An e-mail address, or the last four characters of an API key. Found only as a whole.',
    maxLength: 254,
  }),
});

const holderSchema = Type.Object({
  kind: oneOf(['account', 'person', 'key'] as const, 'The matches.'),
  account: Type.Object({ id: Type.Integer(), username: Type.String() }),
  id: Type.Integer({ description: 'Of the account, the person or the key.' }),
  name: Type.String({ description: 'The username, or the name of the key.' }),
  revoked: Type.Boolean({ description: 'Of a key: it no longer works.' }),
});

export const holdersSchema = Type.Object({
  data: Type.Array(holderSchema, { description: 'At most ten.', maxItems: 10 }),
});

const outlookSchema = orNothing(
  Type.Object({
    active_plans: Type.Integer({ description: 'Plans that run today, without trials.' }),
    mrr: Type.String({ description: 'What they bring a month.' }),
    due: Type.String({ description: 'The renewals of the next 90 days.' }),
    runs_out_on: orNothing(
      Type.String({ description: 'The UTC day on which these cost more than the balance.' }),
      'null: it covers them.',
    ),
  }),
  'null: its orders are still being summed up.',
);

const foundAccountSchema = Type.Object({
  ...accountSchema.properties,
  halted: Type.Boolean({ description: 'Its books were found wrong: nothing is written.' }),
  last_order_at: orNothing(time('When its last order was placed.'), 'null: it has none.'),
  outlook: outlookSchema,
});

export const foundAccountsSchema = Type.Object({
  ...cursorPageOf(foundAccountSchema).properties,
  total: Type.Integer({ description: 'All that match.' }),
});

export type FoundAccountView = Static<typeof foundAccountSchema>;

export const accountOutlookSchema = Type.Object({ outlook: outlookSchema });

export type OutlookView = Static<typeof outlookSchema>;
