// The kinds of mail, a closed list, and which of them a person can do without. Mail about the security of an account has a
// budget of its own and is sent first: no other mail can hold it back, and it cannot be unsubscribed from.

export const mailKinds = ['invitation', 'password_reset', 'new_sign_in', 'alert_address', 'alert'] as const;
export type MailKind = (typeof mailKinds)[number];

/** `alert_address`: asks whether alerts may be mailed to the address. */
export const optionalKinds: readonly MailKind[] = ['alert_address', 'alert'];

export function canUnsubscribe(kind: MailKind): boolean {
  return optionalKinds.includes(kind);
}

/** Of a row, whose kind may be of another version. */
export function isOptionalMail(kind: string): boolean {
  return optionalKinds.some((one) => one === kind);
}
