import Type from 'typebox';
import { typed } from '../../shared/password-fields.ts';
import { orNothing, time } from '../../shared/schema-parts.ts';

export const lookAroundStates = ['off', 'filling', 'ready'] as const;

export const signInBodySchema = Type.Object({
  username: Type.String({ maxLength: 200 }),
  password: typed('The password.'),
  code: Type.Optional(typed('From the authenticator app, or a recovery code, where codes are on.')),
});

export const passwordBodySchema = Type.Object({ password: typed('The password of the signed-in person.') });

export const currentPasswordBodySchema = Type.Object({
  current_password: typed('The password of the signed-in person.'),
});

export const codeBodySchema = Type.Object({ code: typed('From the authenticator app.') });

export const disableTotpBodySchema = Type.Object({
  ...passwordBodySchema.properties,
  code: typed('From the authenticator app, or a recovery code.'),
});

export const signInOptionsSchema = Type.Object({
  password_reset: Type.Boolean({ description: 'Whether a link to a new password can be mailed.' }),
  demo: Type.Enum(lookAroundStates, {
    description: 'ready: this browser may look around without a password. filling: soon. Otherwise off.',
  }),
  support_address: orNothing(Type.String(), 'Where someone without an account can ask. null: not set.'),
});

export const lookAroundBodySchema = Type.Object({ role: Type.Enum(['operator', 'reseller', 'customer']) });

export const lookAroundAnswerSchema = Type.Object({ path: Type.String({ description: 'Where to go.' }) });

export const signedInSchema = Type.Object({ account: Type.Ref('Account') });

const sessionSchema = Type.Object({
  id: Type.String(),
  created_at: time('When it began.'),
  last_seen_at: time('To the minute.'),
  expires_at: time('When it ends if it is not used again.'),
  address: Type.String({ description: 'The address it began from.' }),
  user_agent: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session making this request.' }),
});

export const sessionListSchema = Type.Object({ data: Type.Array(sessionSchema) });

export const begunViewSchema = Type.Object({ until: time('When it ends.') });

export const totpEnrolmentSchema = Type.Object({
  secret: Type.String({ description: 'Base32.' }),
  uri: Type.String({ description: 'otpauth://… for a QR code.' }),
});

export const recoveryCodesSchema = Type.Object({ recovery_codes: Type.Array(Type.String()) });
