import { t } from '@lingui/core/macro';

/** The text used while offline, or for a code that only a newer service knows. */
export function unknownRefusal(): string {
  return t`The service refused this. Reload the page and try again.`;
}
