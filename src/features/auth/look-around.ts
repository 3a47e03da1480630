// Who a visitor of a demo may become. Implemented by src/setup/demo-visitors.ts.

import type { findCredentials } from '../identity/find-people.ts';
import type { lookAroundStates } from './sign-in-schemas.ts';

export type LookAroundState = (typeof lookAroundStates)[number];

export interface LookAround {
  state(): Promise<LookAroundState>;
  find(role: 'operator' | 'reseller'): ReturnType<typeof findCredentials>;
  /** A login link of a customer; null if none has a plan. */
  customerPath(): Promise<string | null>;
}
