import { formatTime } from '../../shared/times.ts';
import type { ShownLink } from './login-link-log.ts';
import type { LoginLinkView } from './login-link-schemas.ts';

/** Without `forOperator`, the view hides which of the operator's people created a link. */
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
