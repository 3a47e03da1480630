// Whose concurrency limit a request counts against: the caller's own account. An administrator viewing another account's
// panel must not slow that account down.

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
