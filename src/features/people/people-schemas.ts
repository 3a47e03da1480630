import Type, { type Static } from 'typebox';
import { mailAddressLengthMax } from '../../shared/mail-addresses.ts';
import { passwordField } from '../../shared/password-fields.ts';
import { example, id, keyInBody, oneOf, orNothing, text, time } from '../../shared/schema-parts.ts';
import { roles } from '../../shared/scopes.ts';
import { emailOrNone, username } from '../identity/account-schemas.ts';

const role = oneOf(
  roles,
  'What they may do. Of an account: owner, staff or viewer; of the operator: owner, finance, support or viewer.',
);

export const personSchema = Type.Object(
  {
    id: id('The person. An account’s own login has the id of the account.'),
    username: text('What they sign in with.', 64),
    email: Type.Optional(
      Type.String({
        description: 'Where they are written to; absent if nowhere.',
        pattern: '^[!-~]+$',
        maxLength: mailAddressLengthMax,
      }),
    ),
    role,
    status: oneOf(
      ['invited', 'active'] as const,
      'invited: they have not chosen a password yet. active: they can sign in.',
    ),
    totp_enabled: Type.Boolean({ description: 'Whether their sign-in also takes a code.' }),
    last_sign_in_at: orNothing(time('When they last signed in.'), 'null: they never did.'),
    created_at: time('When they were invited, or the account was made.'),
  },
  { $id: 'Person' },
);

const newPerson = {
  username,
  email: Type.Optional(emailOrNone),
  role,
  idempotency_key: keyInBody,
};
const personChange = {
  role: Type.Optional(role),
  email: Type.Optional(emailOrNone),
  idempotency_key: keyInBody,
};

export const invitePersonBodySchema = Type.Object(
  newPerson,
  example({
    username: 'grace',
    email: 'grace@example.com',
    role: 'staff',
    idempotency_key: 'invite-grace',
  }),
);
export const changePersonBodySchema = Type.Object(
  personChange,
  example({ role: 'viewer', idempotency_key: 'grace-looks' }),
);

export const inviteColleagueBodySchema = Type.Object({ ...newPerson, ...passwordField });
export const changeColleagueBodySchema = Type.Object({ ...personChange, ...passwordField });
const invitation = Type.Object({
  url: Type.String({
    description: 'The link to choose a password, which works once. Only this answer has it.',
    pattern: '^https?://',
    maxLength: 2_048,
  }),
  expires_at: time('When it stops working.'),
});

export const personAnswerSchema = Type.Object({ person: Type.Ref('Person') });
export const invitedPersonSchema = Type.Object({
  person: Type.Ref('Person'),
  invitation: orNothing(invitation, 'null: the request was sent again with its idempotency key.'),
});
export const peopleListSchema = Type.Object({
  data: Type.Array(Type.Ref('Person'), {
    description: 'The account’s own login first, then by when they were invited.',
    maxItems: 101,
  }),
});
export const removedPersonSchema = Type.Object({ removed: Type.Boolean({ description: 'true.' }) });

export type PersonView = Static<typeof personSchema>;
