export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly says: string;
}
