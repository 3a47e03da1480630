// The sentence for a refusal that has none of its own.

import { t } from '@lingui/core/macro';

/** Without a connection to fetch its sentence, or of a service that is newer than this page. */
export function unknownRefusal(): string {
  return t`The service refused this. Reload the page and try again.`;
}
