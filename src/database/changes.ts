// What processes on one database tell each other, by NOTIFY at the COMMIT of the change: that an
// account's rights or a package moved. Each listener drops what it had in memory.

/** The channel. Payloads: "account 12", "packages". */
export const changesChannel = 'sellthrough_changes';
export const packagesChanged = 'packages';

/** The account id in "account 12"; null for any other payload. */
export function changedAccountId(payload: string): number | null {
  const match = /^account (\d+)$/.exec(payload);
  return match === null ? null : Number(match[1]);
}
