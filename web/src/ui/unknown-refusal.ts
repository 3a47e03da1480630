import { t } from '@lingui/core/macro';

/** Offline, or for a code of a newer service. */
export function unknownRefusal(): string {
  return t`The service refused this. Reload the page and try again.`;
}
