// The user's password in bodies of sensitive actions; optional for a few minutes after a confirmation.

import Type from 'typebox';

/** Accepts any text, because it is only compared. */
export const typed = (description: string) => Type.String({ maxLength: 200, description });

const sentence =
  'The password of the signed-in person. It may be left out within five minutes after another sensitive action with it, except in actions that decide who owns the account.';

export const passwordField = { password: Type.Optional(typed(sentence)) };

export const confirmedBodySchema = Type.Object({ ...passwordField });
