// An action whose answer was lost may have been done: a dialog then closes its fields, and only the very same can be sent again, with
// the same idempotency key.

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
    <Notice tone="warn">{t`The answer was lost: it may already be done. Send it again as it is: nothing is done twice.`}</Notice>
  );
}
