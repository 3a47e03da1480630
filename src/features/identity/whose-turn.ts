// The account whose concurrency limit a request counts against: always the caller's own, even while viewing another.

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
