// Where the provider's page leads afterward, as a request names it.

import { RequestRefused } from '../../platform/http/request-refused.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';

const localHosts = ['localhost', '127.0.0.1', '[::1]'];

/** @throws RequestRefused */
export function readReturnUrl(sent: string): string {
  const url = URL.canParse(sent) ? new URL(sent) : null;
  const isFit =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && localHosts.includes(url.hostname));
  if (url === null || !isFit || url.username !== '' || url.password !== '') {
    throw new RequestRefused(fieldRefusal('validation_failed', 'return_url', 'must be an https address'));
  }
  return url.href;
}
