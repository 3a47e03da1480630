// A login link that a customer was given, as the panel and the console show it.

import { formatTime } from '../../shared/times.ts';
import type { ShownLink } from './login-link-log.ts';
import type { LoginLinkView } from './login-link-schemas.ts';

/** `forOperator`: an account is not told which of the operator's people made a link. */
export function loginLinkView(
  { madeAt, expiresAt, usedAt, state, madeBy, makerName }: ShownLink,
  forOperator: boolean,
): LoginLinkView {
  return {
    made_at: formatTime(madeAt),
    expires_at: formatTime(expiresAt),
    used_at: usedAt === null ? null : formatTime(usedAt),
    state,
    made_by: madeBy,
    maker: madeBy === 'operator' && !forOperator ? '' : makerName,
  };
}
