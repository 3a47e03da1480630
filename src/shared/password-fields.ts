// The password of whoever is signed in, as bodies of sensitive actions hold it: it may be left out for a few minutes after it
// was given with another one.

import Type from 'typebox';

/** A password or code that was typed: whatever it holds, it is compared. */
export const typed = (description: string) => Type.String({ maxLength: 200, description });

const sentence =
  'The password of whoever is signed in. It may be left out within five minutes after it was given with another sensitive action, but not for what decides who owns the account.';

export const passwordField = { password: Type.Optional(typed(sentence)) };

export const confirmedBodySchema = Type.Object({ ...passwordField });
