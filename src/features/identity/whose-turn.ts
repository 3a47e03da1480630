// The account whose concurrency limit a request counts against: always the caller's own. An administrator who views another
// account's panel must not slow that account down.

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
