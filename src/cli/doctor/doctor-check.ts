// One line of what `sellthrough doctor` finds.

export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What is, and where it is not as it should be, what to do. */
  readonly says: string;
}
