// The kinds of mail, a closed list, and which of them a person can be without. Those about the security of an account always
// come: whoever got hold of a mailbox for a minute must not be able to silence them.

export const mailKinds = ['invitation', 'password_reset', 'new_sign_in', 'alert'] as const;
export type MailKind = (typeof mailKinds)[number];

const optional: readonly MailKind[] = ['alert'];

export function canUnsubscribe(kind: MailKind): boolean {
  return optional.includes(kind);
}
