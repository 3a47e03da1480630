// Whose turns a request takes where an account has only so many at once: its own, but an administrator who looks at another
// account's panel keeps nobody of that one waiting.

import type { Principal } from './principal.ts';

export function concurrencyOf({
  viewer,
  principal,
}: {
  readonly viewer: Principal | null;
  readonly principal: Principal;
}): number {
  return (viewer ?? principal).account.id;
}
