import Type from 'typebox';
import { pageQuerySchema } from '../../shared/list-schemas.ts';
import { example, groupSchema, text, time } from '../../shared/schema-parts.ts';
import {
  allowedIps,
  apiKey,
  emailOrNone,
  password,
  rateLimit,
  username,
} from '../identity/account-schemas.ts';

export const accountQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  q: Type.Optional(
    Type.String({
      description: 'Part of a username or display name.',
      maxLength: 16_384,
      examples: ['contoso'],
    }),
  ),
  group: Type.Optional(groupSchema),
  is_admin: Type.Optional(
    Type.Boolean({
      description: 'Only administrators, or everybody else. An administrator is of the group distributor.',
    }),
  ),
});

const displayName = Type.String({ maxLength: 120 });

export const createAccountBodySchema = Type.Object(
  {
    username,
    group: groupSchema,
    display_name: Type.Optional(displayName),
    email: Type.Optional(emailOrNone),
    invite: Type.Optional(
      Type.Boolean({
        description:
          'true: no password is made. The answer has a link to choose one, good for seven days, which is also mailed if possible.',
      }),
    ),
    password: Type.Optional(password),
    rate_limit_per_minute: Type.Optional(rateLimit),
    allowed_ips: Type.Optional(allowedIps),
  },
  example({
    username: 'contoso',
    group: 'reseller',
    display_name: 'Contoso Web',
    rate_limit_per_minute: 120,
  }),
);

export const changeAccountBodySchema = Type.Partial(
  Type.Object({
    group: groupSchema,
    display_name: displayName,
    email: emailOrNone,
    blocked: Type.Boolean(),
    api_enabled: Type.Boolean(),
    rate_limit_per_minute: rateLimit,
    allowed_ips: allowedIps,
    password,
    confirm: Type.Boolean({
      description: 'true: set allowed_ips even if they leave out the address you are using.',
    }),
  }),
  example({ allowed_ips: ['203.0.113.0/24'] }),
);

export const panelChangeAccountBodySchema = Type.Object({
  ...changeAccountBodySchema.properties,
  reason: Type.Optional(text('Why, for the audit log.', 200)),
});

export const accountAnswerSchema = Type.Object({ account: Type.Ref('Account') });

export const createdAccountSchema = Type.Object({
  account: Type.Ref('Account'),
  api_key: apiKey('Shown here; afterwards the account sees it in its panel.'),
  password: Type.Optional(text('The generated password; absent when one was chosen, or with invite.', 200)),
  invitation: Type.Optional(
    Type.Object(
      {
        url: Type.String({
          description: 'The link to choose a password, which works once. Only this answer has it.',
          pattern: '^https?://',
          maxLength: 2_048,
        }),
        expires_at: time('When it ends.'),
      },
      { description: 'With invite only.' },
    ),
  ),
});
