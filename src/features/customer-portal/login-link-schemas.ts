import Type, { type Static } from 'typebox';
import { nullable, oneOf, time } from '../../shared/schema-parts.ts';

export const loginLinkSchema = Type.Object({
  made_at: time('When.'),
  expires_at: time('When it expires if unused.'),
  used_at: nullable(time('When it was used; null: it was not.')),
  state: oneOf(
    ['open', 'used', 'replaced', 'expired'] as const,
    'open: it can be used. replaced: a newer link took its place.',
  ),
  made_by: oneOf(['account', 'operator', 'order'] as const, 'order: it came with an order.'),
  maker: Type.String({
    description:
      'The username of the person or the name of the key; empty for an order, and for the operator in an account’s panel.',
  }),
});

export type LoginLinkView = Omit<Static<typeof loginLinkSchema>, 'used_at'> & {
  readonly used_at: string | null;
};

/** Test links are not in the log. */
export const loginLinksSchema = Type.Array(loginLinkSchema, {
  description: 'The latest 20 of the last 90 days, the newest first.',
  maxItems: 20,
});
