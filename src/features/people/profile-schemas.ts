import Type from 'typebox';
import { type Clock, clocks } from '../../shared/clocks.ts';
import { type Language, languages } from '../../shared/languages.ts';
import { amount, count, nullable, oneOf, time } from '../../shared/schema-parts.ts';
import { type Scope, scopes } from '../../shared/scopes.ts';
import { type TopupMethod, topupMethods } from '../../shared/topup-words.ts';
import { currentPasswordBodySchema, passwordBodySchema } from '../auth/sign-in-schemas.ts';
import { emailOrNone, password } from '../identity/account-schemas.ts';

export const newPasswordBodySchema = Type.Object({
  ...currentPasswordBodySchema.properties,
  new_password: password,
});

export const passwordResetBodySchema = Type.Object({
  account: Type.String({ minLength: 1, maxLength: 254, description: 'A username or an e-mail address.' }),
});

const linkToken = Type.String({ maxLength: 100, description: 'From the link, behind "#token=".' });

export const passwordLinkBodySchema = Type.Object({ token: linkToken });

export const passwordLinkSchema = Type.Object({
  purpose: oneOf(['invitation', 'password_reset'] as const, 'What the link was made for.'),
  username: Type.String({ description: 'Whom it is for, and what they sign in with.' }),
  account: Type.String({ description: 'The name of the account that they sign in to.' }),
  invited_by: nullable(
    Type.String({ description: 'The username of a person of the same account; null: the operator.' }),
  ),
  expires_at: time('When it stops working.'),
});

export const completePasswordBodySchema = Type.Object({
  token: linkToken,
  new_password: password,
  sign_in: Type.Optional(
    Type.Boolean({
      description:
        'Of an invitation: begin a session as well, whose cookie comes with the answer. Not where a second factor is on.',
    }),
  ),
});

export const emailBodySchema = Type.Object({ ...passwordBodySchema.properties, email: emailOrNone });

export const savedEmailSchema = Type.Object({ email: Type.String() });

const language = (description: string) =>
  Type.Unsafe<Language | null>({
    anyOf: [{ type: 'string', enum: [...languages] }, { type: 'null' }],
    description,
  });

export const languageBodySchema = Type.Object({ language: language('null: that of the browser.') });

const clock = Type.Unsafe<Clock>({
  anyOf: [{ type: 'string', enum: [...clocks] }, { type: 'null' }],
  description: 'On which clock times are shown; null: that of the browser’s zone.',
});

export const clockBodySchema = Type.Object({ clock });

export const signedInPersonSchema = Type.Object({
  person: Type.Ref('Person'),
  scopes: Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: [...scopes] }), {
    description: 'What their role allows.',
  }),
  second_factor_required: Type.Boolean({
    description: 'Their role requires two-factor authentication: until it is on, everything else is refused.',
  }),
  reauthenticated_until: nullable(time('Until then, sensitive actions of this session need no password.')),
});

export const meSchema = Type.Object({
  account: Type.Ref('Account'),
  receivable: amount('What the account owes, because a payment went back that was spent.'),
  topups: Type.Object(
    {
      methods: Type.Array(Type.Unsafe<TopupMethod>({ type: 'string', enum: [...topupMethods] })),
      minimum: amount('The smallest top-up.'),
      maximum: amount('The largest top-up.'),
    },
    {
      description:
        'How funds can be added. Without a method only the operator adds credit. In test mode all methods work.',
    },
  ),
  kept: Type.Object(
    { request_log_days: count('Requests and their bodies.'), event_days: count('Events.') },
    { description: 'For how many days the service keeps what it deletes by itself.' },
  ),
  api_url: Type.String(),
  address: Type.String({ description: 'Where this request comes from.' }),
  address_allowed: Type.Boolean({ description: 'Whether the allow-list lets it use the API key.' }),
  totp_enabled: Type.Boolean(),
  mail: Type.Boolean({ description: 'Whether this service sends mail.' }),
  language: language('What the person who is signed in chose to read; null: that of the browser.'),
  clock,
  must_change_password: Type.Boolean({
    description: 'The password was generated or set by someone else and has to be changed first.',
  }),
  checklist: Type.Object({
    key_viewed: Type.Boolean(),
    first_order: Type.Boolean(),
    allow_list: Type.Boolean(),
  }),
  session: Type.Object({ created_at: time('When it began.'), expires_at: time('When it ends if unused.') }),
});
