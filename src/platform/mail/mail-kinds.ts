// The kinds of mail. Security mail has its own limits, is sent first and cannot be unsubscribed from.

export const mailKinds = ['invitation', 'password_reset', 'new_sign_in', 'alert_address', 'alert'] as const;
export type MailKind = (typeof mailKinds)[number];

/** `alert_address` asks whether alerts may be mailed to the address. */
export const optionalKinds: readonly MailKind[] = ['alert_address', 'alert'];

export function canUnsubscribe(kind: MailKind): boolean {
  return optionalKinds.includes(kind);
}

export function isOptionalMail(kind: string): boolean {
  return optionalKinds.some((one) => one === kind);
}
