// A logged request as a shell command. The key is never logged, so a variable stands for it. --data-raw and -g take bodies
// that begin with @, and brackets in addresses, as they are.

import type { RequestDetail } from '../../api/shapes.ts';

export function asCurl({ request, exchange }: RequestDetail, apiUrl: string): string {
  const { method, path } = request;
  const {
    query = null,
    idempotency_key: key = null,
    content_type: type = null,
    body = null,
  } = exchange?.sent ?? {};
  const address = `${new URL(apiUrl).origin}${path}${query === null ? '' : `?${query.replace(/^\?/, '')}`}`;
  return [
    `curl -i -g -X ${method} ${quoted(address)}`,
    `-H "Authorization: Bearer $SELLTHROUGH_KEY"`,
    ...(key === null ? [] : [`-H ${quoted(`Idempotency-Key: ${key}`)}`]),
    ...(type === null ? [] : [`-H ${quoted(`Content-Type: ${type}`)}`]),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
