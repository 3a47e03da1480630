import Type from 'typebox';
import { nullable, time } from '../../shared/schema-parts.ts';
import { allowedIps } from '../identity/account-schemas.ts';

export const allowListBodySchema = Type.Object({
  allowed_ips: allowedIps,
  confirm: Type.Optional(
    Type.Boolean({ description: 'true: save it even if it leaves out the address you are using.' }),
  ),
});

export const keyFactsSchema = Type.Object({
  last_four: Type.String(),
  created_at: time('When it was made.'),
  last_used_at: nullable(time('To the minute.')),
});

export const shownKeySchema = Type.Object({ api_key: Type.String() });

export const savedAllowListSchema = Type.Object({
  allowed_ips: Type.Array(Type.String()),
  address: Type.String(),
  address_allowed: Type.Boolean(),
});

export const usageSchema = Type.Object({
  limit: Type.Integer(),
  used: Type.Integer(),
  remaining: Type.Integer(),
  window_seconds: Type.Integer(),
  reset_seconds: Type.Integer(),
});
