// After a lost answer the action may have been done. This notice says so; only an identical request can be sent.

import { t } from '@lingui/core/macro';
import { ApiError } from '../api/client.ts';
import { Notice } from './notice.tsx';

export function isUncertain(error: Error | null): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code === 'network' || error.code === 'unreadable' || error.status >= 500;
}

export function LostAnswer({ error }: { readonly error: Error | null }) {
  if (!isUncertain(error)) return null;
  return (
    <Notice tone="warn">{t`No response arrived, so this may already be done. Submit it again unchanged; nothing happens twice.`}</Notice>
  );
}
